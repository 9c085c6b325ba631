import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Day } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { Store } from '#lib/table/store.ts'
import { findArchivedDay } from '../archived-day.ts'
import type { Call } from '../call.ts'
import { listOwnersOfDays } from '../counters/owners-of-days.ts'
import type { ArchiveBucket, ArchivedObject } from './bucket.ts'
import { CALLS_IN_ONE_GROUP, type CallFileWriter, createCallFile } from './call-file.ts'
import { archiveKeys, type Manifest } from './manifest.ts'

/** The files of a day are those of its owners, one for each of its parts. */
interface DayOfFiles {
  readonly store: Store
  readonly bucket: ArchiveBucket
  readonly day: Day
}

type OpenedFiles = ReadonlyMap<number, ArchivedObject | undefined>

/**
 * Whether the files of a part are those of the manifest, and whether all of their calls have a time to live.
 * It is unknown if a run ended between the files and the manifest.
 */
export async function knownFiles(
  { store, day }: DayOfFiles,
  part: number,
  opened: OpenedFiles,
  manifest: Manifest | undefined,
): Promise<{ readonly areKnown: boolean; readonly areExpiring: boolean }> {
  const named = new Map(manifest?.files.map(({ key, sha256 }) => [key, sha256]))
  for (const [owner, object] of opened) {
    const digest = object && hexDigest(await object.read(0, object.bytes))
    if (digest !== named.get(archiveKeys.calls(day, owner, part)))
      return { areKnown: false, areExpiring: false }
  }
  const complete = await findArchivedDay(store, day)
  return {
    areKnown: true,
    areExpiring: manifest !== undefined && complete?.version === manifest.version,
  }
}

/** The files of all owners that ever had calls on the day: a correction may have moved a call. */
export async function openFiles({ store, bucket, day }: DayOfFiles, part: number): Promise<OpenedFiles> {
  const shards = (await listOwnersOfDays(store, { from: day, till: day })).get(day) ?? []
  const owners = [...new Set(shards.map(({ owner_id }) => owner_id))]
  const objects = await Promise.all(owners.map((owner) => bucket.open(archiveKeys.calls(day, owner, part))))
  return new Map(owners.map((owner, index) => [owner, objects[index]]))
}

interface LocalFile {
  readonly owner: number
  readonly path: string
  readonly calls: number
}

/** Calls of all files in memory, before those of the largest group are written. */
const CALLS_IN_MEMORY = 2 * CALLS_IN_ONE_GROUP

export function createLocalFiles(folder: string, owners: readonly number[]) {
  const files = new Map<number, CallFileWriter>()
  let waiting = 0
  const pathOf = (owner: number) => join(folder, `${owner}.parquet`)
  const fileOf = (owner: number): CallFileWriter => {
    const known = files.get(owner) ?? createCallFile(pathOf(owner))
    files.set(owner, known)
    return known
  }
  const largest = () =>
    [...files.values()].reduce((one, other) => (other.waiting() > one.waiting() ? other : one))
  const flush = (file: CallFileWriter) => {
    waiting -= file.waiting()
    file.writeGroup()
  }
  return {
    add: (call: Call): void => {
      const file = fileOf(call.owner_id)
      file.add(call)
      waiting += 1
      if (file.waiting() === CALLS_IN_ONE_GROUP) flush(file)
      if (waiting === CALLS_IN_MEMORY) flush(largest())
    },
    /** An owner whose calls are all gone has its file replaced by an empty one. */
    finish: (): LocalFile[] =>
      [...new Set([...owners, ...files.keys()])].map((owner) => ({
        owner,
        path: pathOf(owner),
        calls: fileOf(owner).finish(),
      })),
  }
}

export async function uploadFiles(
  { bucket, day }: DayOfFiles,
  part: number,
  local: readonly LocalFile[],
  opened: OpenedFiles,
): Promise<Manifest['files']> {
  const files: Manifest['files'] = []
  for (const { owner, path, calls } of local) {
    const [key, before] = [archiveKeys.calls(day, owner, part), opened.get(owner)]
    if (calls === 0 && !before) continue
    const content = await readFile(path)
    await bucket.write(key, path, before?.version)
    files.push({ key, part, owner, calls, bytes: content.length, sha256: hexDigest(content) })
  }
  return files
}
