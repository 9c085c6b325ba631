import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pMap from 'p-map'
import {
  addDays,
  DAY_SECONDS,
  type Day,
  type Days,
  EVERY_DAY,
  type Seconds,
  secondsOf,
} from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import { absent, is } from '#lib/table/requests/changes.ts'
import { hasWritten, objectChanged } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { table } from '#lib/table/table.ts'
import {
  type ArchivedDay,
  isComplete,
  listArchivedDays,
  moveArchivedBefore,
  putArchivedDay,
} from '../archived-day.ts'
import { callKeys } from '../call.ts'
import { listDaysOfCalls } from '../counters/call-stats.ts'
import { firstKeptDay, isArchivedDay } from '../retention.ts'
import { type Archiving, type DayRun, type HasTime, type WrittenDay, writeDay } from './archive-day.ts'
import { leavingInFile } from './call-file.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { type LeavingCall, openProgress } from './progress.ts'

/**
 * The outcome of a run for one day. `open`: calls were changed meanwhile, and the next run takes them in.
 * `unfinished`: time was up, and the next run continues. `elsewhere`: another run archives the day.
 */
export type DayOutcome = { readonly day: Day } & (
  | { readonly outcome: 'archived' | 'open'; readonly manifest: Manifest }
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] }
  | { readonly outcome: 'unfinished' | 'elsewhere' }
)

/**
 * Archives the days that are older than Calls_Keep_Days, oldest first, and archived days with late changes
 * again. Yields the outcome of each day. A day whose calls do not equal its counters stays in the table, and
 * so do all later ones. Without the setting nothing happens, and no day is read; while calls move to the days
 * of another zone or another Balance_From, none is archived.
 */
export async function* runArchive(archiving: Archiving, hasTime?: HasTime): AsyncGenerator<DayOutcome> {
  const { store, settings, clock } = archiving
  const kept = firstKeptDay(settings, clock())
  if (kept === undefined) return
  const days = await incompleteDays(store, { from: EVERY_DAY.from, till: addDays(kept, -1) })
  const { changing } = settings
  if (changing !== undefined) {
    const reasons = [`${changing} is being changed: if that was interrupted, it has to be run again first`]
    for (const day of days.slice(0, 1)) yield { day, outcome: 'refused', reasons }
    return
  }
  for (const day of days) {
    const outcome = await archiveOneDay(archiving, day, hasTime)
    yield outcome
    if (outcome.outcome === 'refused' && !isArchivedDay(day, settings)) return
    if (outcome.outcome === 'unfinished' || outcome.outcome === 'elsewhere') return
  }
  await moveArchivedBefore(store, kept)
}

/** The days with calls that the archive lacks, ascending. */
async function incompleteDays(store: Store, range: Days): Promise<Day[]> {
  const days = await listDaysOfCalls(store, 'everyone', range)
  const archived = await listArchivedDays(store)
  return days
    .filter(({ day, tally }) => tally.calls > 0 || archived.has(day))
    .filter((counted) => !isComplete(archived.get(counted.day), counted))
    .map(({ day }) => day)
}

