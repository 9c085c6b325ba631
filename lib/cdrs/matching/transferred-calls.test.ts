import { expect, test } from 'vitest'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { withIndexesBehind } from '#test/faults/indexes-behind.ts'
import { ASTERISK_CALL, anOperator, asteriskDocument, send } from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { retryBatches } from '../pipeline/retry.ts'

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

/** The other phone transfers the carrier's channel once more. */
const REST_OF_REST = {
  ...REST,
  channel: 'PJSIP/1004-0000000f',
  start: '2026-03-10 10:03:00',
  duration: 30,
  billsec: 30,
  uniqueid: '1773136800.15',
  linkedid: '1773136800.8',
}

type Change = Readonly<Record<string, unknown>>

const abroad = async (world: World) =>
  callsIn(await world.dump())
    .filter(({ dst }) => dst === CALL.dst)
    .map(({ user_id, billsec, user_price }) => ({ user_id, billsec, user_price }))
    .sort((one, other) => one.billsec - other.billsec)

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
  for (const _delivery of ['first', 'again']) {
    for (const cdrs of documents) await send(world, asteriskDocument(...cdrs))
    expect(await abroad(world)).toEqual(PARTS)
    expect(await suspenseOf(world)).toEqual([])
  }
})

test.each([
  ['one document', [[FIRST, CALL, REST, REST_OF_REST]]],
  ['one document, the last one first', [[REST_OF_REST, REST, CALL, FIRST]]],
  ['several documents', [[FIRST], [CALL], [REST], [REST_OF_REST]]],
])('a call that is transferred twice is billed to its end, in %s', async (_which, documents) => {
  const world = await anOperator()
  for (const cdrs of documents) await send(world, asteriskDocument(...cdrs))

  expect(await abroad(world)).toEqual([{ user_id: 10, billsec: 30, user_price: '0.015' }, ...PARTS])
  expect(await suspenseOf(world)).toEqual([])
})

test('the call behind two transfers is the one before the first, whatever the CDR between says', async () => {
  const world = await anOperator()
  const between = { ...REST, accountcode: 'dave', dst: '12025550172' }
  await send(world, asteriskDocument(FIRST, CALL, between, REST_OF_REST))

  expect(await abroad(world)).toEqual([{ user_id: 10, billsec: 30, user_price: '0.015' }, ...PARTS])
})

test.each([
  ['over another channel', { dstchannel: 'PJSIP/Potomac-00000099' }],
  ['after a while', { start: '2026-03-10 10:03:10' }],
])('the rest of a rest is suspended if it goes on %s', async (_how, change) => {
  const world = await anOperator()

  expect(
    await send(world, asteriskDocument(FIRST, CALL, REST, { ...REST_OF_REST, linkedid: '', ...change })),
  ).toMatchObject({ stored: 3, suspended: 1 })
})

test("CDRs' carriers are looked up once, unless a transfer may have joined their channels", async () => {
  const world = await anOperator()
  let lookups = 0
  const getMany: World['store']['getMany'] = (keys, consistency) => {
    if (keys.some(({ PK }) => PK.startsWith('PROVIDERNAME#'))) lookups += 1
    return world.store.getMany(keys, consistency)
  }
  await send(
    { ...world, store: { ...world.store, getMany } },
    asteriskDocument({ ...CALL, linkedid: CALL.uniqueid }),
  )

  expect(lookups).toBe(1)
})

test('a call that comes with its rest is found although the indexes are behind', async () => {
  const world = await anOperator()
  const otherCall = {
    ...CALL,
    dst: '12025550172',
    lastdata: 'PJSIP/12025550172@Potomac,60',
    dstchannel: 'PJSIP/Potomac-0000000c',
    uniqueid: '9.1',
  }
  await send(withIndexesBehind(world), asteriskDocument(FIRST, otherCall, CALL, REST))

  expect(await abroad(world)).toEqual(PARTS)
})

test('a call that comes with the rest of another one does not hide the stored call', async () => {
  const world = await anOperator()
  await send(world, asteriskDocument(FIRST, CALL))
  await send(world, asteriskDocument({ ...CALL, start: '2026-03-10 11:00:00', uniqueid: '9.1' }, REST))

  expect((await abroad(world)).map(({ billsec }) => billsec)).toEqual([60, 60, 120])
  expect(await suspenseOf(world)).toEqual([])
})

test.each([
  ['names their account', { accountcode: 'bob' }],
  ['was connected with the device of theirs', { dst: 'bobs-phone' }],
])('the call is found among those of the customer if its rest %s', async (_how, change) => {
  const world = await anOperator()
  await world.given({ devices: [{ id: '60', user_id: '10', name: 'bobs-phone', extension: '1005' }] })
  await send(world, asteriskDocument(CALL))
  await send(world, asteriskDocument({ ...REST, linkedid: '', ...change }))

  expect(await abroad(world)).toEqual(PARTS)
})

