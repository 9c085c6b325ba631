import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSettings } from '#lib/domain/settings.ts'
import type { FormatName } from '#lib/mediation/formats/cdr.ts'
import { searchCalls } from '#lib/store/calls/call-search.ts'
import { findQuickStats } from '#lib/store/calls/call-stats.ts'
import { listPendingEvents } from '#lib/store/calls/dialog-event.ts'
import { suspendedText } from '#lib/store/calls/suspense.ts'
import { suspenseOf } from '#lib/testing/dump.ts'
import { rate } from '#lib/testing/examples/tariffs.ts'
import { demoDocument } from '#lib/testing/mediation/switch-documents.ts'
import { aWorld, type World } from '#lib/testing/world.ts'
import { suspendOverdue } from './correlate.ts'
import { mediate, NOTHING_MEDIATED } from './mediate.ts'
import { openMediation } from './mediation.ts'
import { retryEntries } from './retry.ts'

const person = (
  id: string,
  username: string,
  [usertype = '', owner_id = '', tariff_id = '']: readonly string[],
) => ({
  id,
  username,
  usertype,
  owner_id,
  tariff_id,
  password_hash: '0'.repeat(40),
})

const device = (id: string, user_id: string, name = `20${id}`, device_type = 'SIP') => ({
  id,
  user_id,
  device_type,
  name,
  extension: `20${id}`,
})

/** The accounts and devices of the demo, with one tariff of few rates for every account. */
const operator = {
  users: [
    person('0', 'admin', ['admin', '0', '1']),
    person('2', 'northwind', ['reseller', '0', '1']),
    person('3', 'harbourline', ['reseller', '0', '1']),
    person('4', 'partner_piers', ['partner', '0', '1']),
    person('10', 'carol', ['user', '0', '1']),
    person('11', 'dave_workshop', ['user', '0', '1']),
    person('12', 'erin', ['user', '0', '1']),
    person('20', 'nw_bakery', ['user', '2', '1']),
    person('21', 'nw_clinic', ['user', '2', '1']),
    person('22', 'nw_frank', ['user', '2', '1']),
    person('30', 'hl_hotel', ['user', '3', '1']),
    person('31', 'hl_greta', ['user', '3', '1']),
    person('40', 'pp_atelier', ['user', '4', '1']),
  ],
  devices: [
    device('10', '10'),
    device('11', '10', 'carol.mobile'),
    device('12', '11'),
    device('20', '20'),
    device('21', '20'),
    device('22', '21', 'nw-clinic-trunk'),
    device('23', '21'),
    device('24', '21'),
    device('25', '22', '2025', 'IAX2'),
    device('30', '30'),
    device('31', '30'),
    device('32', '30', 'hotel.branch', 'IAX2'),
    device('33', '31'),
    device('40', '40'),
  ],
  tariffs: [{ id: '1', name: 'Everywhere', owner_id: '0' }],
  rates: ['1', '33', '370', '44', '61'].map((prefix) =>
    rate({ prefix, tariff_rate: prefix === '370' ? '0.09' : '0.03' }),
  ),
}

const theDemo = () => aWorld(operator)

async function take(world: World, format: FormatName, ...texts: readonly string[]) {
  const documents = texts.map((text) => ({ format, source: 'sw1', zone: 'UTC', text }))
  return mediate(await openMediation(world.store, world.now), documents)
}

async function callsIn({ store }: World) {
  const period = { from: 0, till: 2_000_000_000 }
  const { batches } = await searchCalls(store, {
    of: ['everyone'],
    period,
    zone: readSettings({}).Timezone,
  })
  const calls = []
  for await (const batch of batches) calls.push(...batch)
  return calls
}

async function retry(world: World) {
  return retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
}

const newPhone = { id: '99', user_id: '12', device_type: 'SIP', name: '9999', extension: '2999' }

