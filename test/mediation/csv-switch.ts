import { listCallsWithId } from '#lib/calls/call.ts'
import { findQuickStats } from '#lib/calls/counters/call-stats.ts'
import { listPendingEvents, type PendingEvent } from '#lib/cdrs/dialogs/dialog-event.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { mediate, partsOf } from '#lib/cdrs/pipeline/pipeline.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { aWorld, type World } from '#test/world.ts'

export const DAWN = new Date('2026-03-09T00:00:00Z')
export const NOON = new Date('2026-03-10T12:00:00Z')

const operator = {
  users: people.map((person) => ({ ...person, tariff_id: '1' })),
  tariffs: [{ id: '1', name: 'Retail', owner_id: '0' }],
  providers: [{ id: '1', name: 'Potomac' }],
  rates: [rate({ prefix: '1', tariff_rate: '0.03' })],
}

/** The tariff was imported before the calls began. Files of `more` replace those of the operator. */
export const anOperator = (more: DatasetRows = {}, settings = {}): Promise<World> =>
  aWorld({ ...operator, ...more }, settings, DAWN)

/** It covers the days of all calls of this file. */
export const INVOICE_OF_BOB = {
  id: '1',
  user_id: '10',
  number: '1',
  issue_date: '2026-03-11',
  status: 'unpaid',
  price: '1',
  price_with_vat: '1',
  currency: 'USD',
}

export const CALL = {
  uniqueid: 'u1',
  start: '2026-03-10 09:00:00',
  src: '37060000001',
  dst: '12025550171',
  duration: '70',
  billsec: '60',
  disposition: 'ANSWERED',
  account_code: 'bob',
}

/** As Asterisk writes it: Bob calls a number over the carrier, which answers at once. */
export const ASTERISK_CALL = {
  accountcode: 'bob',
  src: '1001',
  dst: '12025550171',
  channel: 'PJSIP/1001-0000000a',
  dstchannel: 'PJSIP/Potomac-0000000b',
  lastapp: 'Dial',
  lastdata: 'PJSIP/12025550171@Potomac,60',
  start: '2026-03-10 10:00:00',
  duration: 60,
  billsec: 60,
  disposition: 'ANSWERED',
  uniqueid: '1773136800.10',
}

type Said = Partial<Record<keyof typeof CALL | 'provider' | 'userfield', string>>

/** A CSV of calls, its columns in an order of its own. */
export const csv = (
  calls: readonly Said[],
  order: readonly string[] = [...Object.keys(CALL), 'provider'],
): string => {
  const rows = calls.map((change) => {
    const said: Readonly<Record<string, string>> = { ...CALL, provider: '', ...change }
    return order.map((name) => said[name] ?? '').join(',')
  })
  return [order.join(','), ...rows].join('\n')
}

export const send = (world: World, ...documents: readonly (string | Partial<CdrDocument>)[]) =>
  sendDocuments(
    world,
    documents.map((one) => ({
      format: 'csv' as const,
      source: 'gw',
      zone: 'UTC',
      text: '',
      ...(typeof one === 'string' ? { text: one } : one),
    })),
  )

/** Mediates whole documents at the present moment of the world. */
export async function sendDocuments({ store, now }: World, documents: readonly CdrDocument[]) {
  const mediation = await openMediation(store, now)
  return mediate(mediation, partsOf(mediation, documents))
}

export const stored = async (world: World, id = 'u1') =>
  (await listCallsWithId(world.store, id)).map(({ dst, billsec, user_price, version }) => ({
    dst,
    billsec,
    user_price,
    version,
  }))

export const reasonsOf = async (world: World) => (await suspenseOf(world)).map(({ reason }) => reason)

export const pendingEventsOf = ({ store }: World): Promise<PendingEvent[]> =>
  Array.fromAsync(listPendingEvents(store))

export const revenue = async ({ store }: World) =>
  (await findQuickStats(store, 'everyone', '2026-03-10')).today.revenue

export const FIRST_CALL = { dst: '12025550171', billsec: 60, user_price: '0.03', version: 1 }

export const zoeAppears = (world: World) =>
  world.given({ users: [{ ...operator.users.find(({ id }) => id === '10'), id: '77', username: 'zoe' }] })

const MORNING = Date.UTC(2026, 2, 10, 9) / 1000

/** A dialog event of Kamailio, for Bob unless the change names another account. */
export const dialogEvent = (
  method: string,
  sip_code: string,
  seconds: number,
  change: Readonly<Record<string, string>> = {},
): string =>
  JSON.stringify({
    time: MORNING + seconds,
    method,
    callid: 'd1',
    from_tag: 'a',
    to_tag: 'b',
    sip_code,
    sip_reason: 'x',
    src_user: '37060000001',
    dst_user: '12025550171',
    accountcode: 'bob',
    ...change,
  })

export const kamailioDocument = (...events: readonly string[]) =>
  ({ format: 'kamailio-json', text: events.join('\n') }) as const

/** CDRs of Asterisk as its own JSON has them. */
export const asteriskDocument = (...cdrs: readonly object[]) => ({
  ...({ format: 'asterisk-json', source: 'pbx1' } as const),
  text: cdrs.map((cdr) => JSON.stringify(cdr)).join('\n'),
})

/** A document of a number of calls of Bob, each with its INVITE and its BYE after a minute. */
export const dialogsDocument = (count: number): string =>
  Array.from({ length: count }, (_, n) => [
    dialogEvent('INVITE', '200', n, { callid: `${n}@x` }),
    dialogEvent('BYE', '200', n + 60, { callid: `${n}@x` }),
  ])
    .flat()
    .join('\n')

/** The INVITE and the BYE of a call of Zoe, whose account appears later. */
export const zoesDialog: readonly string[] = [
  dialogEvent('INVITE', '200', 0, { accountcode: 'zoe' }),
  dialogEvent('BYE', '200', 60, { accountcode: 'zoe' }),
]
