import { expect, test } from 'vitest'
import type { CallRow } from '#lib/calls/call.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { withIndexesBehind } from '#test/faults/indexes-behind.ts'
import { anOperator, csv, INVOICE_OF_BOB, send } from '#test/mediation/csv-switch.ts'
import { demoDocument } from '#test/mediation/switch-documents.ts'
import { openVersion } from '#test/mediation/versions.ts'
import type { World } from '#test/world.ts'
import { identityKindKey } from './identity-kinds.ts'
import { repeatsAmong } from './possible-duplicates.ts'

const CDR = {
  accountcode: 'bob',
  src: '1001',
  dst: '12025550171',
  channel: 'PJSIP/1001-00000001',
  dstchannel: 'PJSIP/potomac-00000002',
  start: '2026-03-10 10:00:00',
  duration: '70',
  billsec: '60',
  disposition: 'ANSWERED',
}

const BY_CONTENT = {}
const BY_ID = { uniqueid: '1773136800.1' }
const BY_PART = { uniqueid: '1773136800.1', sequence: '5' }

type Change = Readonly<Record<string, string>>

const json = (...cdrs: readonly Change[]) => ({
  format: 'asterisk-json' as const,
  source: 'pbx1',
  text: cdrs.map((cdr) => JSON.stringify({ ...CDR, ...cdr })).join('\n'),
})

const reasonsIn = async (world: World) => (await suspenseOf(world)).map(({ reason }) => reason)

const seconds = async (world: World) => callsIn(await world.dump()).map(({ billsec }) => billsec)

test.each([
  ['without and with loguniqueid', BY_CONTENT, BY_ID],
  ['with and without loguniqueid', BY_ID, BY_CONTENT],
  ['as Master.csv and as JSON', BY_ID, BY_PART],
  ['as JSON and as Master.csv', BY_PART, BY_ID],
  ['as JSON and without a unique id', BY_PART, BY_CONTENT],
])('a switch that is read %s bills its calls once, and the operator is told', async (_which, one, other) => {
  const together = await anOperator()
  expect(await send(together, json(one, other))).toMatchObject({ stored: 1, suspended: 1 })

  const world = await anOperator()
  await send(world, json(one))
  expect(await send(world, json(other))).toMatchObject({ stored: 0, suspended: 1 })
  expect(await reasonsIn(world)).toEqual(['possible_duplicate'])
  expect(await seconds(world)).toEqual([60])
  expect(await send(world, json(one))).toMatchObject({ duplicate: 1 })
})

test.each([
  ['another start', { start: '2026-03-10 10:00:01' }],
  ['other seconds', { billsec: '61' }],
  ['another number', { dst: '12025550172' }],
  ['another caller', { src: '1002' }],
  ['another customer', { accountcode: 'dave' }],
  ['no answer', { disposition: 'NO ANSWER', billsec: '0' }],
])('a CDR of another kind with %s is a call of its own', async (_what, change) => {
  const world = await anOperator()
  await send(world, json(BY_CONTENT))

  expect(await send(world, json({ ...BY_ID, ...change }))).toMatchObject({ stored: 1 })
})

test('equal calls with identities of one kind are two calls', async () => {
  const world = await anOperator()
  await send(world, json(BY_ID))
  await send(world, json({ uniqueid: '9', sequence: '1', dst: '12025550172' }))

  expect(await send(world, json({ uniqueid: '1773136800.2' }))).toMatchObject({ stored: 1 })
  expect(await send(world, json({ uniqueid: '1773136800.3', sequence: '1' }))).toMatchObject({ stored: 1 })
})

test('an unanswered CDR does not repeat an answered call of no seconds', async () => {
  const world = await anOperator()
  await send(world, json({ ...BY_ID, billsec: '0' }))

  const unanswered = { ...BY_PART, billsec: '0', disposition: 'NO ANSWER' }
  expect(await send(world, json(unanswered))).toMatchObject({ stored: 1, suspended: 0 })
})

test('equal calls of two switches are two calls', async () => {
  const world = await anOperator()
  await send(world, json(BY_ID))

  expect(await send(world, { ...json(BY_PART), source: 'pbx2' })).toMatchObject({ stored: 1 })
})

test("two switches' equal ids are looked up for each: nothing is taken back on an invoiced day", async () => {
  const ofBoth = (change: Change) => [json(change), { ...json(change), source: 'pbx2' }]
  const world = await anOperator()
  await send(world, ...ofBoth(BY_ID))
  await world.given({ invoices: [INVOICE_OF_BOB] })

  expect(await send(withIndexesBehind(world), ...ofBoth(BY_PART))).toMatchObject({ stored: 0, suspended: 2 })
})

