import fc from 'fast-check'
import { expect, test } from 'vitest'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { betweenMoments } from '#lib/table/keys.ts'
import type { TableClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { destinations } from '#test/examples/tariffs.ts'
import { damageIn } from '#test/soundness.ts'
import { runs } from '#test/sweep.ts'
import { aWorld, type World } from '#test/world.ts'
import { findCalls } from '../call.ts'
import { removeRepeatedCall } from '../call-storage.ts'
import { listDaysOfCalls } from '../counters/call-stats.ts'
import { listDayGroups } from '../counters/day-groups.ts'
import { sumUpDays } from './day-groups.ts'
import { openDirectory } from './directory.ts'
import { readDay } from './hour-sums.ts'

const DAYS = ['2026-03-09', '2026-03-10']

type Row = Readonly<Record<string, string>>

const rowOf = (cells: Row): Row =>
  listedCall(cells['uniqueid'] ?? '', {
    user_price: '0.3',
    provider_price: '0.1',
    ...(cells['user_id'] === '20' && { device_id: '200' }),
    ...cells,
  })

const sumUp = async (world: World, store: Store, hasTime = () => true) =>
  sumUpDays({ store, settings: await settingsOf(store), now: world.now, hasTime })

/** A store that counts pages of lists of calls and dies after a number of requests. */
function dying(world: World, requests: number) {
  let left = requests
  const send = (...request: Parameters<TableClient['send']>) => {
    left -= 1
    if (left < 0) throw new Error('killed')
    return world.table.client.send(...request)
  }
  return createStore({ ...world.table, client: { send } as TableClient, meter: createMeter() })
}

/** The stored sums of both days, and the same from all of their calls. */
async function storedAndRead(world: World) {
  const settings = await settingsOf(world.store)
  const locate = await openDirectory(world.store, settings)
  const sums: [stored: unknown, read: unknown][] = []
  for (const day of DAYS) {
    const { groups, belowCost } = await readDay({ ...world, settings, locate }, day)
    const stored = await Promise.all(
      (['customer', 'destination'] as const).map(async (by) =>
        (await listDayGroups(world.store, by, { from: day, till: day })).get(day),
      ),
    )
    const lines = stored
      .flatMap((one) => one?.groups ?? [])
      .map((one) => [one.id ?? one.name, one.attempts, one.answered, one.seconds, one.revenue, one.cost])
    sums.push([
      { lines: lines.map(String).sort(), belowCost: stored[0]?.belowCost ?? 0 },
      {
        lines: groups
          .map(([key, one]) => String([key, one.attempts, one.answered, one.billsec, one.revenue, one.cost]))
          .sort(),
        belowCost,
      },
    ])
  }
  return sums
}

const row = fc.record({
  uniqueid: fc.integer({ min: 0, max: 4 }).map((number) => `call-${number}`),
  calldate: fc
    .tuple(fc.constantFrom(...DAYS), fc.constantFrom('00', '08', '09', '23'))
    .map(([day, hour]) => `${day} ${hour}:30:00`),
  user_id: fc.constantFrom('10', '20'),
  dst: fc.constantFrom('442079460000', '4930123456', '999'),
  user_price: fc.constantFrom('0.05', '0.3'),
  disposition: fc.constantFrom('ANSWERED', 'BUSY'),
})

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ store: fc.array(row, { minLength: 1, maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ dieAfter: fc.integer({ min: 3, max: 40 }) }) },
  { weight: 2, arbitrary: fc.constant('run' as const) },
)

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Removes a call as the mediation does with one that was stored twice. */
async function remove(world: World, number: number): Promise<void> {
  const [call, ...others] = await findCalls(
    world.store,
    [number, ...Array.from({ length: 10 }, (_, index) => index)].map((one) => ({ uniqueid: `call-${one}` })),
  )
  const standing = others.find((one) => one && one.uniqueid !== call?.uniqueid)
  const settings = await settingsOf(world.store)
  if (call && standing) await removeRepeatedCall({ store: world.store, settings }, call, standing)
}

async function take(world: World, taken: Step): Promise<void> {
  if (taken === 'run') {
    await sumUp(world, world.store)
    for (const [stored, read] of await storedAndRead(world)) expect(stored).toEqual(read)
  } else if ('store' in taken) await world.given({ calls: taken.store.map(rowOf) })
  else if ('remove' in taken) await remove(world, taken.remove)
  else await sumUp(world, dying(world, taken.dieAfter)).catch(() => undefined)
}

test('whatever came, was corrected, moved or removed, and wherever runs were killed, sums equal a full reading', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      const world = await aWorld({ users: people, destinations })
      for (const taken of [...steps, 'run'] as const) await take(world, taken)
      const counted = await listDaysOfCalls(world.store, 'everyone', {
        from: '2026-03-01',
        till: '2026-03-31',
      })
      expect(counted.flatMap(({ hours }) => hours)).toEqual([])
      expect(await sumUp(world, world.store)).toEqual([])
      expect(await damageIn(world)).toEqual([])
    }),
    { numRuns: runs(3, 60) },
  )
}, 120_000)

test('a correction of the called number alone is noticed, and only its hour is read', async () => {
  const on = (uniqueid: string, hour: string, dst: string) =>
    rowOf({ uniqueid, calldate: `${DAYS[1]} ${hour}:30:00`, dst })
  const calls = [on('a', '08', '442079460000'), on('b', '09', '442079460000'), on('c', '10', '442079460000')]
  const world = await aWorld({ users: people, destinations, calls })
  await sumUp(world, world.store)
  await world.given({ calls: [on('b', '09', '4930123456')] })
  const read = new Set<string>()
  const pages: Store['pages'] = (query) => {
    if (query.index === 'GSI2') read.add(String(query.between))
    return world.store.pages(query)
  }

  expect(await sumUp(world, { ...world.store, pages })).toEqual([DAYS[1]])

  const hour = Date.UTC(2026, 2, 10, 9) / 1000
  expect([...read]).toEqual([String(betweenMoments(hour, hour + 3599))])
  for (const [stored, whole] of await storedAndRead(world)) expect(stored).toEqual(whole)
  expect(await sumUp(world, world.store)).toEqual([])
})
