import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secondsOf } from '#lib/base/calendar.ts'
import type { HasTime } from '#lib/calls/archive/archive-day.ts'
import { type ArchiveBucket, folderBucket } from '#lib/calls/archive/bucket.ts'
import { openCallArchive } from '#lib/calls/archive/call-archive.ts'
import { callsInFile } from '#lib/calls/archive/call-file.ts'
import { type Manifest, readManifest } from '#lib/calls/archive/manifest.ts'
import { type DayOutcome, runArchive } from '#lib/calls/archive/run.ts'
import { type Call, isCall } from '#lib/calls/call.ts'
import type { SettingName } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { keyIn } from '#lib/table/keys.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { type DatasetRows, importRows } from '#test/datasets/import-rows.ts'
import { aWorld, type World } from '#test/world.ts'

/** A world with an archive in a bucket, otherwise in a folder. Its store knows the archive. */
export interface ArchivedWorld extends World {
  readonly bucket: ArchiveBucket
  /** Bounds the calls of a part of a day. */
  partSize: number
  /** Runs the archive by the table's settings while there is time, by default on its own bucket and store. */
  archive(bucket?: ArchiveBucket, store?: Store, hasTime?: HasTime): Promise<DayOutcome[]>
  /** Removes the calls whose time to live has passed, as DynamoDB does. */
  expire(): Promise<void>
  manifest(day: string): Promise<Manifest | undefined>
  /** The archived calls of a day. */
  archivedCalls(day: string): Promise<Call[]>
}

export async function anArchivedWorld(
  rows: DatasetRows = {},
  settings: Partial<Record<SettingName, string>> = {},
  bucket: ArchiveBucket = folderBucket(aFolder()),
): Promise<ArchivedWorld> {
  const plain = await aWorld(rows, settings)
  const archive = openCallArchive(bucket)
  const openStore: World['services']['openStore'] = (meter) => createStore({ ...plain.table, meter, archive })
  const store = openStore(plain.meter)
  const { clock } = plain.services
  const world: ArchivedWorld = Object.assign(plain, {
    store,
    services: { ...plain.services, openStore },
    bucket,
    given: async (more: DatasetRows) => {
      await importRows({ store, clock }, more)
    },
    partSize: 1000,
    archive: async (other: ArchiveBucket = bucket, through: Store = store, hasTime?: HasTime) => {
      const settings = await settingsOf(through)
      const { partSize } = world
      return Array.fromAsync(
        runArchive({ store: through, bucket: other, settings, clock, partSize }, hasTime),
      )
    },
    expire: async () => {
      const items = (await world.dump()).filter(isCall)
      const expired = items.filter(({ expires_at }) => Number(expires_at) < secondsOf(world.now))
      for (const item of expired) await openStore(createMeter()).removeBatch([keyIn(item)])
    },
    manifest: async (day: string) => (await readManifest(bucket, day))?.manifest,
    archivedCalls: (day: string) => archivedCallsIn(bucket, day),
  })
  return world
}

async function archivedCallsIn(bucket: ArchiveBucket, day: string): Promise<Call[]> {
  const { files = [] } = (await readManifest(bucket, day))?.manifest ?? {}
  const calls: Call[] = []
  for (const { key } of files) {
    const object = await bucket.open(key)
    for await (const group of object ? callsInFile(object, day) : []) calls.push(...group)
  }
  return calls
}

const aFolder = (): string => mkdtempSync(join(tmpdir(), 'archive-'))
