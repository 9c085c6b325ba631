import { expect, test } from 'vitest'
import type { CallEvent } from '#lib/domain/calls/active-call.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import type { Store } from '#lib/store/store.ts'
import { people } from '#lib/testing/examples.ts'
import { aWorld, type World } from '#lib/testing/world.ts'
import { addCallEvent, countActiveCalls, listActiveCalls } from './active-call.ts'

const admin = { id: 0, usertype: 'admin', owner_id: 0 } as const

const event = (world: World, kind: CallEvent['kind'], said: CallEvent['said'] = {}): CallEvent => {
  const at = world.now.getTime() / 1000
  const start = kind === 'started' ? { start_time: at - 60, user_id: 10, dst_user_id: 20 } : {}
  return { kind, id: 7, at, said: { id: 7, ...start, ...said } }
}

async function aWorldInCall(): Promise<World> {
  const world = await aWorld({ users: people })
  await addCallEvent(world.store, event(world, 'started'))
  return world
}

/** A store on which something else happens just before the first transaction. */
function overtaken(store: Store, meanwhile: () => Promise<unknown>): Store {
  let isFirst = true
  return {
    ...store,
    transact: async (changes) => {
      if (isFirst) await meanwhile()
      isFirst = false
      await store.transact(changes)
    },
  }
}

test.each(['started', 'answered'] as const)('an end that overtakes a late %s is final', async (kind) => {
  const world = await aWorldInCall()
  const store = overtaken(world.store, () => addCallEvent(world.store, event(world, 'ended')))

  expect(await addCallEvent(store, event(world, kind, { channel: 'changed' }))).toBe('unchanged')
  expect(await countActiveCalls(world.store, admin, world.now)).toEqual({ total: 0, answered_calls: 0 })
})

test('an answer that overtakes the end leaves no copy behind', async () => {
  const world = await aWorldInCall()
  const moved = event(world, 'answered', { dst_user_id: 30 })
  const store = overtaken(world.store, () => addCallEvent(world.store, moved))
  await addCallEvent(store, event(world, 'ended'))

  const items = (await world.dump()) as { PK: string }[]
  expect(items.map(({ PK }) => PK).filter((key) => key.startsWith('ACTIVE'))).toEqual(['ACTIVECALL#7'])
})

test('an event costs a transaction over the copies of its call, and three round trips', async () => {
  const world = await aWorldInCall()
  const meter = createMeter()
  await addCallEvent(world.services.openStore(meter), event(world, 'answered'))

  const copies = ['ACTIVECALL#7', 'ACTIVE', 'USER#10', 'USER#20', 'OWNER#0', 'OWNER#2'].length
  expect(meter.spent).toMatchObject({ roundTrips: 3, read: 3, write: 2 * copies })
})

test('calls that were answered are counted apart; each list is asked once', async () => {
  const world = await aWorldInCall()
  await addCallEvent(world.store, {
    ...event(world, 'answered'),
    id: 8,
    said: { ...event(world, 'started').said, id: 8 },
  })
  const meter = createMeter()
  const store = world.services.openStore(meter)

  expect(await countActiveCalls(store, { id: 2, usertype: 'reseller', owner_id: 0 }, world.now)).toEqual({
    total: 2,
    answered_calls: 1,
  })
  expect(meter.spent).toMatchObject({ roundTrips: 1, read: 1 })
})

test('a list is read page by page, and only as far as somebody asks', async () => {
  const world = await aWorld({ users: people })
  const filler = 'x'.repeat(3900)
  for (let id = 0; id < 320; id += 1) {
    const said = { ...event(world, 'started').said, id, channel: filler }
    await addCallEvent(world.store, { ...event(world, 'started'), id, said })
  }
  const meter = createMeter()
  const pages = listActiveCalls(world.services.openStore(meter), admin, world.now)

  expect((await pages.next()).value?.length).toBeGreaterThan(200)
  expect(meter.spent.requests).toBe(1)
})
