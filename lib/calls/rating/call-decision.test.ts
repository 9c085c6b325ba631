import { expect, test } from 'vitest'
import { refusedFor, rowRefused } from '#lib/base/row-refused.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { carolsCall, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { findCalls } from '../call.ts'
import type { CallChange } from '../counted-change.ts'
import { writeCalls } from './call-writing.ts'
import { chargedDay, latestRatable, obstacleIn } from './change-calls.ts'

test.each([
  [rowRefused('no rate'), { reason: 'unknown_rate', detail: 'no rate' }],
  [refusedFor('blocked_destination', 'blocked'), { reason: 'blocked_destination', detail: 'blocked' }],
])('the obstacle %s has a reason', (error, obstacle) => {
  expect(obstacleIn(error)).toEqual(obstacle)
})

test('an error that says nothing about the call is not an obstacle', () => {
  expect(() => obstacleIn(new Error('DynamoDB cannot be reached'))).toThrow('cannot be reached')
})

async function aCall() {
  const { store } = await aWorld(threeTariffs)
  await writeCalls(store, [{ row: { ...carolsCall, user_price: '1' }, digest: '' }], () => true)
  const [call] = await findCalls(store, [carolsCall])
  if (!call) throw new Error('no call')
  return call
}

test('the last version that can be rated stands for those before it', async () => {
  const change: CallChange = { before: undefined, after: await aCall() }
  const seen: number[] = []
  const decide = (refused: readonly number[]) =>
    latestRatable([1, 2, 3], async (version) => {
      seen.push(version)
      return refused.includes(version) ? { reason: `${version} has no rate` } : change
    })

  expect(await decide([1, 3])).toEqual({
    change,
    accepted: [1, 2],
    refused: new Map([[3, { reason: '3 has no rate' }]]),
  })
  expect(seen).toEqual([3, 2])
  expect(await decide([1, 2, 3])).toMatchObject({ change: undefined, accepted: [] })
})

test('a call is charged by its day, and while it stays on its day that does not change', async () => {
  const before = { ...(await aCall()), charged: true as const }
  const settings = readSettings({ Balance_From: '2026-03-11' })
  const { day } = before

  expect(chargedDay(day, settings, undefined)).toEqual({ day, charged: undefined })
  expect(chargedDay(day, settings, before)).toEqual({ day, charged: true })
  expect(chargedDay('2026-03-09', settings, before)).toEqual({ day: '2026-03-09', charged: undefined })
  expect(chargedDay('2026-03-11', settings, before)).toEqual({ day: '2026-03-11', charged: true })
  expect(chargedDay('2026-03-11', settings, { ...before, day: '2026-03-11', charged: undefined })).toEqual({
    day: '2026-03-11',
    charged: undefined,
  })
})
