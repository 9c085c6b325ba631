import type { Day, Period } from '#lib/base/calendar.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { countersOn } from '../counters/call-stats.ts'
import { isSameTally, NOTHING } from '../counters/statistics.ts'
import type { ArchiveBucket } from './bucket.ts'
import { leavingOf } from './call-file.ts'
import { latestCopies } from './day-copies.ts'
import { createDaySums, type DaySums, differencesFromCounters, NO_SUMS } from './day-sums.ts'
import {
  MANIFEST_FORMAT,
  type Manifest,
  periodsOfParts,
  readManifest,
  type StoredManifest,
  writeManifest,
} from './manifest.ts'
import { createLocalFiles, knownFiles, openFiles, uploadFiles } from './part-files.ts'
import type { DayProgress, ProgressLog } from './progress.ts'

/** The table, the bucket, and the circumstances of a run. */
export interface Archiving {
  readonly store: Store
  readonly bucket: ArchiveBucket
  readonly settings: Settings
  readonly clock: () => Date
  /** Bounds the calls of a part, of which a killed run repeats one: one million by default. */
  readonly partSize?: number
}

/** The work of a run: a day, the progress of earlier runs, and a local folder for its files. */
export interface DayRun extends Archiving {
  readonly day: Day
  readonly folder: string
  readonly progress: ProgressLog
  readonly hasTime: HasTime
}

/** Whether this number of milliseconds is left. */
export type HasTime = (ms: number) => boolean

/** A day whose files and manifest are written, and how far its calls have left the table. */
export interface WrittenDay {
  readonly manifest: Manifest
  readonly leaving: DayProgress
}

/** A part takes about a minute. */
const PART_RESERVE_MS = 240_000

/**
 * Writes a day into the archive, part by part. A later run resumes after the last whole part, unless the
 * day's counters have changed. The manifest comes last. Each file replaces the version read before the table:
 * two runs at once lose no call. `undefined` if time is up; the differences, with nothing written, if the
 * calls of the day do not sum up to its counters. Throws object_changed.
 */
export async function writeDay(run: DayRun): Promise<WrittenDay | readonly string[] | undefined> {
  const { store, bucket, folder, day, progress } = run
  const stored = await readManifest(bucket, day)
  const counted = await countedOn(store, day)
  const started = isContinued(progress.last, counted, stored)
    ? progress.last
    : firstProgress(run, counted, stored)
  const state = await writeParts(run, started, stored?.manifest)
  if (!state) return undefined
  const { written, ...leaving } = { ...state, passed: 0 }
  // A day that is refused begins again.
  await progress.move(leaving)
  const differences = await differencesOf(store, day, written.sums, counted)
  if (differences.length > 0) return differences
  // A list may lack a change of the last moment, which the counter of late changes has. Each late change has
  // made the version of its call one higher than that in the files.
  if (written.isLagKnown && written.changes < counted.late - (stored?.manifest.late ?? 0))
    return [`${day}: the list of its calls lacks a late change; the next run has it`]
  const manifest: Manifest = {
    format: MANIFEST_FORMAT,
    day,
    zone: run.settings.Timezone,
    version: state.version,
    archived_at: run.clock().toISOString(),
    late: counted.late,
    ...written.sums,
    parts: written.parts,
    files: written.files,
  }
  await writeManifest(bucket, folder, manifest, stored)
  return { manifest, leaving }
}

async function writeParts(
  run: DayRun,
  started: Writing,
  manifest: Manifest | undefined,
): Promise<Writing | undefined> {
  const { parts } = started.written
  const periods = periodsOfParts({ day: run.day, zone: run.settings.Timezone, parts })
  let state = started
  for (const period of periods.slice(started.passed)) {
    if (!run.hasTime(PART_RESERVE_MS)) return undefined
    state = await writePart(run, state, manifest, period)
    if (state.passed < parts) await run.progress.move(state)
  }
  return state
}

/** The progress of a day whose files are being written. `passed` is the number of written parts. */
type Writing = DayProgress & Required<Pick<DayProgress, 'written'>>

type Counted = Writing['written']['counted']

async function countedOn(store: Store, day: Day): Promise<Counted> {
  const [counted] = await countersOn(store, day, ['everyone'])
  return { tally: counted?.tally ?? NOTHING, late: counted?.late ?? 0 }
}

const isSameCount = (one: Counted, other: Counted): boolean =>
  one.late === other.late && isSameTally(one.tally, other.tally)

const versionAfter = (stored: StoredManifest | undefined): number => (stored?.manifest.version ?? 0) + 1

const isContinued = (
  last: DayProgress | undefined,
  counted: Counted,
  stored: StoredManifest | undefined,
): last is Writing =>
  last?.written !== undefined &&
  last.version === versionAfter(stored) &&
  isSameCount(last.written.counted, counted)

/** Bounds what a killed run repeats, the local files, and the files that are read at once. */
const CALLS_IN_ONE_PART = 1_000_000

function firstProgress(
  { partSize = CALLS_IN_ONE_PART }: DayRun,
  counted: Counted,
  stored?: StoredManifest,
): Writing {
  const parts = stored?.manifest.parts ?? Math.max(1, Math.ceil(counted.tally.calls / partSize))
  return {
    version: versionAfter(stored),
    written: { parts, counted, sums: NO_SUMS, files: [], changes: 0, isLagKnown: true },
    leaving: { files: [], calls: [] },
    passed: 0,
    changed: 0,
  }
}

/** Beyond this, all calls of the files get a time to live; those that have one cost a unit. */
const MOST_LISTED = 1000

async function writePart(
  run: DayRun,
  { written, leaving, ...state }: Writing,
  manifest: Manifest | undefined,
  period: Period,
): Promise<Writing> {
  const { store, day, folder, settings } = run
  const part = state.passed
  const opened = await openFiles(run, part)
  const known = await knownFiles(run, part, opened, manifest)
  const local = createLocalFiles(folder, [...opened.keys()])
  const sums = createDaySums(written.sums)
  const listed = [...leaving.calls]
  let changes = 0
  const objects = [...opened.values()].filter((object) => object !== undefined)
  for await (const copies of latestCopies(store, { day, scope: 'everyone', period, settings }, objects)) {
    for (const { call } of copies) {
      local.add(call)
      sums.add(call)
    }
    const changed = copies.filter(({ call, archived }) => call.version > archived)
    changes += changed.reduce((sum, { call, archived }) => sum + call.version - archived, 0)
    if (listed.length <= MOST_LISTED) listed.push(...changed.map(({ call }) => leavingOf(call)))
  }
  const files = await uploadFiles(run, part, local.finish(), opened)
  const isListed = known.areExpiring && listed.length <= MOST_LISTED
  return {
    ...state,
    passed: part + 1,
    written: {
      ...written,
      sums: sums.total(),
      files: [...written.files, ...files],
      changes: written.changes + changes,
      isLagKnown: written.isLagKnown && known.areKnown,
    },
    leaving: isListed
      ? { ...leaving, calls: listed }
      : { ...leaving, files: [...leaving.files, ...files.map(({ key }) => key)] },
  }
}

async function differencesOf(store: Store, day: Day, sums: DaySums, counted: Counted): Promise<string[]> {
  const differences = await differencesFromCounters(store, day, sums)
  return isSameCount(await countedOn(store, day), counted)
    ? differences
    : [...differences, `${day}: its calls were changed meanwhile`]
}
