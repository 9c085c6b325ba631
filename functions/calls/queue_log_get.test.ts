import { text } from 'node:stream/consumers'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { storeDayRecords } from '#lib/calls/day-record.ts'
import { recordOfQueueLog } from '#lib/calls/queue-log.ts'
import { elementTexts } from '#test/answers/printed.ts'
import { streamed } from '#test/answers/streamed.ts'
import { aContext, anEvent } from '#test/event.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, signedForm, type World } from '#test/world.ts'
import { method } from './queue_log_get.ts'

const enter = {
  id: '1',
  time: '2026-03-10 09:00:00',
  call_id: '1773144000.1',
  queue_name: 'support',
  agent: 'NONE',
  event: 'ENTERQUEUE',
  data1: '',
  data2: '37000001',
  data3: '1',
}
const connect = {
  ...enter,
  id: '2',
  time: '2026-03-10 09:00:07',
  agent: 'Alice & Co',
  event: 'CONNECT',
  data1: '7',
}
const other = {
  ...enter,
  id: '3',
  call_id: 'x',
  queue_name: 'sales',
  data2: 'b',
  data3: 'c',
  data4: 'd',
  data5: 'e',
}

async function aWorldWith(...queue_log: Record<string, string>[]): Promise<World> {
  const world = await aWorld({ users: people, queue_log }, { Queue_Log_Enabled: 'on' })
  return world
}

const idsIn = (answer: string) => elementTexts(answer, 'id')

const seconds = (moment: string) => Date.parse(moment) / 1000

test('an entry prints every field', async () => {
  const world = await aWorldWith(connect)

  expect(await world.call(method, 'admin')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><queues><queue><id>2</id><time>2026-03-10 09:00:07</time>' +
      '<call_id>1773144000.1</call_id><queue_name>support</queue_name><agent>Alice &amp; Co</agent>' +
      '<event>CONNECT</event><data1>7</data1><data2>37000001</data2><data3>1</data3><data4/><data5/></queue>' +
      '</queues></page>',
  )
})

test('entries are ordered by time, then by id', async () => {
  const world = await aWorldWith({ ...enter, id: '10' }, connect, { ...enter, id: '9' })

  expect(idsIn(await world.call(method, 'admin'))).toEqual(['9', '10', '2'])
})

test.each([
  [{ queuename: 'support' }, ['1', '2']],
  [{ queuename: 'Support' }, []],
  [{ queuename: 'supp' }, []],
  [{ agent: 'Alice & Co' }, ['2']],
  [{ event: 'ENTERQUEUE' }, ['1', '3']],
  [{ callid: 'x' }, ['3']],
  [{ data1: '7' }, ['2']],
  [{ data2: 'b' }, ['3']],
  [{ data3: 'c' }, ['3']],
  [{ data4: 'd' }, ['3']],
  [{ data5: 'e' }, ['3']],
  [{ event: 'ENTERQUEUE', queuename: 'support' }, ['1']],
  [{ event: '', queuename: '', data1: '' }, ['1', '3', '2']],
  [{ queue_name: 'sales' }, ['1', '3', '2']],
])('filter %j finds exactly %s', async (params, ids) => {
  const world = await aWorldWith(enter, connect, other)

  expect(idsIn(await world.call(method, 'admin', params))).toEqual(ids)
})

test.each([
  ['nobody in particular', undefined],
  ['an unknown account', 'mallory'],
  ['a blocked account', 'ben'],
  ['an accountant', 'alice'],
  ['a reseller', 'rick'],
  ['a partner', 'pat'],
  ['a plain user', 'bob'],
])('refuses %s', async (_case, caller) => {
  const world = await aWorldWith(enter)

  expect(await world.call(method, caller)).toContain('<page><error>Access Denied</error></page>')
})

test('while the setting is off, there is no queue log', async () => {
  const world = await aWorldWith(enter)
  await world.set({ Queue_Log_Enabled: 'off' })

  expect(await world.call(method, 'admin')).toContain(
    '<page><error>Queue log is not available on this server</error></page>',
  )
})