test('a day of FreeSWITCH stores each call once, rated for its customer, and suspends an unknown account', async () => {
  const world = await theDemo()
  const day = demoDocument('freeswitch.ndjson')

  expect(await take(world, 'freeswitch-json', day)).toEqual({
    ...NOTHING_MEDIATED,
    stored: 10,
    suspended: 1,
    skipped: 2,
  })
  expect(await take(world, 'freeswitch-json', day)).toEqual({
    ...NOTHING_MEDIATED,
    duplicate: 10,
    suspended: 1,
    skipped: 2,
  })
  const calls = await callsIn(world)
  expect(
    calls.map(({ user_id, device_id, dst, user_rate, user_price }) => [
      user_id,
      device_id,
      dst,
      user_rate,
      user_price,
    ]),
  ).toEqual([
    [10, 10, '12025550171', '0.03', '0.092'],
    [10, 10, '442079460077', '0.03', '0'],
    [10, 11, '0037060012345', '0.09', '0.0915'],
    [11, 12, '12025550188', '0.03', '0'],
    [11, 12, '+12025550190', '0.03', '0.45'],
    [10, 10, '2012', undefined, '0'],
    [10, 10, '15550000', '0.03', '0'],
    [10, 11, '447700900269', '0.03', '0.1665'],
    [11, 12, '12025550171', '0.03', '0'],
    [11, undefined, '12025550177', '0.03', '0.0635'],
  ])
  const stats = await findQuickStats(world.store, 'everyone', '2026-03-10')
  expect(stats.today.calls).toBe(10)
  expect(await suspenseOf(world)).toMatchObject([
    {
      reason: 'unknown_account',
      detail: 'no account or device is "9999" or "198.51.100.99"',
      tries: 2,
      source: 'sw1',
    },
  ])
})

test('a cured CDR of suspense is stored once, also if the switch sends it again meanwhile', async () => {
  const world = await theDemo()
  const day = demoDocument('freeswitch.ndjson')
  await take(world, 'freeswitch-json', day)
  expect(await retry(world)).toEqual({ stored: 0, suspended: 1 })
  await world.given({ devices: [newPhone] })
  const entries = await suspenseOf(world)
  expect(await take(world, 'freeswitch-json', day)).toMatchObject({ stored: 1, suspended: 0 })

  expect(await suspenseOf(world)).toEqual([])
  expect(await retryEntries(await openMediation(world.store, world.now), entries)).toEqual({
    stored: 1,
    suspended: 0,
  })
  expect((await callsIn(world)).filter(({ user_id }) => user_id === 12)).toMatchObject([
    { device_id: 99, version: 1 },
  ])
})

test('Master.csv without unique ids gets derived ids, and the same file again changes nothing', async () => {
  const world = await theDemo()
  const master = demoDocument('Master.csv')

  expect(await take(world, 'asterisk-csv', master)).toEqual({ ...NOTHING_MEDIATED, stored: 11, suspended: 1 })
  const dump = await world.dump()
  expect(await take(world, 'asterisk-csv', master)).toMatchObject({ stored: 0, duplicate: 11 })
  expect((await world.dump()).length).toBe(dump.length)
  const calls = await callsIn(world)
  expect(calls.every(({ uniqueid }) => uniqueid.startsWith('made-'))).toBe(true)
  expect(calls.find(({ dst }) => dst === '112')).toMatchObject({ user_id: 21, user_price: '0' })
  const queued = calls.find(({ dst }) => dst === '12025550173')
  expect([queued?.user_id, queued?.device_id]).toEqual([20, undefined])
})