test('the rest of a call that is not stored yet is suspended, and billed by a retry', async () => {
  const world = await anOperator()
  await send(world, asteriskDocument(REST))

  expect(await suspenseOf(world)).toMatchObject([
    {
      reason: 'unknown_account',
      detail: 'the call that PJSIP/Potomac-0000000b was dialled for is not stored yet: retry when it is',
    },
  ])
  await send(world, asteriskDocument(FIRST, CALL))
  const mediation = await openMediation(world.store, world.now)
  await retryBatches(mediation, { reasons: ['unknown_account'], after: '' }, () => true)

  expect(await abroad(world)).toEqual(PARTS)
  expect(await suspenseOf(world)).toEqual([])
})

test('a rest that could belong to several calls is suspended', async () => {
  const world = await anOperator()
  const other = { ...CALL, dst: '12025550172', dstchannel: 'PJSIP/Potomac-0000000c', uniqueid: '9.1' }
  await send(world, asteriskDocument(FIRST, CALL, { ...other, lastdata: 'PJSIP/12025550172@Potomac' }))

  expect(await send(world, asteriskDocument(REST))).toMatchObject({ suspended: 1 })
})

test.each([
  ['a Local channel was dialled and optimised away', { lastdata: 'Local/12025550171@out' }],
  ['another application called the carrier', { lastapp: 'Queue', lastdata: 'support' }],
])('a CDR has a call of its own if %s', async (_what, change) => {
  const world = await anOperator()

  expect(await send(world, asteriskDocument({ ...CALL, ...change }))).toMatchObject({ stored: 1 })
})

/** No CDR says whether Thames is a carrier or a phone that picked the call up. */
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
    expect(await send(world, asteriskDocument(cdr))).toMatchObject({ suspended: 1 })
    const [entry] = await suspenseOf(world)
    expect(entry).toMatchObject({
      reason: 'unknown_account',
      detail: expect.stringContaining('is neither a device nor a provider'),
    })
  },
)

test.each([
  ['without an answer costs nothing', { disposition: 'NO ANSWER', billsec: 0 }],
  ['to a phone number is rated', { dst: '12025550171' }],
])('a CDR of an unknown peer %s, and is not suspended', async (_what, change) => {
  const world = await anOperator()

  expect(await send(world, asteriskDocument({ ...OF_UNKNOWN_PEER, ...change }))).toMatchObject({ stored: 1 })
})

test('the call to a peer that is a device is internal', async () => {
  const world = await anOperator()
  await world.given({ devices: [{ id: '60', user_id: '10', name: 'thames', extension: '1003' }] })

  expect(await send(world, asteriskDocument(OF_UNKNOWN_PEER))).toMatchObject({ stored: 1 })
})

const ALONE = { ...CALL, linkedid: CALL.uniqueid }

/** Bob's phone transfers the carrier's channel by REFER: Asterisk dials as if the carrier called. */
const CARRIER_GOES_ON = {
  ...ALONE,
  accountcode: '',
  src: '12025550171',
  dst: '1003',
  channel: CALL.dstchannel,
  dstchannel: 'PJSIP/1003-0000000c',
  lastdata: 'PJSIP/1003,20',
  start: '2026-03-10 10:01:00',
  duration: 47,
  billsec: 47,
  uniqueid: '1773136800.11',
}

test.each([
  ['in one document', [[ALONE, CARRIER_GOES_ON]]],
  ['in two documents', [[ALONE], [CARRIER_GOES_ON]]],
])('a carrier that is called and transferred to a phone is billed on, %s', async (_how, documents) => {
  const world = await anOperator()
  for (const cdrs of documents) await send(world, asteriskDocument(...cdrs))

  expect(await abroad(world)).toEqual([{ user_id: 10, billsec: 47, user_price: '0.0235' }, PARTS[0]])
  expect(await suspenseOf(world)).toEqual([])
})

test('a call from a carrier whose linked id is that of no call before it is a call to the DID', async () => {
  const world = await anOperator()
  await world.given({ dids: [{ id: '9', did: '12025550100', owner_id: '0', user_id: '10' }] })
  await send(world, asteriskDocument({ ...CARRIER_GOES_ON, dst: '12025550100', linkedid: '1773136800.7' }))

  expect(callsIn(await world.dump())).toMatchObject([{ dst: '12025550100', incoming: true, user_price: '0' }])
})

test.each<[string, Change, Change]>([
  ['ended two seconds before', { duration: 58, billsec: 58 }, {}],
  ['ended two seconds after', { duration: 62, billsec: 62 }, {}],
  ['was not answered', { disposition: 'NO ANSWER', billsec: 0 }, {}],
  ['was over another carrier', { dstchannel: 'PJSIP/thames-0000000b', lastdata: '' }, {}],
  [
    'was from the carrier',
    { channel: CALL.dstchannel, dstchannel: 'PJSIP/1003-9', lastdata: 'PJSIP/1003' },
    {},
  ],
  ['was to an extension', { dst: '1004', lastdata: '' }, {}],
])('the rest of a call is none of a call that %s', async (_what, call, rest) => {
  const world = await anOperator()
  await world.given({ devices: [{ id: '60', user_id: '10', name: '1003', extension: '1003' }] })
  await send(world, asteriskDocument({ ...CALL, ...call }))

  expect(await send(world, asteriskDocument({ ...REST, linkedid: CALL.uniqueid, ...rest }))).toMatchObject({
    suspended: 1,
  })
})

