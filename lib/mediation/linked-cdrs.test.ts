import { expect, test } from 'vitest'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { anOperator, send } from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'

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

const documentOf = (...cdrs: readonly Change[]) => ({
  format: 'asterisk-json' as const,
  source: 'pbx1',
  text: cdrs.map((cdr) => JSON.stringify(cdr)).join('\n'),
})

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
  for (const cdrs of [...documents, ...documents]) await send(world, documentOf(...cdrs))

  expect(await callsOf(world)).toEqual([ONCE])
  expect(await suspenseOf(world)).toEqual([])
})

test('several Local channels of one call are one call', async () => {
  const world = await anOperator()
  const second = { ...LOCAL_CHANNEL, uniqueid: '1773136800.5' }

  expect(await send(world, documentOf(LOCAL_CHANNEL, second))).toMatchObject({ stored: 1, skipped: 1 })
  expect(await send(world, documentOf(second))).toMatchObject({ skipped: 1 })
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
      await send(world, documentOf(cdr))
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
    for (const cdr of cdrs) await send(world, documentOf(cdr))
    expect((await callsOf(world)).filter(({ billsec }) => billsec > 0)).toMatchObject([ONCE])
  }
})

test('a call of its own costs no more units with a linked id than without', async () => {
  const unitsOf = async (change: Change) => {
    const world = await anOperator()
    const before = world.meter.spent.write
    await send(world, documentOf({ ...FIRST_CHANNEL, ...change }))
    return world.meter.spent.write - before
  }

  expect(await unitsOf({})).toBe(await unitsOf({ linkedid: undefined }))
  expect((await unitsOf({ uniqueid: '1773136800.3' })) - (await unitsOf({}))).toBeLessThanOrEqual(2)
})
