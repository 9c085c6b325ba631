import { beforeEach, expect, test } from 'vitest'
import type { Refusal } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import { type Shards, shardsIn } from '#lib/base/shards.ts'
import { BLANK_CALL, type Call } from '#lib/calls/call.ts'
import { storeCalls } from '#lib/calls/call-storage.ts'
import { addCallEvent } from '#lib/calls/live/active-call-writing.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import { people } from '#test/examples/examples.ts'
import { newPlaces } from '#test/shards.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World, warmCalls } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { method as activeCallsGet } from '../../../functions/calls/active_calls_get.ts'
import { method as quickstatsGet } from '../../../functions/calls/quickstats_get.ts'
import { changeShards, showShards } from './settings.ts'

let world: World

beforeEach(async () => {
  world = await aWorld({ users: people }, { Show_Active_Calls_for_Users: '1' })
})

const noWait = () => Promise.resolve()

const grow = (number: string, wait: (milliseconds: number) => Promise<unknown> = noWait) =>
  carryOutAs(world.store, changeShards(wait), { as: 'admin', now: world.now }, { number })

const shardsNow = async (): Promise<Shards> => shardsIn(await findSettings(world.store))

test('a new table has 2 shards, and one of an earlier release 16', async () => {
  expect(await showShards(world.store)).toBe(2)
  await world.store.update(settingsKey, { set: { shards: undefined } })
  expect(await showShards(world.store)).toBe(16)
})

test.each([
  ['4', /4 is below 8, .*npx tollgate export/],
  ['12', /12 is none of 2, 4, 8, 16, 32, 64/],
  ['008', /008 is none of/],
])('a table with 8 shards refuses %s', async (number, message) => {
  await grow('8')

  await expect(grow(number)).rejects.toMatchObject({ values: { says: expect.stringMatching(message) } })
  expect(await shardsNow()).toEqual({ written: 8, asked: [2, 8] })
})

test('a table of an earlier release grows from 16 shards only', async () => {
  await world.store.update(settingsKey, { set: { shards: undefined } })

  await expect(grow('8')).rejects.toThrow('8 is below 16')
  await grow('32')
  expect(await shardsNow()).toEqual({ written: 32, asked: [16, 32] })
})

test('writers use the new shards only after the wait, and an interrupted change resumes', async () => {
  const interrupted = grow('8', () => Promise.reject(new Error('killed')))
  await expect(interrupted).rejects.toThrow('killed')
  expect(await shardsNow()).toEqual({ written: 2, asked: [2, 8] })

  await grow('8')
  expect(await shardsNow()).toEqual({ written: 8, asked: [2, 8] })
  expect((await world.dump()).filter(({ SK }) => SK.startsWith('LOG#'))).toMatchObject([
    { name: 'shards', before: '2', after: '8', who: 'admin' },
    { name: 'shards', before: '2', after: '8', who: 'admin' },
  ])
})

test('of two changes at the same time, the first is refused', async () => {
  const first = grow('8', () => grow('16'))

  await expect(first).rejects.toMatchObject({ code: 'object_changed' })
  expect(await shardsNow()).toEqual({ written: 16, asked: [2, 16] })
})

test('a change needs an account that may change settings', async () => {
  const grown = carryOutAs(world.store, changeShards(noWait), { as: 'bob', now: world.now }, { number: '8' })

  const refusal = await grown.catch((error: Refusal) => error)
  expect(refusalForPeople(refusal as Refusal).message).toBe(
    'This takes an admin, or an account with the permission api_settings',
  )
})

const START = Date.parse('2026-03-10T11:00:00Z') / 1000

const answered = (number: number): Call => ({
  ...BLANK_CALL,

  uniqueid: `call-${number}`,
  calldate: START,
  day: '2026-03-10',
  disposition: 'ANSWERED',
  duration: 60,
  billsec: 60,
  hangupcause: 16,
  user_id: 10,
  owner_id: 0,
  direct: true,
  src: '',
  dst: '',
  digest: 'of a CDR',
  rated: '',
  charged: undefined,
  held_at: undefined,
  version: 1,
})

const started = (id: number) => ({
  kind: 'started' as const,
  id,
  at: START,
  said: { id, start_time: START, user_id: 10, dst_user_id: 20 },
})

/** The answer of warm functions to each caller. They remember the settings for a second. */
async function seen(call: World['call']) {
  const stats = await call(quickstatsGet, 'admin')
  const listed = await Promise.all(
    ['admin', 'rick', 'bob'].map(async (name) => (await call(activeCallsGet, name)).split('<id>').length - 1),
  )
  const [counted] = /(?<=<today><calls>)\d+/.exec(stats) ?? []
  const [inProgress] = /(?<=<total>)\d+/.exec(stats) ?? []
  return [Number(counted), Number(inProgress), ...listed]
}

test.each([['4', '16'], ['64']])(
  'a table that grows to %s is read completely at each step, by functions that remember its settings',
  async (...numbers) => {
    const warm = warmCalls(world)
    let written = 0
    /** Writes an answered call and one in progress with these shards, and reads at once. */
    const writeAndRead = async (shards: Shards): Promise<void> => {
      for (let times = 0; times < 3; times += 1) {
        written += 1
        const change = { before: undefined, after: answered(written) }
        await storeCalls({ store: world.store, settings: { ...readSettings({}), ...newPlaces, shards } }, [
          change,
        ])
        await addCallEvent(world.store, started(written), shards)
      }
      expect(await seen(warm)).toEqual([written, written, written, written, written])
    }
    const pass = (milliseconds: number) => {
      world.now = new Date(world.now.getTime() + milliseconds)
    }
    for (const number of numbers) {
      const before = await shardsNow()
      await writeAndRead(before)
      await grow(number, async (milliseconds) => {
        await writeAndRead(await shardsNow())
        pass(milliseconds)
        await writeAndRead(before)
      })
      await writeAndRead(await shardsNow())
      await writeAndRead(before)
      pass(1000)
      await writeAndRead(await shardsNow())
    }
    expect(await damageIn(world)).toEqual([])
  },
)
