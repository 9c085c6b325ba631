import { expect, test } from 'vitest'
import { secondsOf } from '#lib/base/calendar.ts'
import { suspenseOf } from '#test/dump.ts'
import {
  anOperator,
  csv,
  dialogEvent,
  reasonsOf,
  send,
  stored,
  zoeAppears,
} from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'
import { arrivalOrder, openMediation } from '../mediation.ts'
import { firstSeen, type NewSuspendedCdr, putSuspended, suspenseKeys } from '../suspense/suspense.ts'
import { enforceAgeLimits, measureSuspense, reasonsCuredBy, retryBatches, retryEntries } from './retry.ts'

const mediationOf = (world: World) => openMediation(world.store, world.now)

const nextDay = (world: World, days = 1): World =>
  Object.assign(world, { now: new Date(world.now.getTime() + days * 86_400_000) })

const ofZoe = (...ids: readonly string[]) => csv(ids.map((uniqueid) => ({ uniqueid, account_code: 'zoe' })))

const retry = async (world: World, after = '', hasTime = () => true, reasons = ['unknown_account']) =>
  retryBatches(await mediationOf(world), { reasons, after }, hasTime)

/** An entry as it is written without a CDR of a switch. */
const entry = (id: string, change: Partial<NewSuspendedCdr> = {}): NewSuspendedCdr => ({
  id,
  format: 'csv',
  source: 'gw',
  zone: 'UTC',
  reason: 'unreadable',
  detail: 'x',
  text: '',
  order: arrivalOrder(new Date('2026-03-10T09:00:00Z')),
  ...change,
})

test('each file cures reasons of its own, and calls cure none', () => {
  expect(reasonsCuredBy(['settings'])).toEqual(['unknown_account', 'unknown_rate', 'blocked_destination'])
  for (const file of ['users', 'devices', 'dids']) {
    expect(reasonsCuredBy([file])).toEqual(reasonsCuredBy(['settings']))
  }
  for (const file of ['currencies', 'tariffs', 'rates', 'providers']) {
    expect(reasonsCuredBy([file])).toEqual(['unknown_rate', 'blocked_destination'])
  }
  expect(reasonsCuredBy(['rates', 'users'])).toHaveLength(3)
  expect(reasonsCuredBy(['calls', 'constructor'])).toEqual([])
})

test('only entries with a wanted reason are retried', async () => {
  const world = await anOperator()
  await send(world, ofZoe('u1', 'u2'), csv([{ uniqueid: 'u3', billsec: 'many' }]))

  expect(await retry(world)).toEqual({ stored: 0, suspended: 2, next: undefined })
  await zoeAppears(world)
  expect(await retry(world, '', () => true, ['unknown_rate'])).toEqual({
    stored: 0,
    suspended: 0,
    next: undefined,
  })
  expect(await retry(world, '', () => true, [])).toEqual({ stored: 0, suspended: 0, next: undefined })
  expect(await retry(world)).toEqual({ stored: 2, suspended: 0, next: undefined })
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unreadable', tries: 1 }])
})

test('without reasons the list is not read', async () => {
  const world = await anOperator()
  await send(world, ofZoe('u1'))
  const pages: World['store']['pages'] = (query) => {
    if (query.partition === suspenseKeys.listed.partition()) throw new Error('The list was read')
    return world.store.pages(query)
  }

  const request = { reasons: [], after: '' }
  const mediation = { ...(await mediationOf(world)), store: { ...world.store, pages } }
  expect(await retryBatches(mediation, request, () => true)).toMatchObject({ stored: 0, next: undefined })
})

