import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addDays, type Day, type Days, secondsOf } from '#lib/base/calendar.ts'
import type { Store } from '#lib/table/store.ts'
import {
  type ArchivedDay,
  isComplete,
  listArchivedDays,
  moveArchivedBefore,
  putArchivedDay,
} from '../archived-day.ts'
import { listDaysOfCalls } from '../counters/call-stats.ts'
import { firstKeptDay, isArchivedDay } from '../retention.ts'
import { type Archiving, DayNotArchived, type WrittenDay, writeDay } from './archive-day.ts'
import { ArchiveChanged } from './bucket.ts'
import { type ExpiryCursor, readCursor, writeCursor } from './cursor.ts'
import { expireCalls, expiringFrom } from './expiry.ts'
import { type Manifest, readManifest } from './manifest.ts'

/** The outcome of a run for one day. `open`: calls were changed meanwhile, and the next run takes them in. */
export type DayOutcome = { readonly day: Day } & (
  | { readonly outcome: 'archived' | 'open'; readonly manifest: Manifest }
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] }
)

const FIRST_DAY = '0000-01-01'

/**
 * Archives the days that are older than Calls_Keep_Days, oldest first, and archived days with late changes again. Yields the
 * outcome of each day. A day whose calls do not equal its counters stays in the table, and so do all later ones. Without the
 * setting nothing happens, and no day is read.
 */
export async function* runArchive(
  archiving: Archiving,
  hasTime: () => boolean = () => true,
): AsyncGenerator<DayOutcome> {
  const { store, settings, clock } = archiving
  const kept = firstKeptDay(settings, clock())
  if (kept === undefined) return
  const days = await incompleteDays(store, { from: FIRST_DAY, till: addDays(kept, -1) })
  for (const day of days) {
    if (!hasTime()) return
    const outcome = await archiveOneDay(archiving, day)
    yield outcome
    if (outcome.outcome === 'refused' && !isArchivedDay(day, settings)) return
  }
  await moveArchivedBefore(store, kept)
}

/** The days with calls that the archive lacks, ascending. */
async function incompleteDays(store: Store, range: Days): Promise<Day[]> {
  const days = await listDaysOfCalls(store, 'everyone', range)
  const archived = await listArchivedDays(store)
  return days.filter((counted) => !isComplete(archived.get(counted.day), counted)).map(({ day }) => day)
}

/** Archives a day, or takes late changes of an archived one into its files. */
export async function archiveOneDay(archiving: Archiving, day: Day): Promise<DayOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-archive-'))
  try {
    const written = (await resumeDay(archiving, day)) ?? (await writeDay(archiving, day, folder))
    return await complete(archiving, day, folder, written)
  } catch (error) {
    if (error instanceof DayNotArchived) return { day, outcome: 'refused', reasons: error.differences }
    if (error instanceof ArchiveChanged) return { day, outcome: 'refused', reasons: [error.message] }
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * A day whose files stand and whose calls leave the table since an earlier run, from the place where that ended: nothing of the
 * table's list is read again. `undefined` if there is none, or if calls of the day were changed since.
 */
async function resumeDay({ store, bucket }: Archiving, day: Day): Promise<WrittenDay | undefined> {
  const cursor = await readCursor(bucket, day)
  if (!cursor) return undefined
  const manifest = (await readManifest(bucket, day))?.manifest
  if (manifest?.version !== cursor.version) return undefined
  const [counted] = await listDaysOfCalls(store, 'everyone', { from: day, till: day })
  if (!counted || !isComplete(recordOf(manifest), counted)) return undefined
  const files = await Promise.all(manifest.files.map(({ key }) => bucket.open(key)))
  const opened = files.filter((file) => file !== undefined)
  return { manifest, expiring: expiringFrom(opened, day, cursor.place) }
}

/**
 * Readers are told first that the day is archived. Then its calls may leave the table, and then it is complete. The cursor stands
 * from the first call on until the last, or until a changed one.
 */
async function complete(
  { store, bucket, clock }: Archiving,
  day: Day,
  folder: string,
  { manifest, expiring }: WrittenDay,
): Promise<DayOutcome> {
  const { version } = manifest
  const move = (cursor: ExpiryCursor) => writeCursor(bucket, day, folder, cursor)
  await moveArchivedBefore(store, addDays(day, 1))
  const changed = await expireCalls(store, expiring, secondsOf(clock()), (place, changes) =>
    move({ version: changes > 0 ? 0 : version, place }),
  )
  if (changed > 0) return { day, outcome: 'open', manifest }
  await putArchivedDay(store, recordOf(manifest))
  await move({ version: 0, place: '' })
  return { day, outcome: 'archived', manifest }
}

const recordOf = ({ day, version, archived_at, files, late, everyone }: Manifest): ArchivedDay => ({
  day,
  version,
  archived_at,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  late,
  ...everyone,
})
