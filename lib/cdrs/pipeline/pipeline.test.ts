import { expect, test } from 'vitest'
import { findQuickStats } from '#lib/calls/counters/call-stats.ts'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { rate } from '#test/examples/tariffs.ts'
import {
  ASTERISK_CALL,
  anOperator,
  dialogEvent,
  pendingEventsOf,
  reasonsOf,
  send,
} from '#test/mediation/csv-switch.ts'
import { demoDocument } from '#test/mediation/switch-documents.ts'
import { aWorld, type World } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { suspendedText } from '../suspense/suspense.ts'
import { mediate, NOTHING_MEDIATED, partsOf } from './pipeline.ts'
import { retryEntries, suspendOverdue } from './retry.ts'

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

async function retry(world: World) {
  return retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
}

const newPhone = { id: '99', user_id: '12', device_type: 'SIP', name: '9999', extension: '2999' }

test('a day of FreeSWITCH stores each call once, rated, and suspends an unknown account', async () => {
  const world = await theDemo()
  const day = demoDocument('freeswitch.ndjson')

  expect(await send(world, { format: 'freeswitch-json', text: day })).toEqual({
    ...NOTHING_MEDIATED,
    stored: 10,
    suspended: 1,
    skipped: 2,
  })
  expect(await send(world, { format: 'freeswitch-json', text: day })).toEqual({
    ...NOTHING_MEDIATED,
    duplicate: 10,
    suspended: 1,
    skipped: 2,
  })
  const calls = await searchedCalls(world)
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
      source: 'gw',
    },
  ])
})

test('a cured CDR of suspense is stored once, also if the switch sends it again meanwhile', async () => {
  const world = await theDemo()
  const day = demoDocument('freeswitch.ndjson')
  await send(world, { format: 'freeswitch-json', text: day })
  expect(await retry(world)).toEqual({ stored: 0, suspended: 1 })
  await world.given({ devices: [newPhone] })
  const entries = await suspenseOf(world)
  expect(await send(world, { format: 'freeswitch-json', text: day })).toMatchObject({
    stored: 1,
    suspended: 0,
  })

  expect(await suspenseOf(world)).toEqual([])
  expect(await retryEntries(await openMediation(world.store, world.now), entries)).toEqual({
    stored: 1,
    suspended: 0,
  })
  expect((await searchedCalls(world)).filter(({ user_id }) => user_id === 12)).toMatchObject([
    { device_id: 99, version: 1 },
  ])
})

test('Master.csv without unique ids gets derived ids, and the same file again changes nothing', async () => {
  const world = await theDemo()
  const master = demoDocument('Master.csv')

  expect(await send(world, { format: 'asterisk-csv', text: master })).toEqual({
    ...NOTHING_MEDIATED,
    stored: 11,
    suspended: 1,
  })
  const dump = await world.dump()
  expect(await send(world, { format: 'asterisk-csv', text: master })).toMatchObject({
    stored: 0,
    duplicate: 11,
  })
  expect((await world.dump()).length).toBe(dump.length)
  const calls = await searchedCalls(world)
  expect(calls.every(({ uniqueid }) => uniqueid.startsWith('made-'))).toBe(true)
  expect(calls.find(({ dst }) => dst === '112')).toMatchObject({ user_id: 21, user_price: '0' })
  const queued = calls.find(({ dst }) => dst === '12025550173')
  expect([queued?.user_id, queued?.device_id]).toEqual([20, undefined])
})

test('a day of Kamailio is correlated in either order; an overdue event is suspended', async () => {
  const world = await theDemo()
  const day = demoDocument('kamailio.ndjson')

  await send(world, { format: 'kamailio-json', text: day })
  const again = await send(world, { format: 'kamailio-json', text: day })

  expect(again).toMatchObject({ stored: 0, pending: 1, suspended: 0 })
  const calls = await searchedCalls(world)
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

const START = Date.UTC(2026, 2, 10, 9) / 1000

const cdrRow = (change: object) =>
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
  [
    'unreadable',
    { billsec: 'many' },
    'billsec "many" is not a number of seconds, nor a length such as 00:02:05 or PT2M5S',
  ],
])('a CDR is suspended as %s, not stored', async (reason, change, detail) => {
  const world = await theDemo()

  expect(await send(world, cdrRow(change))).toMatchObject({ stored: 0, suspended: 1 })
  const [kept] = await suspenseOf(world)
  expect(kept).toMatchObject({ reason, detail })
  const text = kept && (await suspendedText(world.store, kept))
  expect(text?.replaceAll('"', '').trim()).toBe(cdrRow(change).trim())
  expect(await searchedCalls(world)).toEqual([])
})

test.each([
  ['answered', {}],
  ['busy', { disposition: 'BUSY', billsec: '0' }],
])('a call to an extension is internal, also after a correction: %s', async (_case, change) => {
  const world = await theDemo()
  await send(world, cdrRow({ dst: '2012', ...change }))
  await send(world, cdrRow({ dst: '2012', ...change, duration: '61' }))

  expect(await searchedCalls(world)).toMatchObject([{ rated: 'internal', user_price: '0', version: 2 }])
})