test('two records of one call are one call on an invoiced day too, where no call is taken back', async () => {
  const world = await anOperator()
  await world.given({ invoices: [INVOICE_OF_BOB] })

  expect(await send(world, json(BY_ID, BY_PART))).toMatchObject({ stored: 1, suspended: 1 })
  expect((await suspenseOf(world)).map(({ detail }) => detail)).toEqual([
    'a call with the same start, numbers and seconds is stored as 1773136800.1: the switch is read in two ways',
  ])
})

const kindsOf = async (world: World, source: string) =>
  (await world.store.list({ partition: identityKindKey.partition(source) })).map(({ SK }) => SK)

test("each switch's kinds of identity are noted, unless it has only one", async () => {
  const world = await anOperator()
  const text = demoDocument('freeswitch.ndjson')
  await send(
    world,
    json(BY_ID),
    { ...json(BY_PART), source: 'pbx2' },
    { source: 'gw', text: csv([{ uniqueid: ' ' }]) },
    { format: 'freeswitch-json', source: 'fs1', text },
  )

  expect(await kindsOf(world, 'pbx1')).toEqual(['id'])
  expect(await kindsOf(world, 'pbx2')).toEqual(['part'])
  expect(await kindsOf(world, 'gw')).toEqual(['content'])
  expect(await kindsOf(world, 'fs1')).toEqual([])

  await send(world, json(BY_PART))
  expect(await kindsOf(world, 'pbx1')).toEqual(['id', 'part'])
})

test('the calls of a switch with one kind of identity are not looked up; it is written once', async () => {
  const world = await anOperator()
  const costOfCall = async (minute: number) => {
    const before = { ...world.meter.spent }
    await send(world, json({ uniqueid: `1773136900.${minute}`, start: `2026-03-10 10:1${minute}:00` }))
    return { read: world.meter.spent.read - before.read, write: world.meter.spent.write - before.write }
  }
  await costOfCall(0)
  const ofOneKind = await costOfCall(1)
  await world.store.removeBatch([identityKindKey('pbx1', 'id')])
  const ofNoKind = await costOfCall(2)
  await send(world, json({ ...BY_PART, dst: '12025550172' }))
  const ofTwoKinds = await costOfCall(3)

  expect(ofNoKind.write).toBe(ofOneKind.write + 1)
  expect(ofTwoKinds.write).toBe(ofOneKind.write)
  expect(ofOneKind.read).toBeLessThan(ofNoKind.read)
  expect(ofOneKind.read).toBeLessThan(ofTwoKinds.read)
})

test('a call that was stored before the kinds of its switch were noted is not billed twice', async () => {
  const world = await anOperator()
  await send(world, json(BY_ID))
  await world.store.removeBatch([identityKindKey('pbx1', 'id')])

  expect(await send(world, json(BY_PART))).toMatchObject({ stored: 0, suspended: 1 })
})

test("a channel's second call has an id alone, although start and numbers tell it apart", async () => {
  const world = await anOperator()
  const second = { start: '2026-03-10 10:01:10', dst: '12025550172' }
  await send(world, json(BY_ID), json({ ...BY_ID, ...second }))

  expect(await send(world, json({ ...BY_PART, ...second }))).toMatchObject({ stored: 0, suspended: 1 })
  expect((await suspenseOf(world)).map(({ detail }) => detail)).toEqual([
    expect.stringContaining('is stored as 1773136800.1 (1773136870 1001 12025550172): the switch'),
  ])
})

const START = Date.UTC(2026, 2, 10, 10) / 1000

const call = (change: Partial<CallRow> = {}): CallRow =>
  openVersion({ start: START, src: '1001' }, { source: 'pbx1', ...change }).resolved

/** The CDRs among these that repeat a call, each with the call that it made and the call that it repeats. */
const repeatsOf = (stored: readonly CallRow[], ...rows: readonly CallRow[]) =>
  repeatsAmong(
    stored,
    rows.map((row) => openVersion({}, row)),
    { International_Prefix: '00', National_Prefix: '', Country_Code: '' },
  ).map(({ own, call: repeated }) => ({ own, repeated }))

const OF_PART = call({ source_part: '5' })
const OF_CONTENT = call({ uniqueid: 'made-1' })

test('a CDR repeats the stored call of another kind, or the CDR before it', () => {
  expect(repeatsOf([call()], OF_PART, OF_CONTENT)).toEqual([
    { own: undefined, repeated: call() },
    { own: undefined, repeated: call() },
  ])
  expect(repeatsOf([], call(), OF_PART)).toEqual([{ own: undefined, repeated: call() }])
  expect(repeatsOf([OF_CONTENT], call())).toEqual([{ own: undefined, repeated: OF_CONTENT }])
})

