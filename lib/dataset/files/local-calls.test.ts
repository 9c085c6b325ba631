import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { listLocalCalls } from '#lib/calls/local-call.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'

const call = {
  uniqueid: 'a',
  calldate: '2026-03-10 09:00:00',
  originator_user_id: '10',
  terminator_user_id: '20',
}

async function aWorldWith(...local_calls: Record<string, string>[]): Promise<World> {
  const world = await aWorld({ users: people, local_calls })
  return world
}

test('the same rows again write nothing', async () => {
  const world = await aWorldWith(call, { ...call, uniqueid: 'b' })
  const [before, spent] = [await world.dump(), world.meter.spent.write]
  await world.given({ local_calls: [call, { ...call, uniqueid: 'b' }] })

  expect(await world.dump()).toEqual(before)
  expect(world.meter.spent.write).toBe(spent)
})

test('a changed row moves to its new day and its new parties', async () => {
  const world = await aWorldWith(call)
  await world.given({ local_calls: [{ ...call, calldate: '2026-03-09 09:00:00', terminator_user_id: '30' }] })

  const lists = [{ user: 10 }, { user: 20 }, { user: 30 }, { owner: 2 }, { owner: 3 }]
  const counts = lists.map(async (scope) => (await listLocalCalls(world.store, scope, ALL_TIME)).about)
  expect(await Promise.all(counts)).toEqual([1, 0, 1, 0, 1])
})

test.each([
  [
    'no end',
    { originator_user_id: '', terminator_user_id: '' },
    'takes an originator_user_id or a terminator_user_id',
  ],
  [
    'an originator that is not there',
    { originator_user_id: '99' },
    'originator_user_id: there is no account 99',
  ],
  [
    'a terminator that is not there',
    { terminator_user_id: '99' },
    'terminator_user_id: there is no account 99',
  ],
  [
    'a unique id of 201 characters',
    { uniqueid: 'é'.repeat(201) },
    'uniqueid takes: text of at most 200 characters',
  ],
  ['an unreadable date', { calldate: '' }, 'calldate must not be blank'],
])('refuses %s', async (_case, columns, reason) => {
  await expect(aWorldWith({ ...call, ...columns })).rejects.toThrow(`local_calls, row 1: ${reason}`)
})

test('a unique id of 200 characters can be stored, even with several bytes per character', async () => {
  const world = await aWorldWith({ ...call, uniqueid: '😀'.repeat(200) })

  expect((await listLocalCalls(world.store, { user: 10 }, ALL_TIME)).about).toBe(1)
})
