import { expect, test } from 'vitest'
import { DAY_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import type { CallRow } from '#lib/calls/call.ts'
import { readSettings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { anOperator, asteriskDocument, INVOICE_OF_BOB, reasonsOf, send } from '#test/mediation/csv-switch.ts'
import { openVersion } from '#test/mediation/versions.ts'
import type { World } from '#test/world.ts'
import { repeatsOf } from './linked-cdrs.ts'

const FIRST_CHANNEL = {
  accountcode: 'bob',
  src: '1001',
  dst: '12025550171',
  channel: 'PJSIP/bobs-phone-00000001',
  dstchannel: 'Local/12025550171@out-00000001;1',
  start: '2026-03-10 10:00:00',
  duration: 70,
  billsec: 60,
  disposition: 'ANSWERED',
  uniqueid: '1773136800.1',
  linkedid: '1773136800.1',
}

const LOCAL_CHANNEL = {
  ...FIRST_CHANNEL,
  channel: 'Local/12025550171@out-00000001;2',
  dstchannel: 'PJSIP/potomac-00000002',
  start: '2026-03-10 10:00:01',
  duration: 69,
  uniqueid: '1773136800.3',
}

type Change = Readonly<Record<string, unknown>>

const callsOf = async (world: World) =>
  callsIn(await world.dump()).map(({ billsec, user_price }) => ({ billsec, user_price }))

const ONCE = { billsec: 60, user_price: '0.03' }

test.each([
  ['in one document', [[FIRST_CHANNEL, LOCAL_CHANNEL]]],
  ['in one document, the Local channel first', [[LOCAL_CHANNEL, FIRST_CHANNEL]]],
  ['in two documents', [[FIRST_CHANNEL], [LOCAL_CHANNEL]]],
  ['in two documents, the Local channel first', [[LOCAL_CHANNEL], [FIRST_CHANNEL]]],
])('a Local channel and the channel that called it are one call (%s)', async (_which, documents) => {
  const world = await anOperator()
  for (const _delivery of ['first', 'again']) {
    for (const cdrs of documents) await send(world, asteriskDocument(...cdrs))
    expect(await callsOf(world)).toEqual([ONCE])
    expect(await suspenseOf(world)).toEqual([])
  }
})

test("a first channel's CDR that comes 29 days later is the linked call, too", async () => {
  const world = await anOperator()
  await send(world, asteriskDocument(LOCAL_CHANNEL))
  world.now = new Date(world.now.getTime() + 29 * DAY_SECONDS * 1000)
  const isExpired = ({ expires_at }: Item) => Number(expires_at) < secondsOf(world.now)
  await world.store.removeBatch((await world.dump()).filter(isExpired))

  await send(world, asteriskDocument(FIRST_CHANNEL))
  expect(await callsOf(world)).toEqual([ONCE])
})

test("a first channel's CDR corrects the earlier linked call, except on an invoiced day", async () => {
  for (const isInvoiced of [false, true]) {
    const world = await anOperator()
    await send(world, asteriskDocument(LOCAL_CHANNEL))
    if (isInvoiced) await world.given({ invoices: [INVOICE_OF_BOB] })

    expect(await send(world, asteriskDocument(FIRST_CHANNEL))).toMatchObject({
      stored: 0,
      ...(isInvoiced ? { suspended: 1 } : { corrected: 1 }),
    })
    expect(await callsOf(world)).toEqual([ONCE])
    expect(await reasonsOf(world)).toEqual(isInvoiced ? ['invoiced'] : [])
  }
})

test('Local channels of several calls each repeat their own; without an account they suspend', async () => {
  const world = await anOperator()
  const other = { start: '2026-03-10 11:00:00', linkedid: '1773140400.1' }
  const [firstOfOther, localOfOther] = [
    { ...FIRST_CHANNEL, ...other, uniqueid: '1773140400.1' },
    { ...LOCAL_CHANNEL, ...other, uniqueid: '1773140400.3' },
  ]
  const nobodys = { accountcode: 'nobody', linkedid: '1773144000.1' }
  const [firstOfNobody, localOfNobody] = [
    { ...FIRST_CHANNEL, ...nobodys, uniqueid: '1773144000.1' },
    { ...LOCAL_CHANNEL, ...nobodys, uniqueid: '1773144000.3' },
  ]
  await send(world, asteriskDocument(FIRST_CHANNEL, firstOfOther))

  expect(
    await send(world, asteriskDocument(LOCAL_CHANNEL, localOfOther, localOfNobody, firstOfNobody)),
  ).toMatchObject({ stored: 0, skipped: 2, suspended: 2 })
  expect(await reasonsOf(world)).toEqual(['unknown_account', 'unknown_account'])
  expect(await callsOf(world)).toEqual([ONCE, ONCE])
})

test('several Local channels of one call are one call', async () => {
  const world = await anOperator()
  const second = { ...LOCAL_CHANNEL, uniqueid: '1773136800.5' }

  expect(await send(world, asteriskDocument(LOCAL_CHANNEL, second))).toMatchObject({ stored: 1, skipped: 1 })
  expect(await send(world, asteriskDocument(second))).toMatchObject({ skipped: 1 })
  expect(await callsOf(world)).toMatchObject([ONCE])
})

test.each([
  ['of another account', { accountcode: 'dave' }],
  ['to another number', { dst: '12025550172' }],
  ['after its end', { start: '2026-03-10 10:01:11' }],
  ['with another linked id', { linkedid: '1773136800.9' }],
  [
    'of the same channel',
    { uniqueid: FIRST_CHANNEL.uniqueid, linkedid: FIRST_CHANNEL.linkedid, src: '1002' },
  ],
])('a call %s is a call of its own, whichever comes first', async (_which, change) => {
  for (const order of [(cdrs: Change[]) => cdrs, (cdrs: Change[]) => cdrs.toReversed()]) {
    const world = await anOperator()
    for (const cdr of order([FIRST_CHANNEL, { ...LOCAL_CHANNEL, ...change }])) {
      await send(world, asteriskDocument(cdr))
    }
    expect(await callsOf(world)).toHaveLength(2)
  }
})

const UNANSWERED = { disposition: 'NO ANSWER', billsec: 0 }

test('an unanswered CDR does not stand for an answered one', async () => {
  for (const cdrs of [
    [{ ...FIRST_CHANNEL, ...UNANSWERED }, LOCAL_CHANNEL],
    [LOCAL_CHANNEL, { ...FIRST_CHANNEL, ...UNANSWERED }],
    [FIRST_CHANNEL, { ...LOCAL_CHANNEL, ...UNANSWERED }],
  ]) {
    const world = await anOperator()
    for (const cdr of cdrs) await send(world, asteriskDocument(cdr))
    expect((await callsOf(world)).filter(({ billsec }) => billsec > 0)).toMatchObject([ONCE])
  }
})

test('a CDR without a linked id is not looked up among the linked calls of its switch', async () => {
  const world = await anOperator()
  await send(world, asteriskDocument(LOCAL_CHANNEL))
  const readBy = async (change: Change) => {
    const before = world.meter.spent.requests
    await send(world, asteriskDocument({ ...FIRST_CHANNEL, dst: '12025550172', ...change }))
    return world.meter.spent.requests - before
  }

  expect(await readBy({ uniqueid: '9.1', linkedid: undefined })).toBeLessThan(
    await readBy({ uniqueid: '9.2', linkedid: '9.2' }),
  )
})

test('a call of its own costs no more units with a linked id than without', async () => {
  const unitsOf = async (change: Change) => {
    const world = await anOperator()
    const before = world.meter.spent.write
    await send(world, asteriskDocument({ ...FIRST_CHANNEL, ...change }))
    return world.meter.spent.write - before
  }

  expect(await unitsOf({})).toBe(await unitsOf({ linkedid: undefined }))
  expect((await unitsOf({ uniqueid: '1773136800.3' })) - (await unitsOf({}))).toBeLessThanOrEqual(2)
})

const versionOf = (uniqueid: string, columns: Partial<CallRow> = {}) =>
  openVersion({}, { uniqueid, ...columns })

/** The unique ids of the CDRs that repeat a call, each with that of the call. */
const repeatedIn = (stored: readonly CallRow[], ...columns: readonly Partial<CallRow>[]) => {
  const group = columns.map((some, index) => versionOf(`u${index + 2}`, some))
  const repeats = repeatsOf(readSettings({}), stored, group)
  return repeats.map(({ version, call }) => [version.row.uniqueid, call.uniqueid])
}

const { resolved: STORED } = versionOf('u1')
const END = STORED.calldate + STORED.duration

test.each([
  ['at the same time', {}],
  ['from the last second on', { calldate: END }],
  ['until the first second', { calldate: STORED.calldate - 30, duration: 30 }],
  ['to the number as the account dials it', { dst: `00${STORED.dst}` }],
  ['without an answer', UNANSWERED],
])('a linked CDR %s repeats the stored call', (_which, columns) => {
  expect(repeatedIn([STORED], columns)).toEqual([['u2', 'u1']])
})

test.each([
  ['that begins after its end', { calldate: END + 1 }],
  ['that ends before its start', { calldate: STORED.calldate - 31, duration: 30 }],
  ['to another number', { dst: '12025550172' }],
])('a linked CDR %s is not a repetition of the stored call', (_which, columns) => {
  expect(repeatedIn([STORED], columns)).toEqual([])
})

test('an unanswered call is repeated by unanswered CDRs only', () => {
  const unanswered = { ...STORED, ...UNANSWERED }

  expect(repeatedIn([unanswered], {}, UNANSWERED)).toEqual([['u3', 'u1']])
})

test('of linked CDRs, the first answered one is the call, wherever it comes', () => {
  expect(repeatedIn([], UNANSWERED, {}, UNANSWERED, {})).toEqual([
    ['u5', 'u3'],
    ['u2', 'u3'],
    ['u4', 'u3'],
  ])
})

test('a CDR that repeats a call does not make the call longer', () => {
  const last = { calldate: END - 10 }

  expect(repeatedIn([STORED], last, { calldate: END + 50 })).toEqual([['u2', 'u1']])
})

test('the CDR of a call does not repeat that call, and neither does one of another customer', () => {
  const { resolved: other } = versionOf('u9')

  expect(repeatedIn([versionOf('u2').resolved], {})).toEqual([])
  expect(repeatedIn([{ ...other, user_id: 11 }], {})).toEqual([])
})