test('a CDR that was stored itself repeats the other call, and makes no call for the next CDR', () => {
  expect(repeatsOf([call(), OF_PART], OF_PART)).toEqual([{ own: OF_PART, repeated: call() }])
  expect(repeatsOf([call()], call())).toEqual([])
  const unanswered = call({ disposition: 'NO ANSWER', billsec: 0 })
  expect(repeatsOf([unanswered, OF_PART], call())).toEqual([{ own: undefined, repeated: OF_PART }])
})

test('a later call of a channel is found by its start and numbers', () => {
  const stored = call({ source_part: `${START} 1001 12025550171` })

  expect(repeatsOf([stored, OF_PART], call())).toEqual([{ own: stored, repeated: OF_PART }])
  for (const other of [{ source: 'pbx2' }, { uniqueid: 'u2' }, { dst: '12025550172' }])
    expect(repeatsOf([call({ ...stored, ...other }), OF_PART], call())).toEqual([
      { own: undefined, repeated: OF_PART },
    ])
})

test.each([
  ['of another switch', { source: 'pbx2' }],
  ['with another start', { calldate: START + 1 }],
  ['of another caller', { src: '1002' }],
  ['to another number', { dst: '12025550172' }],
  ['of other seconds', { billsec: 61 }],
  ['with another unique id', { uniqueid: 'u2' }],
  ['without an answer', { disposition: 'NO ANSWER', billsec: 0 }],
  ['of the same kind', { source_part: '6' }],
])('a call %s is not repeated', (_which, change) => {
  expect(repeatsOf([call(change)], OF_PART)).toEqual([])
})

const WITHOUT_ID = { uniqueid: '', src: '0037060000001', dst: '0012025550171' }

const sentBy = (world: World, source: string, change: Parameters<typeof csv>[0][number]) =>
  send(world, { source, text: csv([{ ...WITHOUT_ID, ...change }]) })

test.each<[string, Parameters<typeof csv>[0][number]]>([
  ['the numbers with +', { src: '+37060000001', dst: '+12025550171' }],
  ['the bare numbers', { src: '37060000001', dst: '12025550171' }],
  ['signs in the number', { dst: '00 1 (202) 555-0171' }],
  ['a URI', { dst: 'sip:+12025550171@gw.example' }],
  [
    'another form of the moment and the lengths',
    { start: '2026-03-10T09:00:00Z', duration: '1:10', billsec: '60.0' },
  ],
  ['another account code of the customer', { account_code: '10' }],
  ['another word for answered', { disposition: 'OK' }],
])('a CDR without a unique id that comes again with %s is a duplicate', async (_what, change) => {
  const world = await anOperator()
  await world.set({ International_Prefix: '00' })
  await sentBy(world, 'gw', {})

  for (const again of [change, {}, change])
    expect(await sentBy(world, 'gw', again)).toMatchObject({ stored: 0, duplicate: 1, suspended: 0 })
  expect(await seconds(world)).toEqual([60])
})

test('a CDR without a unique id from another source is suspended, in one batch too', async () => {
  const world = await anOperator()
  await world.set({ International_Prefix: '00' })
  await sentBy(world, 'gw', {})

  expect(await sentBy(world, 'gw2', { dst: '+12025550171' })).toMatchObject({ stored: 0, suspended: 1 })
  expect((await suspenseOf(world)).map(({ reason, detail }) => [reason, detail])).toEqual([
    ['possible_duplicate', expect.stringMatching(/stored as made-\w+: it came from gw, too$/)],
  ])
  const text = (dst: string) => csv([{ ...WITHOUT_ID, dst, start: '2026-03-10 10:00:00' }])
  const both = [text('+12025550171'), text('12025550171')].map((one) => ({ source: 'gw3', text: one }))
  expect(await send(world, ...both)).toMatchObject({ stored: 1, duplicate: 1 })
  expect(await seconds(world)).toEqual([60, 60])
})

test.each<[string, Parameters<typeof csv>[0][number]]>([
  ['another second', { start: '2026-03-10 09:00:01' }],
  ['another length', { billsec: '61' }],
  ['another duration', { duration: '71' }],
  ['another number', { dst: '0012025550172' }],
  ['another caller', { src: '0037060000002' }],
  ['another customer', { account_code: 'dave' }],
])('a CDR without a unique id with %s is a call of its own', async (_what, change) => {
  const world = await anOperator()
  await world.set({ International_Prefix: '00' })
  await sentBy(world, 'gw', {})

  expect(await sentBy(world, 'gw', change)).toMatchObject({ stored: 1 })
  expect(await sentBy(world, 'gw2', change)).toMatchObject({ stored: 0, suspended: 1 })
})

test('two consumers of one call without a unique id store it once', async () => {
  const world = await anOperator()
  await world.set({ International_Prefix: '00' })

  await Promise.all([sentBy(world, 'gw', {}), sentBy(world, 'gw', { dst: '+12025550171' })])
  expect(await seconds(world)).toEqual([60])
})
