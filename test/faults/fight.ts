import type { SQSEvent } from 'aws-lambda'
import type { Method, Services } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { aContext, anEvent } from '#test/event.ts'
import { seeded } from '#test/examples/generated-rates.ts'
import { method as deviceRuleCreate } from '../../functions/device-rules/device_rule_create.ts'
import { method as deviceRuleDelete } from '../../functions/device-rules/device_rule_delete.ts'
import { method as deviceCreate } from '../../functions/devices/device_create.ts'
import { method as deviceDelete } from '../../functions/devices/device_delete.ts'
import { method as deviceUpdate } from '../../functions/devices/device_update.ts'
import { method as locationRuleCopy } from '../../functions/location-rules/location_rule_copy.ts'
import { method as locationRuleCreate } from '../../functions/location-rules/location_rule_create.ts'
import { method as locationRuleDelete } from '../../functions/location-rules/location_rule_delete.ts'
import { method as locationRuleUpdate } from '../../functions/location-rules/location_rule_update.ts'
import { method as exchangeRateUpdate } from '../../functions/rates/exchange_rate_update.ts'
import { method as userLogin } from '../../functions/session/user_login.ts'

// Imports no vitest: a process that is killed runs this, too.

/** A request of a fighter. `answer` is missing if the process was killed before it came. */
export interface Blow {
  readonly n: number
  readonly kind: Kind
  readonly params: Params
  readonly answer?: string
}

type Params = Readonly<Record<string, string | number>>

export type Kind = Method['name'] | 'rates' | 'calls'

/** The objects of a fight belong to admin. These stay. */
export const DEVICES = [100, 500]
export const RULES = [100, 101]
const CUSTOMERS = [10, 11]
const LOCATIONS = [1, 5]
export const COPIES_GO_TO = 1
export const DEVICE_RULES = Array.from({ length: 30 }, (_, n) => 1000 + n)
export const PREFIXES = Array.from({ length: 40 }, (_, n) => String(370 + n))

const METHODS = [
  ...[deviceCreate, deviceUpdate, deviceDelete, deviceRuleCreate, deviceRuleDelete],
  ...[locationRuleCreate, locationRuleUpdate, locationRuleCopy, locationRuleDelete],
  ...[exchangeRateUpdate, userLogin],
]

export const KINDS: readonly Kind[] = [...METHODS.map(({ name }) => name), 'rates', 'calls']

/** The ids that successful answers of the kind gave. */
export const idsFrom = (journal: readonly Blow[], kind: Kind): number[] =>
  journal.flatMap(({ kind: one, answer = '' }) => {
    const id = one === kind && /<id>(\d+)<|rule_id: (\d+)/.exec(answer)
    return id ? [Number(id[1] ?? id[2])] : []
  })

type Choose = <T>(from: readonly T[]) => T | undefined

/** The nth blow is told from all others by what it writes: its number. */
function paramsOf(
  kind: Kind,
  n: number,
  { choose, journal }: { choose: Choose; journal: readonly Blow[] },
): Params {
  const device_id = choose(DEVICES) ?? 0
  const params: Readonly<Record<Kind, () => Params>> = {
    device_create: () => ({ user_id: choose(CUSTOMERS) ?? 0, description: `d${n}` }),
    device_update: () => ({ device: device_id, comment: `c${n}`, extension: extensionOf(n) }),
    device_delete: () => ({ device: choose(idsFrom(journal, 'device_create')) ?? 999 }),
    device_rule_create: () => ({ device_id, name: `r${n}`, cut: '0' }),
    device_rule_delete: () => ({ device_rule_id: choose(DEVICE_RULES) ?? 0 }),
    location_rule_create: () => ({ location_id: choose(LOCATIONS) ?? 0, name: `l${n}`, cut: n, device_id }),
    location_rule_update: () => ({ location_rule_id: choose(RULES) ?? 0, name: `u${n}`, cut: n, device_id }),
    location_rule_copy: () => ({ location_rule_id: choose(RULES) ?? 0, location_id: COPIES_GO_TO }),
    location_rule_delete: () => ({
      location_rule_id: choose(idsFrom(journal, 'location_rule_create')) ?? 999,
    }),
    exchange_rate_update: () => ({ currency: 'GBP', rate: `1.${n}1` }),
    user_login: () => ({ u: 'bob', p: choose(['password of bob', 'wrong']) ?? '' }),
    rates: () => ({ tariff_rate: n + 1 }),
    calls: () => ({ uniqueid: `f${n}`, user_id: choose(CUSTOMERS) ?? 0 }),
  }
  return { u: 'admin', ...params[kind]?.() }
}

