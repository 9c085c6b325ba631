import { expect, test } from 'vitest'
import { countActiveCalls, listActiveCalls } from '#lib/calls/live/active-call-stored.ts'
import { addCallEvent } from '#lib/calls/live/active-call-writing.ts'
import { activeCallsOf } from '#test/dump.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { newShards } from '#test/shards.ts'
import { aWorld, type World } from '#test/world.ts'

const admin = { id: 0, usertype: 'admin', owner_id: 0 } as const

const call = {
  id: '1',
  start_time: '2026-03-10 11:58:00',
  user_id: '10',
  src: '1001',
  provider_name: 'Carrier',
}

async function aWorldWith(...active_calls: Record<string, string>[]): Promise<World> {
  const world = await aWorld({ users: people, devices: exampleDevices, active_calls })
  return world
}

/** The items of active calls with the keys of their indexes. */
const itemsOfCalls = async (world: World) =>
  (await world.dump())
    .filter(({ PK }) => PK.startsWith('ACTIVECALL#'))
    .map(({ PK, SK, GSI1PK, GSI2PK }) => [`${PK} ${SK}`, GSI1PK, GSI2PK])

test("a call is listed for everyone and each party's owner, and expires after 24 hours", async () => {
  const world = await aWorldWith({ ...call, dst_user_id: '20' })
  const items = (await world.dump()).filter(({ PK }) => PK.startsWith('ACTIVECALL#'))

  expect(await itemsOfCalls(world)).toEqual([
    ['ACTIVECALL#1 CALL', 'ACTIVE#OWNER#0#0', 'ACTIVE#1'],
    ['ACTIVECALL#1 SECOND', 'ACTIVE#OWNER#2#0', undefined],
  ])
  expect(items.map(({ expires_at }) => expires_at)).toEqual(
    [1, 2].map(() => Date.UTC(2026, 2, 11, 11, 58) / 1000),
  )
})

test('the list of a reseller has its own calls and those of its customers, each once', async () => {
  const world = await aWorldWith({ ...call, user_id: '2', dst_user_id: '20' })

  const pages = listActiveCalls(
    world.store,
    { id: 2, usertype: 'reseller', owner_id: 0 },
    world.now,
    newShards,
  )
  expect((await pages.next()).value).toMatchObject([{ id: 1 }])
  expect(await itemsOfCalls(world)).toMatchObject([
    ['ACTIVECALL#1 CALL', 'ACTIVE#OWNER#0#0', 'ACTIVE#1'],
    ['ACTIVECALL#1 SECOND', 'ACTIVE#OWNER#2#0', undefined],
  ])
})

test('the same rows again write nothing', async () => {
  const world = await aWorldWith(call)
  const [before, spent] = [await world.dump(), world.meter.spent.write]
  await world.given({ active_calls: [call] })

  expect(await world.dump()).toEqual(before)
  expect(world.meter.spent.write).toBe(spent)
})

test('a changed row replaces the call in every list', async () => {
  const world = await aWorldWith({ ...call, dst_user_id: '20' })
  await world.given({ active_calls: [{ ...call, start_time: '2026-03-10 11:59:00', dst_user_id: '30' }] })

  expect(await itemsOfCalls(world)).toEqual([
    ['ACTIVECALL#1 CALL', 'ACTIVE#OWNER#0#0', 'ACTIVE#1'],
    ['ACTIVECALL#1 SECOND', 'ACTIVE#OWNER#3#0', undefined],
  ])
  expect(await activeCallsOf(world)).toMatchObject([{ id: 1, dst_user_id: 30, provider_name: 'Carrier' }])
})

test('a call whose end was reported does not return to the list', async () => {
  const world = await aWorldWith(call)
  await addCallEvent(
    world.store,
    { kind: 'ended', id: 1, said: {}, at: world.now.getTime() / 1000 },
    newShards,
  )
  await world.given({ active_calls: [{ ...call, src: 'changed' }] })

  expect(await activeCallsOf(world)).toEqual([])
})

test('a call that is 24 hours old is not stored', async () => {
  const world = await aWorldWith({ ...call, start_time: '2026-03-09 11:59:59' })
  const items = (await world.dump()) as Record<string, unknown>[]

  expect(items.filter(({ PK }) => String(PK).startsWith('ACTIVE'))).toEqual([])
})

test.each([
  ['an unknown account', { user_id: '99' }, 'user_id: there is no account 99'],
  ['an unknown called account', { dst_user_id: '99' }, 'dst_user_id: there is no account 99'],
  ['an unknown device', { device_id: '99' }, 'device_id: there is no device 99'],
  ['an unknown called device', { dst_device_id: '99' }, 'dst_device_id: there is no device 99'],
  ['a start in the future', { start_time: '2026-03-10 12:06:00' }, 'start_time is in the future'],
  ['an answer before the start', { answer_time: '2026-03-10 11:57:59' }, 'answer_time is before start_time'],
  ['no start', { start_time: '' }, 'start_time must not be blank'],
])('refuses %s', async (_case, columns, reason) => {
  await expect(aWorldWith({ ...call, ...columns })).rejects.toThrow(`active_calls, row 1: ${reason}`)
})

test('the counts equal the length of the list', async () => {
  const world = await aWorldWith(call, { ...call, id: '2', answer_time: '2026-03-10 11:58:10' })

  expect(await countActiveCalls(world.store, admin, world.now, newShards)).toEqual({
    total: 2,
    answered_calls: 1,
  })
})
