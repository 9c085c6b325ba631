import { expect, test } from 'vitest'
import { createMeter } from '#lib/table/requests/meter.ts'
import type { Store } from '#lib/table/store.ts'
import { activeCallsOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { newShards } from '#test/shards.ts'
import { aWorld, type World, withClient } from '#test/world.ts'
import type { CallEvent } from './active-call.ts'
import { countActiveCalls, listActiveCalls } from './active-call-stored.ts'
import { addCallEvent } from './active-call-writing.ts'

const addEvent = (store: Store, one: CallEvent) => addCallEvent(store, one, newShards)

const admin = { id: 0, usertype: 'admin', owner_id: 0 } as const

const event = (world: World, kind: CallEvent['kind'], said: CallEvent['said'] = {}): CallEvent => {
  const at = world.now.getTime() / 1000
  const start = kind === 'started' ? { start_time: at - 60, user_id: 10, dst_user_id: 20 } : {}
  return { kind, id: 7, at, said: { id: 7, ...start, ...said } }
}

async function aWorldInCall(): Promise<World> {
  const world = await aWorld({ users: people })
  await addEvent(world.store, event(world, 'started'))
  return world
}

test.each([
  ['one party', { dst_user_id: undefined }, 3],
  ['two parties', {}, 7],
])(
  'each event of a call of %s costs few write units, and two round trips after the first',
  async (_, said, units) => {
    const world = await aWorld({ users: people })
    const spent = async (kind: CallEvent['kind'], more: CallEvent['said'] = {}) => {
      const meter = createMeter()
      await addEvent(world.services.openStore(meter), event(world, kind, more))
      return meter.spent
    }

    expect(await spent('started', said as CallEvent['said'])).toMatchObject({ roundTrips: 3, write: units })
    expect(await spent('answered')).toMatchObject({ roundTrips: 2, write: units })
    expect(await spent('ended')).toMatchObject({ roundTrips: 2, write: units })
  },
)

test('calls that were answered are counted apart, in one round trip over the shards of a list', async () => {
  const world = await aWorldInCall()
  await addEvent(world.store, {
    ...event(world, 'answered'),
    id: 8,
    said: { ...event(world, 'started').said, id: 8 },
  })
  const meter = createMeter()
  const store = world.services.openStore(meter)

  expect(
    await countActiveCalls(store, { id: 2, usertype: 'reseller', owner_id: 0 }, world.now, newShards),
  ).toEqual({
    total: 2,
    answered_calls: 1,
  })
  expect(meter.spent).toMatchObject({ roundTrips: 1, requests: 3, read: 1.5 })
})

test.each([4, 60])('the count of %i calls of everyone takes no call out of the table', async (count) => {
  const world = await aWorld({ users: people })
  for (let id = 1; id <= count; id += 1) {
    await addEvent(world.store, { ...event(world, 'started', { id }), id })
    if (id % 2 === 0) await addEvent(world.store, { ...event(world, 'answered', { id }), id })
  }
  const received: unknown[] = []
  const client = aroundRequests(world.table.client, async (_, send) => {
    const answer = await send()
    received.push(...(Object(answer).Items ?? []))
    return answer
  })

  expect(await countActiveCalls(withClient(world, client).store, admin, world.now, newShards)).toEqual({
    total: count,
    answered_calls: count / 2,
  })
  expect(received).toEqual([])
})

test('an account asks for the shards that hold its calls', async () => {
  const world = await aWorldInCall()
  const meter = createMeter()
  const pages = listActiveCalls(
    world.services.openStore(meter),
    { id: 10, usertype: 'user', owner_id: 0 },
    world.now,
    newShards,
  )

  expect((await pages.next()).value).toMatchObject([{ id: 7 }])
  expect(meter.spent).toMatchObject({ roundTrips: 1, requests: 1, read: 0.5 })
})

test('the calls of all shards come oldest first', async () => {
  const world = await aWorld({ users: people })
  const ids = [5, 21, 8, 40, 3, 19]
  for (const [age, id] of ids.entries()) {
    const start_time = world.now.getTime() / 1000 - age
    await addEvent(world.store, { ...event(world, 'started', { id, start_time }), id })
  }

  for (const caller of [admin, { id: 2, usertype: 'reseller', owner_id: 0 } as const]) {
    const calls = await activeCallsOf(world, caller)
    expect(calls.map(({ id }) => id)).toEqual([...ids].reverse())
  }
})

test('the own call of a reseller is shown to it, and to the reseller that it belongs to', async () => {
  const world = await aWorld({
    users: [...people, { ...people.find(({ id }) => id === '3'), id: '5', username: 'below', owner_id: '2' }],
  })
  await addEvent(world.store, event(world, 'started', { user_id: 5, dst_user_id: 5 }))
  const idsFor = async (id: number, owner_id: number) =>
    (await activeCallsOf(world, { id, usertype: 'reseller', owner_id })).map((call) => call.id)

  expect([await idsFor(5, 2), await idsFor(2, 0), await idsFor(3, 0)]).toEqual([[7], [7], []])
})
