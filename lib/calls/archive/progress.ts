import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Day } from '#lib/base/calendar.ts'
import type { ArchiveBucket } from './bucket.ts'
import { manifestSchema } from './manifest.ts'

const { everyone, owners, customers, charged, files, late } = manifestSchema.entries

const leavingCall = v.object({
  uniqueid: v.string(),
  source: v.optional(v.string()),
  source_part: v.optional(v.string()),
  version: v.number(),
})

/** An archived call that the table still has, in the version that is archived. */
export type LeavingCall = v.InferOutput<typeof leavingCall>

const schema = v.object({
  /** The version of the manifest, which is being written, or whose calls are leaving the table. */
  version: v.number(),
  /** The content of the written files, until all parts are written. */
  written: v.exactOptional(
    v.object({
      parts: v.number(),
      /** Everyone's counters before the first part was read. */
      counted: v.object({ tally: everyone, late }),
      sums: v.object({ everyone, owners, customers, charged }),
      files,
      /** How much higher the versions of the calls in these files are than those in the files before. */
      changes: v.number(),
      /** The files before were those of the manifest before. */
      isLagKnown: v.boolean(),
    }),
  ),
  /** The calls that get a time to live: all of these files, then single ones. */
  leaving: v.object({ files: v.array(v.string()), calls: v.array(leavingCall) }),
  /** The written parts, then the calls that were tried; and the calls changed meanwhile. */
  passed: v.number(),
  changed: v.number(),
})

/** How far a day's archive has come. */
export type DayProgress = v.InferOutput<typeof schema>

export type ProgressLog = Awaited<ReturnType<typeof openProgress>>

/**
 * A day's progress is in the bucket: a request for 500 calls that leave the table costs a hundredth of their
 * write units. A write replaces what this run knows; throws object_changed if another run moved it.
 */
export async function openProgress(bucket: ArchiveBucket, day: Day, folder: string) {
  const [key, path] = [`progress/${day}.json`, join(folder, 'progress.json')]
  const object = await bucket.open(key)
  let version = object?.version
  const text = object && new TextDecoder().decode(await object.read(0, object.bytes))
  return {
    last: v.safeParse(v.optional(schema), text && JSON.parse(text)).output as DayProgress | undefined,
    /** Without progress, the next run begins again. */
    move: async (progress: DayProgress | Record<never, never>): Promise<void> => {
      await writeFile(path, JSON.stringify(progress))
      version = await bucket.write(key, path, version)
    },
  }
}
