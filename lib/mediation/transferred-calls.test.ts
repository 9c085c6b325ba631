import { expect, test } from 'vitest'
import { openMediation } from '#lib/mediation/mediation.ts'
import { retryBatches } from '#lib/mediation/retry.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { ASTERISK_CALL, anOperator, send } from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'

const CALL = { ...ASTERISK_CALL, linkedid: '1773136800.8' }

/** Bob connects the carrier's channel with that of an earlier call to another phone. */
const REST = {
  ...CALL,
  accountcode: '',
  src: '1003',
  dst: '',
  channel: 'PJSIP/1003-00000009',
  lastapp: 'AppDial',
  lastdata: '(Outgoing Line)',
  start: '2026-03-10 10:01:00',
  duration: 120,
  billsec: 120,
  uniqueid: '1773136800.9',
}

const FIRST = {
  ...CALL,
  dst: '1003',
  dstchannel: 'PJSIP/1003-00000009',
  lastdata: 'PJSIP/1003,20',
  start: '2026-03-10 09:59:00',
  uniqueid: '1773136800.8',
}

type Change = Readonly<Record<string, unknown>>

const documentOf = (...cdrs: readonly Change[]) => ({
  format: 'asterisk-json' as const,
  source: 'pbx1',
  text: cdrs.map((cdr) => JSON.stringify(cdr)).join('\n'),
})

const abroad = async (world: World) =>
  callsIn(await world.dump())
    .filter(({ dst }) => dst === CALL.dst)
    .map(({ user_id, billsec, user_price }) => ({ user_id, billsec, user_price }))

const PARTS = [
  { user_id: 10, billsec: 60, user_price: '0.03' },
  { user_id: 10, billsec: 120, user_price: '0.06' },
]

test.each([
  ['in one document', [[FIRST, CALL, REST]]],
  ['in one document, the rest first', [[REST, FIRST, CALL]]],
  ['in several documents', [[FIRST], [CALL], [REST]]],
])('the rest of a transferred call is billed like the call, once (%s)', async (_which, documents) => {
  const world = await anOperator()
  for (const cdrs of [...documents, ...documents]) await send(world, documentOf(...cdrs))

  expect(await abroad(world)).toEqual(PARTS)
  expect(await suspenseOf(world)).toEqual([])
})

test('the rest of a call that is not stored yet is suspended, and billed by a retry', async () => {
  const world = await anOperator()
  await send(world, documentOf(REST))

  expect(await suspenseOf(world)).toMatchObject([
    {
      reason: 'unknown_account',
      detail: 'the call that PJSIP/Potomac-0000000b was dialled for is no stored call: retry when it is',
    },
  ])
  await send(world, documentOf(FIRST, CALL))
  const mediation = await openMediation(world.store, world.now)
  await retryBatches(mediation, { reasons: ['unknown_account'], after: '' }, () => true)

  expect(await abroad(world)).toEqual(PARTS)
  expect(await suspenseOf(world)).toEqual([])
})

test('a rest that could belong to several calls is suspended', async () => {
  const world = await anOperator()
  const other = { ...CALL, dst: '12025550172', dstchannel: 'PJSIP/Potomac-0000000c', uniqueid: '9.1' }
  await send(world, documentOf(FIRST, CALL, { ...other, lastdata: 'PJSIP/12025550172@Potomac' }))

  expect(await send(world, documentOf(REST))).toMatchObject({ suspended: 1 })
})

test.each([
  ['a Local channel was dialled and optimised away', { lastdata: 'Local/12025550171@out' }],
  ['another application called the carrier', { lastapp: 'Queue', lastdata: 'support' }],
])('a CDR has a call of its own if %s', async (_what, change) => {
  const world = await anOperator()

  expect(await send(world, documentOf({ ...CALL, ...change }))).toMatchObject({ stored: 1 })
})

/** Nobody says whether Thames is a carrier or a phone that picked the call up. */
const OF_UNKNOWN_PEER = {
  ...CALL,
  dst: '1003',
  dstchannel: 'PJSIP/thames-0000000c',
  lastdata: 'PJSIP/1003',
  linkedid: CALL.uniqueid,
}

test.each([
  ['is called by Dial for another one', OF_UNKNOWN_PEER],
  ['was dialled', { ...OF_UNKNOWN_PEER, lastapp: 'AppDial', dst: '' }],
  [
    'is the channel of a linked CDR',
    { ...OF_UNKNOWN_PEER, channel: 'PJSIP/thames-1', linkedid: '1773136800.8' },
  ],
])(
  'the rest of a call over a peer that %s is suspended, and not free, until the peer is known',
  async (_how, cdr) => {
    const world = await anOperator()
    expect(await send(world, documentOf(cdr))).toMatchObject({ suspended: 1 })
    const [entry] = await suspenseOf(world)
    expect(entry).toMatchObject({
      reason: 'unknown_account',
      detail: expect.stringContaining('is no device and no provider'),
    })
  },
)

test('the call to a peer that is a device is internal', async () => {
  const world = await anOperator()
  await world.given({ devices: [{ id: '60', user_id: '10', name: 'thames', extension: '1003' }] })

  expect(await send(world, documentOf(OF_UNKNOWN_PEER))).toMatchObject({ stored: 1 })
})
