import { authorizeEndpoint, releaseEndpoint } from '#lib/ingest/http/control-endpoint.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { bobsOperator, rate } from '#test/examples/tariffs.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { aWorld, bodyOf, type World } from '#test/world.ts'

/** On a busy machine a decision takes longer than a call can wait. */
const PATIENCE_MS = 60_000

const ENDPOINTS = { authorize: authorizeEndpoint, release: releaseEndpoint }

export type ControlPath = keyof typeof ENDPOINTS

/** One function of call control, which remembers for a second of the world's clock what it has read. */
export function aControlEndpoint({ services }: World, path: ControlPath) {
  const openStore = notingWrites(`${path}_call`, services.openStore)
  const endpoint = ENDPOINTS[path]({ ...services, openStore }, PATIENCE_MS)
  return (request: Request) => endpoint(anEvent({ path: `/calls/${path}`, ...request }), aContext())
}

type Parameters = Readonly<Record<string, string | number>>

/** A switch that asks before each call. Each request goes to a cold function. */
export const aSwitch = async (world: World, name = 'fs1') => knownSwitch(world, await anIntake(world, name))

/** A switch with its secret, and what it says of every call. */
export function knownSwitch(world: World, authorization: string) {
  const send = (path: ControlPath, params: Parameters, headers = {}) =>
    aControlEndpoint(
      world,
      path,
    )({
      body: new URLSearchParams(stringsOf(params)).toString(),
      headers: { authorization, ...headers },
    })
  const answer = async (path: ControlPath, params: Parameters) => {
    const result = await send(path, params)
    return result.statusCode === 200 ? JSON.parse(bodyOf(result)) : result.statusCode
  }
  return {
    authorization,
    send,
    authorize: (params: Parameters) => answer('authorize', { sip_user: 'bobs-phone', dst: UK, ...params }),
    release: (params: Parameters) => answer('release', { sip_user: 'bobs-phone', ...params }),
    /** The CDR of a call answered for these seconds that ends now, in the generic CSV. */
    ended: (call: string, billsec: number, columns: Parameters = {}) => {
      const end = Math.floor(world.now.getTime() / 1000)
      const row = {
        uniqueid: call,
        start: end - billsec,
        src: '37000001',
        dst: UK,
        duration: billsec,
        billsec,
        sip_user: 'bobs-phone',
        ...columns,
      }
      const body = `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`
      return post(world, 'csv', { body, headers: { authorization } })
    },
  }
}

export const UK = '442079460000'

/** Bob is prepaid, has this money, and pays 0.2 a minute to the United Kingdom by the second. */
export const prepaidBob = (balance: string, more: Parameters = {}): DatasetRows => ({
  ...bobsOperator,
  users: bobsOperator.users.map((user) =>
    user.username === 'bob' ? { ...user, balance, postpaid: '0', credit: '0', ...stringsOf(more) } : user,
  ),
  rates: [rate({ prefix: '44', tariff_rate: '0.2', increment: '1', destination: 'UK' })],
})

const stringsOf = (values: Parameters) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

export const CONTROL_SETTINGS = { Call_Control: '1', Balance_From: '2026-03-01', Hangup_Margin_Seconds: '0' }

/** A world with call control, without a margin. */
export const aControlledWorld = (rows: DatasetRows, settings = {}): Promise<World> =>
  aWorld(rows, { ...CONTROL_SETTINGS, ...settings })
