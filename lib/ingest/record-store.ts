import { digestOf } from '#lib/dataset/format/digest.ts'
import type { DatasetFile, Entry, ImportWorld, Reasons } from '#lib/dataset/format/file.ts'
import type { Calendar } from '#lib/dataset/format/moments.ts'
import { parseRow } from '#lib/dataset/format/row-parser.ts'
import type { Cells } from '#lib/dataset/format/source.ts'
import type { Outcome } from '#lib/domain/row-refused.ts'
import { RowRefused } from '#lib/domain/row-refused.ts'

export interface IngestWorld extends ImportWorld {
  /** What dates in records are read against. */
  readonly calendar: Calendar
}

/**
 * Stores records; answers for each of them why it is refused, `undefined` when it is stored or was before. Called again
 * with the same records it changes nothing. Throws when nothing can be said of them, because the table does not answer.
 */
export type RecordStore = (records: readonly Cells[], world: IngestWorld) => Promise<Reasons>

/** The records as rows of a dataset file: checked and written as an import does. */
export const rowsOf =
  (format: DatasetFile): RecordStore =>
  async (records, world) => {
    const reasons = new Map<number, string>()
    const entries = records.flatMap((cells, position) => {
      const entry = readRecord(format, cells, { position, calendar: world.calendar })
      if (typeof entry !== 'string') return [entry]
      reasons.set(position, entry)
      return []
    })
    const note = (noted: readonly Entry[], why: Reasons) => {
      for (const [index, { line }] of noted.entries()) {
        const reason = why[index]
        if (reason !== undefined) reasons.set(line, reason)
      }
    }
    if (entries.length > 0) note(entries, await format.check(entries, world))
    const sound = entries.filter(({ line }) => !reasons.has(line))
    if (sound.length > 0) note(sound, (await format.write(sound, world)).map(reasonIn))
    return records.map((_, position) => reasons.get(position))
  }

interface Circumstances {
  readonly position: number
  readonly calendar: Calendar
}

/** The record as an entry, its position for its line; or why it is none. */
function readRecord(
  format: DatasetFile,
  cells: Cells,
  { position, calendar }: Circumstances,
): Entry | string {
  try {
    return {
      line: position,
      cells,
      row: parseRow(format, cells, calendar),
      digest: digestOf(format, cells),
    }
  } catch (error) {
    if (error instanceof RowRefused) return error.message
    throw error
  }
}

const reasonIn = (outcome: Outcome): string | undefined =>
  typeof outcome === 'object' ? outcome.refused : undefined