test.each([
  ['a filter that nothing meets', { agent: 'nobody' }],
  ['a day without entries', { from: 0, till: 1 }],
  ['a period that ends first', { from: 2, till: 1 }],
])('there is no data for %s', async (_case, params) => {
  const world = await aWorldWith(enter)

  expect(await world.call(method, 'admin', params)).toContain('<page><error>No data found</error></page>')
})

test('filters are not signed: the hash is over the key alone', async () => {
  const world = await aWorldWith(enter)
  const sent = { u: 'admin', event: 'ENTERQUEUE', from: 0 }
  const over = async (signs: 'u'[]) =>
    bodyOf(await world.send(method, { body: signedForm({ hashOrders: [{ signs }] }, sent) }))

  expect(idsIn(await over([]))).toEqual(['1'])
  expect(await over(['u'])).toContain('Incorrect hash')
})

test.each([
  [{}, ['2']],
  [{ from: 'yesterday', till: '-1' }, ['2']],
  [{ from: 0 }, ['1', '2']],
  [{ till: 4_000_000_000 }, ['2', '3']],
  [{ from: seconds('2026-03-09T23:59:59Z'), till: seconds('2026-03-10T23:59:59Z') }, ['1', '2']],
])('the period %j has %s; a missing or invalid end is that of today', async (params, ids) => {
  const world = await aWorldWith(
    { ...enter, id: '1', time: '2026-03-09 23:59:59' },
    { ...enter, id: '2', time: '2026-03-10 00:00:00' },
    { ...enter, id: '3', time: '2026-03-11 00:00:00' },
  )

  expect(idsIn(await world.call(method, 'admin', params))).toEqual(ids)
})

test.each([
  ['America/New_York', '2026-03-08T12:00:00Z', '2026-03-08T05:00:00Z', 23],
  ['America/New_York', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00Z', 25],
  ['Australia/Sydney', '2026-10-04T02:00:00Z', '2026-10-03T14:00:00Z', 23],
  ['Australia/Sydney', '2026-04-05T02:00:00Z', '2026-04-04T13:00:00Z', 25],
])('today in %s at %s begins at %s and has %i hours', async (zone, now, begins, hours) => {
  const start = seconds(begins)
  const world = await aWorld()
  world.now = new Date(now)
  const moments = [start - 1, start, start + hours * 3600 - 1, start + hours * 3600]
  await world.given({
    users: people,
    queue_log: moments.map((at, id) => ({
      ...enter,
      id: String(id),
      time: new Date(at * 1000).toISOString(),
    })),
  })
  await world.set({ Timezone: zone, Queue_Log_Enabled: '1' })
  const answer = await world.call(method, 'admin')

  expect(idsIn(answer)).toEqual(['1', '2'])
  expect([...answer.matchAll(/ (\d\d:\d\d:\d\d)</g)].map(([, time]) => time)).toEqual([
    '00:00:00',
    '23:59:59',
  ])
})

test('a list costs the days that have entries', async () => {
  const world = await aWorldWith(enter, { ...enter, id: '2', time: '1970-01-02 00:00:00' })

  await world.call(method, 'admin', { from: 0, till: 253_402_300_799 })

  const [fixed, counters, twoDays] = [2, 0.5, 1]
  expect(world.log).toMatchObject([{ read_units: fixed + counters + twoDays }])
})

test('a long answer is streamed as one document, with every entry once and in order of time', async () => {
  const world = await aWorldWith()
  const start = seconds('2026-03-08T00:00:00Z')
  const entries = Array.from({ length: 5000 }, (_, id) => ({
    digest: String(id),
    row: { ...connect, id, time: start + id * 40, data4: '', data5: '' },
  }))
  await storeDayRecords(world.store, entries.map(recordOfQueueLog))
  const services = { ...world.services, transport: { streams: true, maxBytes: 2e8 } }
  const body = signedForm(method, { u: 'admin', from: start })

  const document = await streamed(method, services, [anEvent({ body }), aContext()], text)

  new SaxesParser().write(document).close()
  expect(idsIn(document)).toEqual(entries.map(({ row }) => String(row.id)))
  expect(world.log).toMatchObject([{ outcome: 'answered' }])
})
