import { expect, test } from 'vitest'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import {
  anOperator,
  dialogEvent,
  reasonsOf,
  send,
  zoeAppears,
  zoesDialog,
} from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { retryEntries, suspendOverdue } from '../pipeline/retry.ts'

const sendEvent = (world: World, text: string) => send(world, { format: 'kamailio-json', text })

const retry = async (world: World) =>
  retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))

test('a retry correlates suspended dialog events', async () => {
  const world = await anOperator()
  const [invite = '', bye = ''] = zoesDialog
  await sendEvent(world, invite)
  expect(await sendEvent(world, bye)).toMatchObject({ suspended: 1 })
  expect(await reasonsOf(world)).toEqual(['unknown_account', 'unknown_account'])

  world.now = new Date('2026-03-20T12:00:00Z')
  expect(await retry(world)).toEqual({ stored: 0, suspended: 2 })
  await zoeAppears(world)
  expect(await retry(world)).toEqual({ stored: 2, suspended: 0 })
  expect(await searchedCalls(world)).toMatchObject([{ user_id: 77, billsec: 60, version: 1 }])
})

test('a BYE that comes after its INVITE was suspended ends the call at the retry', async () => {
  const world = await anOperator()
  await world.set({ Max_Call_Hours: '72' })
  await sendEvent(world, dialogEvent('INVITE', '200', 0))
  world.now = new Date('2026-03-12T12:00:00Z')
  await suspendOverdue(await openMediation(world.store, world.now))
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'no_end' }])

  expect(await sendEvent(world, dialogEvent('BYE', '200', 50 * 3600))).toMatchObject({ pending: 1 })
  expect(await retry(world)).toEqual({ stored: 1, suspended: 0 })
  expect(await searchedCalls(world)).toMatchObject([{ billsec: 50 * 3600 }])
})

test('a BYE before the answer of its INVITE is suspended with it, until a later BYE comes', async () => {
  const world = await anOperator()
  await sendEvent(world, dialogEvent('BYE', '200', -30))

  expect(await sendEvent(world, dialogEvent('INVITE', '200', 0))).toMatchObject({ suspended: 1, stored: 0 })
  expect(await reasonsOf(world)).toEqual(['impossible_time', 'impossible_time'])
  expect(await searchedCalls(world)).toEqual([])
  await sendEvent(world, dialogEvent('BYE', '200', 60))
  await retry(world)
  expect(await searchedCalls(world)).toMatchObject([{ billsec: 60 }])
})