export const extensionOf = (n: number): string => String(5_000_000 + n)

type Table = Pick<Services, 'openStore' | 'clock'>

async function strike(services: Services, { kind, params }: Blow): Promise<string> {
  if (kind === 'rates') return switchRates(services, params)
  if (kind === 'calls') return sendCall(services, params)
  const method = METHODS.find(({ name }) => name === kind)
  if (!method) throw new Error(`${kind} is not a blow`)
  const sent = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
  const body = new URLSearchParams(sent)
  const { body: answer } = await serve(method, services)(
    anEvent({ body: body.toString() }),
    aContext(280_000),
  )
  return answer
}

const DONE = 'done'

async function switchRates({ openStore, clock }: Table, { tariff_rate }: Params): Promise<string> {
  const rates = PREFIXES.map((prefix) => ({ tariff_id: '1', prefix, tariff_rate: String(tariff_rate) }))
  const done = importRows({ store: openStore(createMeter()), clock }, { rates })
  return done.then(
    () => DONE,
    (error: Error) => `<error>${error.message}</error>`,
  )
}

async function sendCall(services: Services, { uniqueid, user_id }: Params): Promise<string> {
  const record = {
    uniqueid,
    user_id,
    calldate: '2026-03-10 09:00:00',
    src: '37000001',
    dst: '37060012345',
    duration: '70',
    billsec: '60',
    hangupcause: '16',
    provider_id: '1',
    provider_price: '0.05',
    user_price: '0.1',
    reseller_price: '0.07',
  }
  const body = JSON.stringify({ type: 'calls', records: [record] })
  const event = { Records: [{ messageId: 'm', body }] } as SQSEvent
  const { batchItemFailures } = await queueConsumer('ingest_calls', services)(event)
  return batchItemFailures.length === 0 ? DONE : '<error>It is delivered again</error>'
}

export interface Fight {
  readonly seed: number
  /** The number of the first blow. */
  readonly from: number
  readonly blows: number
  readonly fighters: number
  /** Receives each blow before it is sent, and again with its answer. */
  readonly note: (blow: Blow) => void
}

/** Runs the fighters side by side. Each sends one blow after the other. Returns the blows with their answers. */
export async function fight(
  services: Services,
  { seed, from, blows, fighters, note }: Fight,
): Promise<Blow[]> {
  const journal: Blow[] = []
  const chance = seeded(seed)
  const choose: Choose = (list) => list[Math.floor(chance() * list.length)]
  let next = from
  const fighter = async () => {
    while (next < from + blows) {
      const n = next++
      const kind = choose(KINDS) ?? 'rates'
      const blow = { n, kind, params: paramsOf(kind, n, { choose, journal }) }
      note(blow)
      const answered = { ...blow, answer: await strike(services, blow) }
      journal.push(answered)
      note(answered)
    }
  }
  await Promise.all(Array.from({ length: fighters }, fighter))
  return journal
}

const NOON = Date.parse('2026-03-10T12:00:00Z')

/** Fights until the process is killed, and writes each blow to standard output. */
export async function fightUntilKilled(environment: NodeJS.ProcessEnv): Promise<void> {
  const { ENDPOINT = '', TABLE = '', SEED = '', FROM = '' } = environment
  const client = createClient({ tableName: TABLE, endpoint: ENDPOINT })
  const services: Services = {
    openStore: (meter) => createStore({ client, tableName: TABLE, meter }),
    clock: () => new Date(NOON + performance.now()),
    transport: { streams: false, maxBytes: 4_400_000 },
    random: { below: (bound) => Math.floor(Math.random() * bound) },
    log: () => {},
  }
  const note = (blow: Blow) => process.stdout.write(`${JSON.stringify(blow)}\n`)
  const [seed, from] = [Number(SEED), Number(FROM)]
  await fight(services, { seed, from, blows: Number.POSITIVE_INFINITY, fighters: 8, note })
}
