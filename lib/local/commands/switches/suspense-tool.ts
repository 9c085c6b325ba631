import { type IntakeWorld, openIntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { reasonsCuredBy } from '#lib/ingest/switches/retry-lots.ts'
import { retrySuspended, suspendOverdue } from '#lib/ingest/switches/retry-suspended.ts'
import { Failure } from '#lib/local/failure.ts'
import { findSuspended, removeSuspended, type Suspended } from '#lib/store/calls/suspense.ts'
import type { Store } from '#lib/store/store.ts'
import { type SuspenseFilter, suspendedPages } from './suspense-filter.ts'
import { type SwitchWish, switchWritesAs } from './switch-wish.ts'

/** A line for each record, oldest first: its id, age, switch, reason; then how many there are. */
export async function* describeSuspense(world: IntakeWorld, filter: SuspenseFilter): AsyncGenerator<string> {
  await suspendOverdue(world)
  let count = 0
  for await (const record of recordsOf(world, filter)) {
    count += 1
    yield `${record.id}  ${ageOf(world, record)}  ${record.source}  ${record.reason}: ${record.detail}`
  }
  yield `${count} in suspense`
}

/** All there is to know about a record, its own text last. */
export async function showSuspended(world: IntakeWorld, id: string): Promise<string[]> {
  const record = await recordNamed(world, id)
  const { reason, detail, source, format, tries, document } = record
  return [
    `${reason}: ${detail}`,
    `from ${source} as ${format}, ${ageOf(world, record)} old, tried ${tries} times`,
    document,
  ]
}

/** Takes them in once more; read in another way than when they came, where the wish says how their switch writes. */
export async function retrySuspense(
  world: IntakeWorld,
  filter: SuspenseFilter,
  wish: SwitchWish = {},
): Promise<string> {
  const writesAs = switchWritesAs(wish)
  await suspendOverdue(world)
  let [cured, left] = [0, 0]
  for (const some of await allOf(world, filter)) {
    const outcome = await retrySuspended(
      world,
      some.map((record) => ({ ...record, ...writesAs })),
    )
    cured += outcome.cured
    left += outcome.left
  }
  return `${cured} left suspense, ${left} stay`
}

/** What an import of these files of a dataset cured, in words; `undefined` when it could cure nothing in suspense. */
export async function retryAfterImport(
  store: Store,
  files: readonly string[],
  now: Date,
): Promise<string | undefined> {
  const reasons = reasonsCuredBy(files)
  if (reasons.length === 0) return undefined
  const outcome = await retrySuspense(await openIntakeWorld(store, now), { reasons })
  return outcome === NOTHING_TRIED ? undefined : `suspense: ${outcome}`
}

const NOTHING_TRIED = '0 left suspense, 0 stay'

/** Gives a record up for good. */
export async function dropSuspended(world: IntakeWorld, id: string): Promise<string> {
  const { reason, detail } = await recordNamed(world, id)
  await removeSuspended(world.store, [id])
  return `Dropped ${id} (${reason}: ${detail})`
}

/** The same for all that are meant, when whoever asks agrees to how many these are. Throws Failure when nobody does. */
export async function dropAll(
  world: IntakeWorld,
  filter: SuspenseFilter,
  agreed: (count: number) => Promise<boolean>,
): Promise<string> {
  const ids: string[] = []
  for await (const { id } of recordsOf(world, filter)) ids.push(id)
  if (ids.length === 0) return 'Nothing in suspense is meant'
  if (!(await agreed(ids.length))) throw new Failure('Nothing was dropped: --yes does it')
  await removeSuspended(world.store, ids)
  return `Dropped ${ids.length}`
}

async function recordNamed({ store }: IntakeWorld, id: string): Promise<Suspended> {
  const record = /^[0-9a-f]{24}$/.test(id) ? await findSuspended(store, id) : undefined
  if (!record) throw new Failure(`There is no record ${id} in suspense: npm run suspense -- list shows all`)
  return record
}

async function* recordsOf(world: IntakeWorld, filter: SuspenseFilter) {
  for await (const page of suspendedPages(world, filter)) yield* page
}

/** Gathered before the first is tried: trying them moves none in the list, but the ends of one call belong together. */
async function allOf(world: IntakeWorld, filter: SuspenseFilter): Promise<Suspended[][]> {
  const all: Suspended[] = []
  for await (const page of suspendedPages(world, filter)) all.push(...page)
  return all.length === 0 ? [] : [all]
}

const HOUR = 3600

function ageOf({ now }: IntakeWorld, { first_seen }: Suspended): string {
  const hours = Math.max(0, Math.floor((now - first_seen) / HOUR))
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}
