import { type ImportWorld, nothingAccepted } from '#lib/dataset/format/import-world.ts'
import { readEntry } from '#lib/dataset/format/row-entry.ts'
import type { RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import type { Reasons, RowOutcome } from '#lib/domain/row-refused.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

/**
 * Stores records; answers for each of them why it is refused, `undefined` when it is stored or was before. Called again
 * with the same records it changes nothing. Throws when nothing can be said of them, because the table does not answer.
 */
export type RecordStore = (records: readonly Cells[], world: ImportWorld) => Promise<Reasons>

/** The records as rows of a dataset file: checked and written as an import does, their position for their line. */
export const rowStore =
  <R>(format: RowFormat<R>): RecordStore =>
  async (records, world) => {
    const reasons = new Map<number, string>()
    const note = (entries: readonly RowEntry<R>[], why: Reasons) => {
      for (const [index, { line }] of entries.entries()) {
        const reason = why[index]
        if (reason !== undefined) reasons.set(line, reason)
      }
    }
    const entries = records.flatMap((cells, line) => {
      const entry = readEntry(format, { line, cells }, world.calendar)
      if (typeof entry !== 'string') return [entry]
      reasons.set(line, entry)
      return []
    })
    if (entries.length > 0) note(entries, (await format.check?.(entries, world)) ?? [])
    const sound = entries.filter(({ line }) => !reasons.has(line))
    if (sound.length > 0) note(sound, (await format.write(sound, world)).map(refusalIn))
    return records.map((_, position) => reasons.get(position))
  }

const refusalIn = (outcome: RowOutcome): string | undefined =>
  typeof outcome === 'object' ? outcome.refused : undefined

/** The world for records: no rows of a dataset came before them. */
export async function openIngestWorld(store: Store, clock: () => Date): Promise<ImportWorld> {
  const { Timezone } = readSettings(await findSettings(store))
  return {
    store,
    clock,
    calendar: { firstImport: clock(), zone: Timezone },
    accepted: nothingAccepted(),
  }
}
