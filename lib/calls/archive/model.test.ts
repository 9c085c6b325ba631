import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TableClient } from '#lib/table/requests/client.ts'
import { createStore } from '#lib/table/store.ts'
import { type ArchivedWorld, anArchivedWorld } from '#test/archive/archived-world.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { counted, referenceSums, withoutZeros } from '#test/plain-sums.ts'
import { damageIn } from '#test/soundness.ts'
import { runs } from '#test/sweep.ts'
import { identityName, isCall, readCall } from '../call.ts'
import type { ArchiveBucket } from './bucket.ts'

const OWNERS: Readonly<Record<string, string>> = { 10: '0', 20: '2', 30: '3' }

type Row = Readonly<Record<string, string>>

const row = fc.record({
  uniqueid: fc.integer({ min: 0, max: 11 }).map((number) => `call-${number}`),
  user_id: fc.constantFrom(...Object.keys(OWNERS)),
  user_price: fc.constantFrom('0.1', '2', '30'),
  reseller_price: fc.constantFrom('', '1'),
  hangupcause: fc.constantFrom('16', '16', '17'),
})

/** A call keeps its day, as calls of switches do. */
const dayOfRow = ({ uniqueid = '' }: Row): string => `2026-03-0${4 + (Number(uniqueid.slice(5)) % 4)}`

/** The calls of a day are in several parts of it. */
const timeOfRow = ({ uniqueid = '' }: Row): string =>
  `${String(2 * Number(uniqueid.slice(5))).padStart(2, '0')}:00:00`

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ store: fc.array(row, { minLength: 1, maxLength: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ dieAfter: fc.integer({ min: 0, max: 90 }) }) },
  { weight: 2, arbitrary: fc.constant('run' as const) },
  { weight: 2, arbitrary: fc.constant('a day passes' as const) },
)

class Killed extends Error {}

/** The bucket and the table of a process that is killed after a number of requests. */
function dying({ table, bucket }: ArchivedWorld, requests: number) {
  let left = requests
  const count = () => {
    left -= 1
    if (left < 0) throw new Killed()
  }
  const client = {
    send: (...request: Parameters<TableClient['send']>) => {
      count()
      return table.client.send(...request)
    },
  } as TableClient
  const dyingBucket: ArchiveBucket = {
    open: async (key) => {
      count()
      return bucket.open(key)
    },
    write: async (...object) => {
      count()
      const version = await bucket.write(...object)
      count()
      return version
    },
    remove: bucket.remove,
  }
  return { client, bucket: dyingBucket }
}

async function runUntilKilled(world: ArchivedWorld, requests: number): Promise<void> {
  const { client, bucket } = dying(world, requests)
  const killed = createStore({ ...world.table, client, meter: world.meter })
  await world.archive(bucket, killed).catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error
  })
}

const cellsOf = (cells: Row): Row =>
  listedCall(cells['uniqueid'] ?? '', { calldate: `${dayOfRow(cells)} ${timeOfRow(cells)}`, ...cells })

/** The latest version of each call in table and archive, and how many copies the archive has. */
async function everyCopy(world: ArchivedWorld) {
  const days = ['04', '05', '06', '07'].map((day) => `2026-03-${day}`)
  const archived = (await Promise.all(days.map(world.archivedCalls))).flat()
  const inTable = (await world.dump()).filter(isCall).map(readCall)
  const latest = new Map<string, (typeof inTable)[number]>()
  for (const call of [...archived, ...inTable]) {
    const known = latest.get(identityName(call))
    if (!known || known.version <= call.version) latest.set(identityName(call), call)
  }
  return { latest: [...latest.values()], archived }
}

const plain = ({
  uniqueid,
  user_id,
  user_price,
  reseller_price = '',
  hangupcause,
}: Readonly<Record<string, unknown>>) =>
  [uniqueid, user_id, user_price, reseller_price, hangupcause].map(String).join(' ')

async function check(world: ArchivedWorld, stored: ReadonlyMap<string, Row>): Promise<void> {
  const rows = [...stored.values()]
  const { latest } = await everyCopy(world)
  expect(latest.map(plain).sort()).toEqual(rows.map(plain).sort())
  const counters = counted((await world.dump()).map(({ late: _, ...item }) => item))
  expect(withoutZeros(counters)).toEqual(withoutZeros(referenceSums(OWNERS, rows)))
}

/** After a whole run nothing is left to do, and the archive is equal to the counters. */
async function checkComplete(world: ArchivedWorld): Promise<void> {
  expect((await world.archive()).map(({ outcome }) => outcome)).not.toContain('refused')
  expect(await world.archive()).toEqual([])
  expect(await damageIn(world)).toEqual([])
  const { archived } = await everyCopy(world)
  expect(new Set(archived.map(identityName)).size).toBe(archived.length)
}

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function take(world: ArchivedWorld, stored: Map<string, Row>, taken: Step): Promise<void> {
  if (taken === 'run') return checkComplete(world)
  if (taken === 'a day passes') {
    world.now = new Date(world.now.getTime() + 25 * 3_600_000)
    return world.expire()
  }
  if ('dieAfter' in taken) return runUntilKilled(world, taken.dieAfter)
  const rows = taken.store.map(cellsOf)
  await world.given({ calls: rows })
  for (const cells of rows) stored.set(cells['uniqueid'] ?? '', cells)
}

test('no call is in neither place and none counts twice, however often a run is killed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const world = await anArchivedWorld({ users: people }, { Calls_Keep_Days: '4' })
      world.partSize = 1
      const stored = new Map<string, Row>()
      for (const taken of [...steps, 'run'] as const) {
        await take(world, stored, taken)
        await check(world, stored)
      }
    }),
    { numRuns: runs(6, 30) },
  )
})