test('a day of Kamailio is correlated in either order, and an overdue dialog event is suspended', async () => {
  const world = await theDemo()
  const day = demoDocument('kamailio.ndjson')

  await take(world, 'kamailio-json', day)
  const again = await take(world, 'kamailio-json', day)

  expect(again).toMatchObject({ stored: 0, pending: 1, suspended: 0 })
  const calls = await callsIn(world)
  expect(calls.map(({ user_id, dst, billsec, disposition }) => [user_id, dst, billsec, disposition])).toEqual(
    [
      [30, '12025550164', 95, 'ANSWERED'],
      [30, '442079460096', 611, 'ANSWERED'],
      [31, '12025550171', 1200, 'ANSWERED'],
      [40, '12025550183', 30, 'ANSWERED'],
      [30, '442079460077', 0, 'BUSY'],
      [31, '12025550199', 0, 'NO ANSWER'],
      [30, '442079460254', 61, 'ANSWERED'],
      [30, '2031', 45, 'ANSWERED'],
      [40, '33155501234', 300, 'ANSWERED'],
    ],
  )
  world.now = new Date('2026-03-12T12:00:00Z')
  expect(await suspendOverdue(await openMediation(world.store, world.now))).toBe(1)
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'no_start' }])
})

const half = (method: string, time: number, change = {}) =>
  JSON.stringify({
    time,
    method,
    from_tag: 'a',
    to_tag: 'b',
    callid: 'x@198.51.100.10',
    sip_code: '200',
    sip_reason: 'OK',
    src_user: '2010',
    dst_user: '12025550171',
    ...change,
  })

const START = Date.UTC(2026, 2, 10, 9) / 1000
const INVITE = half('INVITE', START)

test('a retry correlates suspended dialog events', async () => {
  const world = await theDemo()
  const stranger = { src_user: '9999' }
  await take(world, 'kamailio-json', half('INVITE', START, stranger))
  expect(await take(world, 'kamailio-json', half('BYE', START + 60, stranger))).toMatchObject({
    suspended: 1,
  })
  expect((await suspenseOf(world)).map(({ reason }) => reason)).toEqual([
    'unknown_account',
    'unknown_account',
  ])

  world.now = new Date('2026-03-20T12:00:00Z')
  expect(await retry(world)).toEqual({ stored: 0, suspended: 2 })
  await world.given({ devices: [newPhone] })
  expect(await retry(world)).toEqual({ stored: 2, suspended: 0 })
  expect(await callsIn(world)).toMatchObject([{ user_id: 12, billsec: 60, version: 1 }])
})

test('a BYE that comes after its INVITE was suspended ends the call at the retry', async () => {
  const world = await theDemo()
  await take(world, 'kamailio-json', INVITE)
  world.now = new Date('2026-03-12T12:00:00Z')
  await suspendOverdue(await openMediation(world.store, world.now))
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'no_end' }])

  const late = half('BYE', Date.UTC(2026, 2, 12, 11) / 1000)
  expect(await take(world, 'kamailio-json', late)).toMatchObject({ pending: 1 })
  expect(await retry(world)).toEqual({ stored: 1, suspended: 0 })
  expect(await callsIn(world)).toMatchObject([{ billsec: 50 * 3600 }])
})

const dialogs = fc.integer({ min: 1, max: 4 }).chain((count) => {
  const reports = Array.from({ length: count }, (_, n) => [
    half('INVITE', START + n, { callid: `${n}@x` }),
    half('BYE', START + n + 60, { callid: `${n}@x`, from_tag: 'b', to_tag: 'a' }),
  ]).flat()
  const sent = [...reports, ...reports.slice(0, 3)]
  return fc.record({
    count: fc.constant(count),
    order: fc.shuffledSubarray(sent, { minLength: sent.length }),
    switches: fc.integer({ min: 1, max: 3 }),
  })
})

test('every dialog is one call in any order, twice, and from several deliveries at the same time', async () => {
  const world = await theDemo()
  let round = 0
  await fc.assert(
    fc.asyncProperty(dialogs, async ({ count, order, switches }) => {
      round += 1
      const mediation = await openMediation(world.store, world.now)
      const proxy = { format: 'kamailio-json', source: `p${round}`, zone: 'UTC' } as const
      const parts = Array.from({ length: switches }, (_, part) =>
        order.filter((_, n) => n % switches === part),
      )
      await Promise.all(
        parts.map(async (part) => {
          await mediate(
            mediation,
            part.map((text) => ({ ...proxy, text })),
          )
        }),
      )
      await suspendOverdue(mediation)

      const calls = (await callsIn(world)).filter(({ source }) => source === `p${round}`)
      expect(calls.map(({ uniqueid, billsec, version }) => [uniqueid, billsec, version])).toEqual(
        Array.from({ length: count }, (_, n) => [`${n}@x`, 60, 1]),
      )
      const pending = []
      for await (const one of listPendingEvents(world.store)) pending.push(one)
      expect(pending).toEqual([])
      expect(await suspenseOf(world)).toEqual([])
    }),
    { numRuns: 10 },
  )
})