/** Archives a day, or takes late changes of an archived one into its files. */
export async function archiveOneDay(
  archiving: Archiving,
  day: Day,
  hasTime: HasTime = () => true,
): Promise<DayOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-archive-'))
  try {
    const progress = await openProgress(archiving.bucket, day, folder)
    return await continueDay({ ...archiving, day, folder, progress, hasTime })
  } catch (error) {
    if (isRefusal(error, 'object_changed')) return { day, outcome: 'elsewhere' }
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A call that was changed since a killed run is taken in at once. */
async function continueDay(run: DayRun): Promise<DayOutcome> {
  const begun = await findLeaving(run)
  const outcome = await complete(run, begun ?? (await writeDay(run)))
  return begun && outcome.outcome === 'open' ? complete(run, await writeDay(run)) : outcome
}

/** A day whose files are written, and whose calls leave the table since an earlier run. */
async function findLeaving({ bucket, day, progress: { last } }: DayRun): Promise<WrittenDay | undefined> {
  const stored = last && (await readManifest(bucket, day))
  return stored?.manifest.version === last?.version && last && stored
    ? { manifest: stored.manifest, leaving: last }
    : undefined
}

/** A batch takes about a second. */
const BATCH_RESERVE_MS = 20_000

/** Equal to no counter: the next run takes the day again. */
const CHANGED_MEANWHILE = -1

/** Readers learn first that the day is archived; then its calls leave the table; then it is complete. */
async function complete(run: DayRun, written: Awaited<ReturnType<typeof writeDay>>): Promise<DayOutcome> {
  const { store, day, progress, hasTime, clock } = run
  if (!written) return { day, outcome: 'unfinished' }
  if (!('manifest' in written)) return { day, outcome: 'refused', reasons: written }
  const { manifest } = written
  let { passed, changed } = written.leaving
  await moveArchivedBefore(store, addDays(day, 1))
  for await (const batch of expireCalls(store, leavingCalls(run, written), secondsOf(clock()))) {
    passed += batch.calls
    changed += batch.changed
    await progress.move({ ...written.leaving, passed, changed })
    if (!hasTime(BATCH_RESERVE_MS)) return { day, outcome: 'unfinished' }
  }
  await putArchivedDay(store, { ...recordOf(manifest), ...(changed > 0 && { late: CHANGED_MEANWHILE }) })
  await progress.move({})
  return { day, outcome: changed > 0 ? 'open' : 'archived', manifest }
}

/** The calls that were not tried yet. Memory holds a row group of one file. */
async function* leavingCalls(
  { bucket }: DayRun,
  { manifest, leaving: { leaving, passed } }: WrittenDay,
): AsyncGenerator<LeavingCall> {
  const counts = new Map(manifest.files.map(({ key, calls }) => [key, calls]))
  let skipped = passed
  for (const key of leaving.files) {
    const calls = counts.get(key) ?? 0
    if (skipped < calls) {
      const object = await bucket.open(key)
      if (!object) throw objectChanged(key)
      yield* leavingInFile(object, skipped)
    }
    skipped = Math.max(0, skipped - calls)
  }
  yield* leaving.calls.slice(skipped)
}

const recordOf = ({ day, version, archived_at, files, late, everyone }: Manifest): ArchivedDay => ({
  day,
  version,
  archived_at,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  late,
  ...everyone,
})

/**
 * A call stays for another day after it was archived: a process that does not know it yet can still read it,
 * and DynamoDB removes it a few days later at the latest.
 */
const STAYS_SECONDS = DAY_SECONDS

/** Two units each, for the call and its copy in GSI1: at most 4,000 units a second. */
const CALLS_A_SECOND = 2000
/** The largest number of calls that a killed run repeats. */
export const CALLS_IN_ONE_BATCH = 500
const UPDATES_AT_ONCE = 32

/** Sets the time to live of archived calls. Yields each batch's calls, and those changed meanwhile. */
async function* expireCalls(store: Store, leaving: AsyncIterable<LeavingCall>, now: Seconds) {
  for await (const calls of inBatches(leaving, CALLS_IN_ONE_BATCH)) {
    const pause = setTimeout((1000 * calls.length) / CALLS_A_SECOND)
    const isSet = await pMap(calls, (call) => expire(store, call, now + STAYS_SECONDS), {
      concurrency: UPDATES_AT_ONCE,
    })
    const others = calls.filter((_, index) => !isSet[index])
    yield { calls: calls.length, changed: await countChanged(store, others) }
    await pause
  }
}

const { timeToLive } = table

/** Returns false for a call that is gone, that was changed, or that has its time to live already. */
function expire(store: Store, call: LeavingCall, at: Seconds): Promise<boolean> {
  const when = { version: is(call.version), [timeToLive]: absent }
  return hasWritten(store.update(callKeys.item(call), { set: { [timeToLive]: at } }, when))
}

async function countChanged(store: Store, calls: readonly LeavingCall[]): Promise<number> {
  const items = await store.getMany(calls.map(callKeys.item))
  return calls.filter((call, index) => {
    const item = items[index]
    return item !== undefined && (item['version'] !== call.version || item[timeToLive] === undefined)
  }).length
}
