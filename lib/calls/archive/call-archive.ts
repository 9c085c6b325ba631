import pMap from 'p-map'
import type { Day } from '#lib/base/calendar.ts'
import { LISTED_BY_DAY } from '#lib/base/shards.ts'
import type { CallArchive } from '#lib/table/call-archive.ts'
import type { Item } from '#lib/table/items.ts'
import { type Call, itemOfCall } from '../call.ts'
import { type ArchiveBucket, type ArchivedObject, archiveBucketOf } from './bucket.ts'
import { callsInFile, findInFile } from './call-file.ts'
import { readManifest } from './manifest.ts'

const FILES_AT_ONCE = 4

/** No list of the table shows it. */
const archivedItem = (call: Call): Item => itemOfCall(call, LISTED_BY_DAY)

export const openCallArchive = (bucket: ArchiveBucket): CallArchive => ({
  find: async (day, calls) => {
    const stored = await readManifest(bucket, day)
    const files = stored?.manifest.files ?? []
    const found = await pMap(files, async ({ key }) => findInFile(await openNamed(bucket, key), day, calls), {
      concurrency: FILES_AT_ONCE,
    })
    return found.flat().map(archivedItem)
  },
  calls: (day) => callsOfDay(bucket, day),
})

async function* callsOfDay(bucket: ArchiveBucket, day: Day): AsyncGenerator<Item[]> {
  const stored = await readManifest(bucket, day)
  for (const { key } of stored?.manifest.files ?? []) {
    for await (const calls of callsInFile(await openNamed(bucket, key), day)) yield calls.map(archivedItem)
  }
}

async function openNamed(bucket: ArchiveBucket, key: string): Promise<ArchivedObject> {
  const object = await bucket.open(key)
  if (object) return object
  throw new Error(`${key} is missing from the archive, and its manifest names it`)
}

export function callArchiveOf(environment: NodeJS.ProcessEnv): CallArchive | undefined {
  const bucket = archiveBucketOf(environment)
  return bucket && openCallArchive(bucket)
}
