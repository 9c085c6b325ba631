import { slices } from '#lib/base/collections.ts'
import { type ImportWorld, onlyTable, worldWith } from '#lib/dataset/format/import-world.ts'
import { checkEntries, type RefusedRows, writeEntries } from '#lib/dataset/format/row-batch.ts'
import { readNewEntries } from '#lib/dataset/format/row-entry.ts'
import type { RowColumns, RowFormat } from '#lib/dataset/format/row-format.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'

export type IngestedTable = Pick<ImportWorld, 'store' | 'clock'>

/**
 * Stores records. Returns the reasons by refused record; the others are stored, now or earlier. The same
 * records again change nothing. Throws if the table does not answer.
 */
export type StoreRecords = (
  records: readonly Cells[],
  table: IngestedTable,
) => Promise<ReadonlyMap<Cells, string>>

const ROWS_AT_ONCE = 1000

/** Reads, checks and writes records like an import, by slice. A record's index is its line. */
export function storeRows<R>(format: RowFormat<R>): StoreRecords {
  const unquoted = withoutValues(format)
  return async (records, table) => {
    const world = await openWorld(table)
    const rows = records.map((cells, line) => ({ line, cells }))
    const refused: RefusedRows = new Map()
    for (const some of slices(rows, ROWS_AT_ONCE)) {
      const read = readNewEntries(unquoted, some, world, refused)
      const sound = await checkEntries(format, read, world, refused)
      await writeEntries(format, sound, world, { refused })
    }
    return new Map(rows.flatMap(({ line, cells }) => reasonFor(cells, refused.get(line))))
  }
}

export const reasonFor = (record: Cells, reason: string | undefined): [record: Cells, reason: string][] =>
  reason === undefined ? [] : [[record, reason]]

/** The world that rows are checked against and written into. No rows of a dataset precede them. */
export const openWorld = async ({ store, clock }: IngestedTable): Promise<ImportWorld> =>
  worldWith(onlyTable(store), await findSettings(store), clock)

/** Logged reasons of refusals name columns without values: a log has nothing of a message. */
export function withoutValues<F extends Pick<RowColumns, 'columns'>>(format: F): F {
  return { ...format, secrets: Object.keys(format.columns) }
}