const fsCall = (change: object) =>
  `uniqueid,start,src,dst,duration,billsec,account_code,device,disposition\n${Object.values({
    uniqueid: '7',
    start: START,
    src: '1',
    dst: '12025550171',
    duration: 60,
    billsec: 60,
    account_code: '',
    device: '2010',
    disposition: 'ANSWERED',
    ...change,
  }).join(',')}\n`

test.each([
  ['unknown_account', { device: 'none' }, 'no account or device is "none"'],
  ['unknown_account', { device: '' }, 'it names no account and no device'],
  ['unknown_rate', { dst: '99912345' }, 'tariff 1 of account 10 has no rate for 99912345'],
  ['impossible_time', { start: START + 2 * 86_400 }, 'it begins more than a day from now'],
  ['billed_exceeds_duration', { billsec: 61 }, '61 of 60 seconds are billed'],
  ['unknown_disposition', { disposition: 'SPOKEN' }, '60 seconds are billed of a call that is "SPOKEN"'],
  ['unreadable', { src: 'x'.repeat(81) }, 'src: is not: at most 80 characters'],
  ['unreadable', { billsec: 'many' }, 'billsec "many" is not a number of seconds'],
])('a CDR is suspended as %s, not stored', async (reason, change, detail) => {
  const world = await theDemo()

  expect(await take(world, 'csv', fsCall(change))).toMatchObject({ stored: 0, suspended: 1 })
  const [kept] = await suspenseOf(world)
  expect(kept).toMatchObject({ reason, detail })
  const text = kept && (await suspendedText(world.store, kept))
  expect(text?.replaceAll('"', '').trim()).toBe(fsCall(change).trim())
  expect(await callsIn(world)).toEqual([])
})

test.each([
  ['answered', {}],
  ['busy', { disposition: 'BUSY', billsec: '0' }],
])('a call to an extension is internal, also after a correction: %s', async (_case, change) => {
  const world = await theDemo()
  await take(world, 'csv', fsCall({ dst: '2012', ...change }))
  await take(world, 'csv', fsCall({ dst: '2012', ...change, duration: '61' }))

  expect(await callsIn(world)).toMatchObject([{ rated: 'internal', user_price: '0', version: 2 }])
})

test('another call with a stored unique id is suspended, and overwrites nothing', async () => {
  const world = await theDemo()
  await take(world, 'csv', fsCall({}))
  await take(world, 'csv', fsCall({ dst: '12025550172' }))

  expect(await suspenseOf(world)).toMatchObject([{ reason: 'id_used' }])
  expect(await callsIn(world)).toMatchObject([{ dst: '12025550171', version: 1 }])
})

test.each([
  [{ Call_Owner_Order: 'account_code,device' }, 11, undefined],
  [{ Call_Owner_Order: 'device,account_code' }, 10, 10],
])('%j: the first hint that names an account or a device decides', async (settings, user_id, device_id) => {
  const world = await theDemo()
  await world.set(settings)
  await take(world, 'csv', fsCall({ account_code: 'dave_workshop' }))

  const [call] = await callsIn(world)
  expect([call?.user_id, call?.device_id]).toEqual([user_id, device_id])
})

test('an account code may be the id of an account', async () => {
  const world = await theDemo()
  await take(world, 'csv', fsCall({ account_code: '12', device: '' }))

  expect(await callsIn(world)).toMatchObject([{ user_id: 12 }])
})