test('a run without time ends after a batch, and the next one resumes there', async () => {
  const world = await anOperator()
  await send(world, ofZoe('u1', 'u2', 'u3'))
  for (const { id } of await suspenseOf(world)) {
    await world.store.update(suspenseKeys.item(id), { set: { bytes: 15_000_000 } })
  }
  await zoeAppears(world)

  const first = await retry(world, '', () => false)
  expect(first).toEqual({ stored: 2, suspended: 0, next: expect.any(String) })
  expect(await suspenseOf(world)).toHaveLength(1)
  const second = await retry(world, first.next, () => false)
  expect(second).toEqual({ stored: 1, suspended: 0, next: expect.any(String) })
  expect(await retry(world, second.next, () => false)).toEqual({ stored: 0, suspended: 0, next: undefined })
  expect(await stored(world, 'u3')).toHaveLength(1)
})

test('a run without time at the end of the list is complete', async () => {
  const world = await anOperator()
  await putSuspended(world.store, [entry('large', { object: 'bucket/key' })])
  await world.store.update(suspenseKeys.item('large'), { set: { bytes: 30_000_000 } })

  const answers = [true, false]
  const report = await retry(world, '', () => answers.shift() ?? false, ['unreadable'])
  expect(report).toEqual({ stored: 0, suspended: 1, next: undefined })
})

test('batches have at most 2000 entries, and their counts add up', async () => {
  const world = await anOperator()
  const entries = Array.from({ length: 2001 }, (_, n) => entry(`e${n}`, { object: 'bucket/key' }))
  await putSuspended(world.store, entries)

  let asked = 0
  const hasTime = () => {
    asked += 1
    return true
  }
  const report = await retry(world, '', hasTime, ['unreadable'])
  expect({ asked, ...report }).toEqual({ asked: 2, stored: 0, suspended: 2001, next: undefined })
})

test('only the first run suspends overdue events and removes entries that are too old', async () => {
  const world = await anOperator()
  await send(world, ofZoe('u1'))
  await send(world, { format: 'kamailio-json', text: dialogEvent('INVITE', '200', 0) })
  nextDay(world, 3)
  await send(world, ofZoe('u2'))

  await retry(world, 'x')
  expect(await reasonsOf(world)).toEqual(['unknown_account', 'unknown_account'])
  await retry(world)
  expect((await reasonsOf(world)).toSorted()).toEqual(['no_end', 'unknown_account', 'unknown_account'])
  expect(await enforceAgeLimits(await mediationOf(world))).toEqual({ overdue: 0, expired: 0 })
  await world.set({ Suspense_Days: '2' })
  expect(await enforceAgeLimits(await mediationOf(world))).toEqual({ overdue: 0, expired: 1 })
  expect((await reasonsOf(world)).toSorted()).toEqual(['no_end', 'unknown_account'])
})

test('suspense is measured by its entries and its oldest one', async () => {
  const world = await anOperator()
  expect(await measureSuspense(await mediationOf(world))).toEqual({
    suspense_entries: 0,
    suspense_oldest_hours: 0,
  })
  await send(world, ofZoe('u1'))
  nextDay(world)
  await send(world, ofZoe('u2', 'u3'))

  expect(await measureSuspense(await mediationOf(world))).toEqual({
    suspense_entries: 3,
    suspense_oldest_hours: 24,
  })
})

test('an entry with the id of an earlier version gives its age to the new one', async () => {
  const world = await anOperator()
  const first = new Date('2026-03-01T00:00:00Z')
  const order = arrivalOrder(first)
  await putSuspended(world.store, [entry('earlier', { text: ofZoe('u1'), order })])

  expect(await retryEntries(await mediationOf(world), await suspenseOf(world))).toEqual({
    stored: 0,
    suspended: 1,
  })
  const entries = await suspenseOf(world)
  expect(entries.map((one) => [one.reason, firstSeen(one)])).toEqual([['unknown_account', secondsOf(first)]])
  expect(entries[0]?.id).not.toBe('earlier')
})

test('an entry whose text is outside of the table stays', async () => {
  const world = await anOperator()
  await putSuspended(world.store, [entry('large', { object: 'bucket/key' })])

  expect(await retry(world, '', () => true, ['unreadable'])).toMatchObject({ stored: 0, suspended: 1 })
  expect(await suspenseOf(world)).toMatchObject([{ id: 'large', tries: 1 }])
})
