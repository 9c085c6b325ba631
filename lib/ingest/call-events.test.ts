import { expect, test } from 'vitest'
import { countActiveCalls } from '#lib/calls/live/active-call-stored.ts'
import { activeCallsOf } from '#test/dump.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { consume } from '#test/queue/queue.ts'
import { newShards } from '#test/shards.ts'
import { aWorld } from '#test/world.ts'

const rick = { id: 2, usertype: 'reseller', owner_id: 0 } as const

const started = {
  type: 'call_started',
  id: 7,
  start_time: '2026-03-10 11:59:00',
  src: '1001',
  user_id: 10,
  device_id: 100,
  dst_user_id: 20,
}
const answered = {
  type: 'call_answered',
  id: 7,
  answer_time: '2026-03-10 11:59:10',
  provider_name: 'Carrier',
}
const ended = { type: 'call_ended', id: 7 }

const aWorldOfPeople = () => aWorld({ users: people, devices: exampleDevices })

test('a call is listed when it starts, answered, and removed when it ends', async () => {
  const world = await aWorldOfPeople()
  await consume(world, started)

  expect(await activeCallsOf(world, rick)).toMatchObject([{ id: 7, src: '1001', provider_name: '' }])
  expect(await countActiveCalls(world.store, rick, world.now, newShards)).toEqual({
    total: 1,
    answered_calls: 0,
  })

  await consume(world, answered)

  expect(await activeCallsOf(world)).toMatchObject([
    { id: 7, src: '1001', provider_name: 'Carrier', answer_time: Date.UTC(2026, 2, 10, 11, 59, 10) / 1000 },
  ])
  expect(await countActiveCalls(world.store, rick, world.now, newShards)).toEqual({
    total: 1,
    answered_calls: 1,
  })

  await consume(world, ended)

  expect([await activeCallsOf(world), await activeCallsOf(world, rick)]).toEqual([[], []])
})

test('an end that arrives before its start keeps the call out of the list', async () => {
  const world = await aWorldOfPeople()
  await consume(world, ended)
  await consume(world, answered)
  await consume(world, started)

  expect(await activeCallsOf(world)).toEqual([])
})

test('an end is remembered for as long as its call could be listed', async () => {
  const world = await aWorldOfPeople()
  await consume(world, ended)

  const items = (await world.dump()) as { PK: string; expires_at?: number }[]
  const remembered = items.find(({ PK }) => PK === 'ACTIVECALL#7')
  expect(remembered?.expires_at).toBe(world.now.getTime() / 1000 + 25 * 3600)

  world.now = new Date('2026-03-11T12:00:01Z')
  expect(await consume(world, started)).toEqual({ batchItemFailures: [] })
  expect((await world.dump()).length).toBe(items.length)
})

test('a call whose answer arrives first is listed after its start has arrived', async () => {
  const world = await aWorldOfPeople()
  await consume(world, answered)

  expect(await activeCallsOf(world)).toEqual([])

  await consume(world, started)

  expect(await activeCallsOf(world, rick)).toMatchObject([{ id: 7, provider_name: 'Carrier', src: '1001' }])
})

test('repeated events write nothing', async () => {
  const world = await aWorldOfPeople()
  await consume(world, started, answered)
  const [before, count] = [await world.dump(), world.log.length]
  await consume(world, started, answered, started)

  expect(await world.dump()).toEqual(before)
  expect(world.log.slice(count)).toMatchObject([{ outcome: 'ingested', write_units: 0 }])
})

test.each([
  ['no id', { ...started, id: '' }, 'id must not be blank'],
  ['an id that is none', { ...ended, id: 'x' }, 'id takes: whole number from 0'],
  ['no start', { ...started, start_time: '' }, 'start_time must not be blank'],
  ['a start that is not a date', { ...started, start_time: 'now' }, 'start_time takes YYYY-MM-DD HH:MM:SS'],
  ['a start in the future', { ...started, start_time: '2026-03-10 12:06:00' }, 'start_time is in the future'],
  ['an unknown account', { ...started, user_id: 99 }, 'user_id: there is no account 99'],
  ['an unknown column', { ...answered, colour: 'red' }, 'unknown column "colour"'],
  ['invalid characters', { ...started, src: '\u0000' }, 'src has invalid characters'],
])('a message with %s fails alone, and the log says why', async (_case, message, reason) => {
  const world = await aWorldOfPeople()

  expect(await consume(world, message, { ...started, id: 8 })).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm1' }],
  })
  expect(world.log[0]?.['reason']).toContain(reason)
  expect(await activeCallsOf(world)).toMatchObject([{ id: 8 }])
})

test('an end is accepted even if its accounts and devices were deleted', async () => {
  const world = await aWorldOfPeople()
  await consume(world, started)

  expect(await consume(world, { ...ended, user_id: 99, device_id: 99 })).toEqual({ batchItemFailures: [] })
  expect(await activeCallsOf(world)).toEqual([])
})

test('an answer may name a device that was deleted meanwhile', async () => {
  const world = await aWorldOfPeople()

  expect(await consume(world, started, { ...answered, device_id: 99 })).toEqual({ batchItemFailures: [] })
  expect(await activeCallsOf(world)).toMatchObject([{ device_id: 99 }])
})
