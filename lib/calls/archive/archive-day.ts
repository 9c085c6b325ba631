import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Day } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { findArchivedDay } from '../archived-day.ts'
import type { Call } from '../call.ts'
import { countersOn } from '../counters/call-stats.ts'
import { listOwnersOfDays } from '../counters/owners-of-days.ts'
import type { ArchiveBucket, ArchivedObject } from './bucket.ts'
import { type CallFileWriter, createCallFile } from './call-file.ts'
import { latestCopies } from './day-copies.ts'
import { createDaySums, type DaySums, differencesFromCounters } from './day-sums.ts'
import { createExpiryList, type ExpiringCall } from './expiry.ts'
import { archiveKeys, MANIFEST_FORMAT, type Manifest, readManifest, writeManifest } from './manifest.ts'

/** The table, the bucket, and the circumstances of a run. */
export interface Archiving {
  readonly store: Store
  readonly bucket: ArchiveBucket
  readonly settings: Settings
  readonly clock: () => Date
}

/** The calls of the day do not sum up to its counters. Nothing of it was written. */
export class DayNotArchived extends Error {
  readonly differences: readonly string[]

  constructor(differences: readonly string[]) {
    super(differences.join('; '))
    this.name = 'DayNotArchived'
    this.differences = differences
  }
}

/** A day whose files and manifest stand, with the calls of the table that may now leave it. */
export interface WrittenDay {
  readonly manifest: Manifest
  readonly expiring: AsyncIterable<ExpiringCall>
}

/**
 * Writes a day into the archive; its local files are in the folder. Files come first and the manifest last. Each replaces the
 * version that was read before the table: two runs at once cannot lose a call. Throws DayNotArchived or ArchiveChanged. A run
 * that ends at any point is repeated from the start.
 */
export async function writeDay(archiving: Archiving, day: Day, folder: string): Promise<WrittenDay> {
  const { store, bucket, settings, clock } = archiving
  const stored = await readManifest(bucket, day)
  const opened = await openFiles(archiving, day)
  const late = await countLate(store, day)
  const local = createLocalFiles(folder, [...opened.keys()])
  const sums = createDaySums()
  const files = [...opened.values()].filter((object) => object !== undefined)
  const known = await knownFiles(store, day, opened, stored?.manifest)
  let changes = 0
  for await (const copies of latestCopies(store, day, 'everyone', files)) {
    for (const { call } of copies) {
      local.add(call)
      sums.add(call)
    }
    changes += copies.reduce((sum, { call, archived }) => sum + call.version - archived, 0)
    local.expiring.add(
      known.areExpiring ? copies.filter(({ call, archived }) => call.version > archived) : copies,
    )
  }
  await refuseDifferences(store, day, sums.total(), late)
  if (known.late !== undefined) refuseLag(day, changes, late - known.late)

  const written = await uploadFiles(bucket, day, local.finish(), opened)
  const manifest: Manifest = {
    format: MANIFEST_FORMAT,
    day,
    zone: settings.Timezone,
    version: (stored?.manifest.version ?? 0) + 1,
    archived_at: clock().toISOString(),
    late,
    ...sums.total(),
    files: written,
  }
  await writeManifest(bucket, folder, manifest, stored)
  return { manifest, expiring: local.expiring.calls() }
}

type OpenedFiles = ReadonlyMap<number, ArchivedObject | undefined>

/**
 * The state of the calls in the files: how many late changes they have, and whether all of them have a time to live. Nothing is
 * known if a run ended between the files and the manifest.
 */
async function knownFiles(
  store: Store,
  day: Day,
  opened: OpenedFiles,
  manifest: Manifest | undefined,
): Promise<{ readonly late?: number; readonly areExpiring: boolean }> {
  const named = new Map(manifest?.files.map(({ owner, sha256 }) => [owner, sha256]))
  for (const [owner, object] of opened) {
    const digest = object && hexDigest(await object.read(0, object.bytes))
    if (digest !== named.get(owner)) return { areExpiring: false }
  }
  const complete = await findArchivedDay(store, day)
  return {
    late: manifest?.late ?? 0,
    areExpiring: manifest !== undefined && complete?.version === manifest.version,
  }
}

/** The files of all owners that ever had calls on the day: a correction may have moved a call to another one. */
async function openFiles({ store, bucket }: Archiving, day: Day): Promise<OpenedFiles> {
  const shards = (await listOwnersOfDays(store, { from: day, till: day })).get(day) ?? []
  const owners = [...new Set(shards.map(({ owner_id }) => owner_id))]
  const objects = await Promise.all(owners.map((owner) => bucket.open(archiveKeys.calls(day, owner))))
  return new Map(owners.map((owner, index) => [owner, objects[index]]))
}

const countLate = async (store: Store, day: Day): Promise<number> =>
  (await countersOn(store, day, ['everyone']))[0]?.late ?? 0

async function refuseDifferences(store: Store, day: Day, sums: DaySums, late: number): Promise<void> {
  const differences = await differencesFromCounters(store, day, sums)
  if ((await countLate(store, day)) !== late) differences.push(`${day}: its calls were changed meanwhile`)
  if (differences.length > 0) throw new DayNotArchived(differences)
}

/**
 * A list may lack a change of the last moment, which the counter of late changes has. Each late change has made the version of its
 * call one higher than that in the files.
 */
function refuseLag(day: Day, changes: number, lateChanges: number): void {
  if (changes >= lateChanges) return
  throw new DayNotArchived([`${day}: the list of its calls lacks a late change; the next run has it`])
}

interface LocalFile {
  readonly owner: number
  readonly path: string
  readonly calls: number
}

/** A file of each owner in a local folder, and the list of calls that may leave the table. */
function createLocalFiles(folder: string, owners: readonly number[]) {
  const files = new Map<number, CallFileWriter>()
  const pathOf = (owner: number) => join(folder, `${owner}.parquet`)
  const fileOf = (owner: number): CallFileWriter => {
    const known = files.get(owner) ?? createCallFile(pathOf(owner))
    files.set(owner, known)
    return known
  }
  return {
    add: (call: Call): void => fileOf(call.owner_id).add(call),
    expiring: createExpiryList(join(folder, 'expiring')),
    /** An owner whose calls are all gone has its file replaced by an empty one. */
    finish: (): LocalFile[] =>
      [...new Set([...owners, ...files.keys()])].map((owner) => ({
        owner,
        path: pathOf(owner),
        calls: fileOf(owner).finish(),
      })),
  }
}

/** Uploads the files that differ from those that were opened. */
async function uploadFiles(
  bucket: ArchiveBucket,
  day: Day,
  local: readonly LocalFile[],
  opened: OpenedFiles,
): Promise<Manifest['files']> {
  const files: Manifest['files'] = []
  for (const { owner, path, calls } of local) {
    const [key, before] = [archiveKeys.calls(day, owner), opened.get(owner)]
    if (calls === 0 && !before) continue
    const content = await readFile(path)
    await bucket.write(key, path, before?.version)
    const sha256 = hexDigest(content)
    files.push({ key, owner, calls, bytes: content.length, sha256 })
  }
  return files
}
