import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { ALL_TIME, type Day, type Period, periodOfDay } from '#lib/base/calendar.ts'
import { tallyEntries } from '../counters/call-stats.ts'
import type { ArchiveBucket } from './bucket.ts'

/** The keys of the archive's objects. The query engines read the day from the name of the folder. */
export const archiveKeys = {
  /** A day of few calls has one part. */
  calls: (day: Day, owner: number, part = 0): string =>
    `calls/day=${day}/owner=${owner}/calls${part === 0 ? '' : `-${part}`}.parquet`,
  manifest: (day: Day): string => `manifests/${day}.json`,
}

export const MANIFEST_FORMAT = 1

const tally = v.object(tallyEntries)

const customer = v.object({
  calls: v.number(),
  answered: v.number(),
  /** Seconds of the answered calls. */
  billsec: v.number(),
  /** The sums of all prices, those of unanswered calls included. */
  user_price: v.string(),
  reseller_price: v.string(),
  provider_price: v.string(),
})

export const manifestSchema = v.object({
  format: v.literal(MANIFEST_FORMAT),
  day: v.string(),
  zone: v.string(),
  /** Goes up with each change of the archived day. */
  version: v.number(),
  /** An ISO date-time. */
  archived_at: v.string(),
  /** How many late changes of the day's calls are in its files. */
  late: v.number(),
  everyone: tally,
  /** Keyed by the id of the reseller or partner. */
  owners: v.record(v.string(), tally),
  /** Keyed by the id of the customer. */
  customers: v.record(v.string(), customer),
  /** The amounts charged to the balances of accounts, by their ids. */
  charged: v.record(v.string(), v.string()),
  /** The number of parts of equal time in a day, the same in all its versions. */
  parts: v.optional(v.number(), 1),
  files: v.array(
    v.object({
      key: v.string(),
      part: v.optional(v.number(), 0),
      owner: v.number(),
      calls: v.number(),
      bytes: v.number(),
      sha256: v.string(),
    }),
  ),
})

/** The content of the archive for a day. It is written after its files. */
export type Manifest = v.InferOutput<typeof manifestSchema>

/** The sums of a customer's archived calls on one day. */
export type CustomerSums = v.InferOutput<typeof customer>

/** The periods of the parts of a day. The zone may have had another offset when a call was stored. */
export function periodsOfParts({ day, zone, parts }: Pick<Manifest, 'day' | 'zone' | 'parts'>): Period[] {
  const { from, till } = periodOfDay(day, zone)
  const startOf = (part: number) => from + Math.ceil((part * (till + 1 - from)) / parts)
  return Array.from({ length: parts }, (_, part) => ({
    from: part === 0 ? ALL_TIME.from : startOf(part),
    till: part === parts - 1 ? ALL_TIME.till : startOf(part + 1) - 1,
  }))
}

export interface StoredManifest {
  readonly manifest: Manifest
  readonly version: string
}

export async function readManifest(bucket: ArchiveBucket, day: Day): Promise<StoredManifest | undefined> {
  const object = await bucket.open(archiveKeys.manifest(day))
  if (!object) return undefined
  const text = new TextDecoder().decode(await object.read(0, object.bytes))
  return { manifest: v.parse(manifestSchema, JSON.parse(text)), version: object.version }
}

/** Replaces the manifest of a day. Throws object_changed if it was replaced since it was read. */
export async function writeManifest(
  bucket: ArchiveBucket,
  folder: string,
  manifest: Manifest,
  replaced: StoredManifest | undefined,
): Promise<void> {
  const path = join(folder, 'manifest.json')
  await writeFile(path, `${JSON.stringify(manifest, undefined, 1)}\n`)
  await bucket.write(archiveKeys.manifest(manifest.day), path, replaced?.version)
}
