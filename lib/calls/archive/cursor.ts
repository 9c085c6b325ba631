import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Day } from '#lib/base/calendar.ts'
import type { ArchiveBucket } from './bucket.ts'

const schema = v.object({
  /** The version of the manifest whose calls leave the table; 0 once a run has to read the day again. */
  version: v.number(),
  /** The place of a call in its day: all calls before it have their time to live. */
  place: v.string(),
})

/** How far a run has come that sets the time to live of a day's archived calls. */
export type ExpiryCursor = v.InferOutput<typeof schema>

const keyOf = (day: Day): string => `progress/${day}.json`

/** The cursor is in the bucket: two requests for 250 calls cost a fiftieth of the write units of these calls. */
export async function readCursor(bucket: ArchiveBucket, day: Day): Promise<ExpiryCursor | undefined> {
  const object = await bucket.open(keyOf(day))
  if (!object) return undefined
  const text = new TextDecoder().decode(await object.read(0, object.bytes))
  return v.parse(schema, JSON.parse(text))
}

/** Throws ArchiveChanged if another run moves the cursor at the same moment. */
export async function writeCursor(
  bucket: ArchiveBucket,
  day: Day,
  folder: string,
  cursor: ExpiryCursor,
): Promise<void> {
  const path = join(folder, 'cursor.json')
  await writeFile(path, JSON.stringify(cursor))
  const stored = await bucket.open(keyOf(day))
  await bucket.write(keyOf(day), path, stored?.version)
}
