import { expect, test } from 'vitest'
import { countActiveCalls } from '#lib/calls/live/active-call-stored.ts'
import { activeCallsOf, suspenseOf } from '#test/dump.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { send } from '#test/mediation/csv-switch.ts'
import { liveEvent } from '#test/mediation/switch-documents.ts'
import { newShards } from '#test/shards.ts'
import { aWorld, type World } from '#test/world.ts'

const BOB = { id: 10, usertype: 'user', owner_id: 0 } as const
const ADMIN = { id: 0, usertype: 'admin', owner_id: 0 } as const

const aCarrier = () => aWorld({ users: people, devices: exampleDevices })

const secondsOf = ({ now }: World): number => now.getTime() / 1000

/** The event comes some seconds after the time of the tests. */
const event = (world: World, name: string, seconds: number, change: object = {}) =>
  liveEvent(name, secondsOf(world) + seconds, change)

const live = (...events: readonly object[]) => ({
  format: 'live' as const,
  text: events.map((one) => JSON.stringify(one)).join('\n'),
})

test('a call is listed with customer, device and times, and leaves the list when it ends', async () => {
  const world = await aCarrier()
  const now = secondsOf(world)

  expect(await send(world, live(event(world, 'CREATE', -60)))).toMatchObject({ stored: 1 })
  const call = {
    id: expect.any(Number),
    start_time: now - 60,
    answer_time: undefined,
    src: '37000001',
    localized_dst: '442079460000',
    channel: 'sofia/internal/bobs-phone',
    user_id: 10,
    device_id: 100,
    dst_user_id: undefined,
    dst_device_id: undefined,
    destination_name: '',
    provider_name: '',
  }
  expect(await activeCallsOf(world, BOB)).toEqual([call])

  const answer = live(event(world, 'ANSWER', -50))
  expect(await send(world, answer)).toMatchObject({ stored: 1 })
  expect(await activeCallsOf(world, BOB)).toEqual([{ ...call, answer_time: now - 50 }])
  expect(await send(world, answer)).toMatchObject({ stored: 0, duplicate: 1 })

  expect(await send(world, live(event(world, 'HANGUP_COMPLETE', 0)))).toMatchObject({ stored: 1 })
  expect(await activeCallsOf(world)).toEqual([])
  expect(await suspenseOf(world)).toEqual([])
})

test('an event without a time counts from when it comes', async () => {
  const world = await aCarrier()
  const timeless = { 'Event-Date-Timestamp': '' }
  const now = secondsOf(world)

  await send(world, live(event(world, 'CREATE', 0, timeless)))
  expect(await activeCallsOf(world)).toMatchObject([{ start_time: now, answer_time: undefined }])
  await send(world, live(event(world, 'ANSWER', 0, timeless)))
  expect(await activeCallsOf(world)).toMatchObject([{ start_time: now, answer_time: now }])
})

test('a value that an event leaves blank is kept as an earlier one gave it', async () => {
  const world = await aCarrier()
  const blank = { 'Channel-Name': '', 'Caller-Caller-ID-Number': '', variable_sip_auth_username: '' }
  await send(world, live(event(world, 'CREATE', -60)))

  await send(world, live(event(world, 'ANSWER', -50, blank)))
  expect(await activeCallsOf(world)).toMatchObject([
    { src: '37000001', channel: 'sofia/internal/bobs-phone', user_id: 10, device_id: 100 },
  ])
})

test('each event of a document has the customer of its own call, and each switch its own calls', async () => {
  const world = await aCarrier()
  const carols = { 'Unique-ID': 'u2', variable_sip_auth_username: '2001' }
  const both = live(event(world, 'CREATE', -60), event(world, 'CREATE', -50, carols))

  await send(world, both)
  expect((await activeCallsOf(world)).map(({ user_id }) => user_id)).toEqual([10, 20])
  await send(world, { ...both, source: 'another' })
  expect((await activeCallsOf(world)).map(({ user_id }) => user_id)).toEqual([10, 10, 20, 20])
  expect((await activeCallsOf(world)).every(({ id }) => Number.isSafeInteger(id))).toBe(true)
  expect(await countActiveCalls(world.store, ADMIN, world.now, newShards)).toEqual({
    total: 4,
    answered_calls: 0,
  })
})

test('only admin sees a call of an unknown account', async () => {
  const world = await aCarrier()
  await send(world, live(event(world, 'CREATE', 0, { variable_sip_auth_username: 'eve' })))

  expect(await activeCallsOf(world)).toMatchObject([{ user_id: undefined, device_id: undefined }])
  expect(await activeCallsOf(world, BOB)).toEqual([])
})

test('an event may be five minutes ahead of this clock: a later one is suspended', async () => {
  const world = await aCarrier()

  expect(await send(world, live(event(world, 'CREATE', 300)))).toMatchObject({ stored: 1, suspended: 0 })
  const later = live(event(world, 'CREATE', 301, { 'Unique-ID': 'u2' }))
  expect(await send(world, later)).toMatchObject({ stored: 0, suspended: 1 })
  expect(await suspenseOf(world)).toMatchObject([
    { reason: 'impossible_time', detail: 'it is in the future' },
  ])
  expect(await activeCallsOf(world)).toHaveLength(1)
})

test('an event with an unstorable value is suspended, but an end closes its call anyway', async () => {
  const world = await aCarrier()
  const tooLong = { 'Channel-Name': 'x'.repeat(5000) }

  await send(world, live(event(world, 'CREATE', 0)))
  await send(world, live(event(world, 'HANGUP_COMPLETE', 0, tooLong)))
  await send(world, live(event(world, 'CREATE', 0, { ...tooLong, 'Unique-ID': 'u2' })))
  expect(await suspenseOf(world)).toMatchObject([
    { reason: 'unreadable', detail: expect.stringMatching(/^channel: .*5000/) },
  ])
  expect(await activeCallsOf(world)).toEqual([])
})