test('a CDR that mediation fails on is suspended alone, and delays no other', async () => {
  const world = await theDemo()
  const transact: World['store']['transact'] = async (changes) => {
    if (JSON.stringify(changes).includes('"CALL#odd"')) throw new Error('It is odd')
    return world.store.transact(changes)
  }
  const documents = ['a', 'b', 'odd', 'c', 'd'].map((uniqueid) => cdrRow({ uniqueid }))

  expect(await send({ ...world, store: { ...world.store, transact } }, ...documents)).toMatchObject({
    stored: 4,
    suspended: 1,
  })
  expect((await searchedCalls(world)).map(({ uniqueid }) => uniqueid).sort()).toEqual(['a', 'b', 'c', 'd'])
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unreadable', detail: 'Error: It is odd' }])
})

test("documents' parts are in order of arrival, in the zone of document or installation", async () => {
  const world = await theDemo()
  await world.set({ Timezone: 'Europe/Vilnius' })
  const mediation = await openMediation(world.store, world.now)
  const document = { format: 'csv', source: 'gw', zone: '', text: cdrRow({}) } as const
  const parts = [...partsOf(mediation, [document, { ...document, zone: 'UTC' }, document])]

  expect(parts.map((part) => part.document.zone)).toEqual(['Europe/Vilnius', 'UTC', 'Europe/Vilnius'])
  const orders = parts.map(({ order }) => order ?? '')
  expect(new Set(orders).size).toBe(3)
  expect(orders.toSorted()).toEqual(orders)
})

test('suspended CDRs are noted with their reasons, batch by batch', async () => {
  const world = await theDemo()
  const mediation = await openMediation(world.store, world.now)
  const documents = [cdrRow({ device: 'none' }), cdrRow({ uniqueid: '8' })].map(
    (text) => ({ format: 'csv', source: 'gw', zone: 'UTC', text }) as const,
  )
  const noted: string[] = []
  await mediate(mediation, partsOf(mediation, documents), (refused) =>
    noted.push(...refused.map(({ problem }) => problem.reason)),
  )

  expect(noted).toEqual(['unknown_account'])
})

/** More CDRs than are looked up without a probe. */
const elevenCdrs = Array.from({ length: 11 }, (_, n) => cdrRow({ uniqueid: `c${n}`, device: '9999' }))

test("one read tells many CDRs whether suspense has an entry; stored ones' entries are removed", async () => {
  const [empty, full] = [await theDemo(), await theDemo()]
  await send(full, ...elevenCdrs)
  expect(await suspenseOf(full)).toHaveLength(11)
  await full.given({ devices: [newPhone] })
  const entriesRead = async (world: World) => {
    let count = 0
    const getMany: World['store']['getMany'] = (keys, consistency) => {
      if (consistency === 'eventual' && keys[0]?.PK.startsWith('SUSPENSE#')) count += keys.length
      return world.store.getMany(keys, consistency)
    }
    await send({ ...world, store: { ...world.store, getMany } }, ...elevenCdrs)
    return count
  }

  expect([await entriesRead(empty), await entriesRead(full)]).toEqual([0, 11])
  expect(await suspenseOf(full)).toEqual([])
})

test('another call with a stored unique id is suspended, and overwrites nothing', async () => {
  const world = await theDemo()
  await send(world, cdrRow({}))
  await send(world, cdrRow({ dst: '12025550172' }))

  const detail = 'id used by another call: the stored one has another start or other numbers'
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'id_used', detail }])
  expect(await searchedCalls(world)).toMatchObject([{ dst: '12025550171', version: 1 }])
})

test.each([
  [{ Call_Owner_Order: 'account_code,device' }, 11, undefined],
  [{ Call_Owner_Order: 'device,account_code' }, 10, 10],
])('%j: the first hint that names an account or a device decides', async (settings, user_id, device_id) => {
  const world = await theDemo()
  await world.set(settings)
  await send(world, cdrRow({ account_code: 'dave_workshop' }))

  const [call] = await searchedCalls(world)
  expect([call?.user_id, call?.device_id]).toEqual([user_id, device_id])
})

test('an account code may be the id of an account', async () => {
  const world = await theDemo()
  await send(world, cdrRow({ account_code: '12', device: '' }))

  expect(await searchedCalls(world)).toMatchObject([{ user_id: 12 }])
})

test('an unanswered call that nobody can own is skipped, and leaves suspense', async () => {
  const world = await anOperator()
  const ussd = {
    ...ASTERISK_CALL,
    ...{
      accountcode: '',
      src: 'ussd',
      dst: 'ussd',
      channel: 'Local/ussd@incoming-00000010;2',
      dstchannel: '',
    },
    ...{ duration: 0, billsec: 0, disposition: 'NO ANSWER' },
  }
  const document = { format: 'asterisk-json' as const, source: 'gsm', text: JSON.stringify(ussd) }
  expect(await send(world, document)).toMatchObject({ skipped: 1, suspended: 0 })

  const failed = dialogEvent('INVITE', '486', 0, { accountcode: 'nobody' })
  expect(await send(world, { format: 'kamailio-json', source: 'sip1', text: failed })).toMatchObject({
    skipped: 1,
  })
  expect(await pendingEventsOf(world)).toEqual([])
  expect(await reasonsOf(world)).toEqual([])
})