test.each([59, 61])(
  'Asterisk rounds seconds: the rest of a call of %i seconds is billed',
  async (seconds) => {
    const world = await anOperator()
    await send(world, asteriskDocument({ ...CALL, duration: seconds, billsec: seconds }))
    await send(world, asteriskDocument({ ...REST, linkedid: CALL.uniqueid }))

    expect(await abroad(world)).toMatchObject([{ billsec: seconds }, { billsec: 120 }])
  },
)

test('the rest of a call of another switch is another one', async () => {
  const rest = asteriskDocument({ ...REST, accountcode: 'bob', linkedid: CALL.uniqueid })
  const ofOther = { ...asteriskDocument(CALL), source: 'pbx2' }
  const [apart, together] = [await anOperator(), await anOperator()]
  await send(apart, ofOther)

  expect(await send(apart, rest)).toMatchObject({ suspended: 1 })
  expect(await send(together, ofOther, rest)).toMatchObject({ stored: 1, suspended: 1 })
})

test('a rest that could belong to the calls of two customers is suspended', async () => {
  const world = await anOperator()
  await send(world, asteriskDocument(FIRST, CALL, { ...CALL, accountcode: 'dave', uniqueid: '9.1' }))

  expect(await send(world, asteriskDocument({ ...REST, accountcode: 'dave' }))).toMatchObject({
    suspended: 1,
  })
})

test('the rest of a call that began before midnight is found among the calls of both days', async () => {
  const world = await anOperator()
  const [first, call] = [FIRST, CALL].map((cdr) => ({ ...cdr, start: '2026-03-09 23:59:30' }))
  await send(world, asteriskDocument({ ...first, start: '2026-03-09 23:59:00' }, call ?? {}))
  await send(world, asteriskDocument({ ...REST, start: '2026-03-10 00:00:30' }))

  expect(await abroad(world)).toMatchObject(PARTS)
})

/** Bob calls a phone, which transfers him by REFER: both CDRs have the number that he is transferred to. */
const TO_PHONE = {
  ...CALL,
  uniqueid: '1773136800.20',
  linkedid: '1773136800.20',
  dstchannel: 'PJSIP/1003-0000000d',
  lastdata: 'PJSIP/1003,20',
  start: '2026-03-10 10:00:00',
  duration: 40,
  billsec: 35,
}
const TRANSFERRED = {
  ...CALL,
  uniqueid: '1773136800.20',
  linkedid: '1773136800.20',
  start: '2026-03-10 10:00:40',
}

const byNumber = async (world: World) =>
  callsIn(await world.dump())
    .map(({ dst, billsec, user_price }) => `${dst} ${billsec} ${user_price}`)
    .sort()

test('a call to a phone that transfers its caller by REFER is a call to the phone', async () => {
  const world = await anOperator()
  await world.given({ devices: [{ id: '60', user_id: '10', name: '1003', extension: '1003' }] })
  await send(world, asteriskDocument(TO_PHONE, TRANSFERRED))

  expect(await byNumber(world)).toEqual(['1003 35 0', '12025550171 60 0.03'])
})

test.each<[string, Change]>([
  ['nothing follows', { uniqueid: '1773136800.21', linkedid: '1773136800.21' }],
  ['the next call follows later', { start: '2026-03-10 10:00:42' }],
  ['the next call is to another number', { dst: '12025550172', lastdata: 'PJSIP/12025550172@Potomac' }],
  ['the next call is to a phone, too', { lastdata: 'PJSIP/1003', dstchannel: 'PJSIP/1003-0000000e' }],
  ['the next call was not answered', { disposition: 'NO ANSWER', billsec: 0 }],
  ['the next CDR is the rest of another call', { dstchannel: 'PJSIP/Potomac-9', lastdata: 'PJSIP/1009' }],
])('a phone that has a phone number is called with it if %s', async (_what, next) => {
  const world = await anOperator()
  await world.given({ devices: [{ id: '60', user_id: '10', name: '1003', extension: '1003' }] })
  await send(world, asteriskDocument(TO_PHONE, { ...TRANSFERRED, ...next }))

  expect(await byNumber(world)).toContain('12025550171 35 0.0175')
})

test('CDRs without a unique id are not those of one channel', async () => {
  const world = await anOperator()
  await world.given({ devices: [{ id: '60', user_id: '10', name: '1003', extension: '1003' }] })
  await send(world, asteriskDocument(...[TO_PHONE, TRANSFERRED].map((cdr) => ({ ...cdr, uniqueid: ' ' }))))

  expect(await byNumber(world)).toContain('12025550171 35 0.0175')
})

test('a peer that is not a device is a carrier, and the number that it was called with stays', async () => {
  const world = await anOperator()
  await send(world, asteriskDocument(TO_PHONE, TRANSFERRED))

  expect(await byNumber(world)).toEqual(['12025550171 35 0.0175', '12025550171 60 0.03'])
})
