import type { Reasons, RowKind, RowOutcome } from '#lib/domain/row-refused.ts'
import type { Columns } from '#lib/store/columns.ts'
import type { Requirement } from '#lib/store/entity.ts'
import type { Counted } from '#lib/store/id-counter.ts'
import type { Item } from '#lib/store/items.ts'
import type { Store } from '#lib/store/store.ts'
import type { ImportWorld } from './import-world.ts'
import type { Cells } from './row-source.ts'

/** The columns of a file. */
export interface RowColumns {
  readonly columns: Columns
  /** Accepts and stores columns that are not listed, under any name that an XML element may have. */
  readonly takesFurtherColumns?: true | undefined
  /** Columns that hold a password, a key or a PIN. */
  readonly secrets?: readonly string[] | undefined
  /** Columns that the digest of a row leaves out: a fast digest would make their cells easy to guess. */
  readonly secretColumns?: readonly string[]
  /** Part of the digest. Raise it when rows store more than before, so that the next import writes unchanged rows again. */
  readonly revision?: number
}

/** A row that could be read. */
export interface RowEntry<R> {
  readonly line: number
  readonly cells: Cells
  /** Columns that the file lacks have their stored value, or the default of a new row. */
  readonly row: R
  /** The columns that keep their stored value, if the row is stored. */
  readonly kept: readonly string[]
  /** Equal for rows with equal cells. */
  readonly digest: string
}

/** The items from which an export takes the rows of a file. */
export interface ExportedRows {
  /** Tells whether an item holds rows of the file, or leads to them. */
  readonly holds: (item: Item) => boolean
  /** Reads an item that is a row. Throws if it cannot be read. */
  readonly read?: (item: Item) => object
  /** Reads the rows that an item leads to, batch by batch. */
  readonly rows?: (item: Item, store: Store) => AsyncIterable<readonly object[]> | Iterable<readonly object[]>
  /** The exported columns, if they differ from those of the file. */
  readonly columns?: Columns
  /** The cells of columns that are not listed. */
  readonly further?: (item: Item) => readonly (readonly [name: string, value: string])[]
  /** Tells whether an export without secrets leaves out the whole row. */
  readonly isSecret?: (row: Item) => boolean
}

/** The format of the rows of a file, or of the records of a queue, and how they are written. */
export interface RowFormat<R> extends RowColumns {
  /** The rows do not depend on each other, so the file may come in parts. */
  readonly mayHaveParts?: true
  /** Rows that are read, checked and written together, if not `ROWS_PER_BATCH`. */
  readonly rowsAtOnce?: number
  /** The columns that identify a row. A file must have them if other columns can keep their stored values. */
  readonly keyColumns?: readonly string[]
  /**
   * The columns that checks and claims look at, beside those without a default; all if missing. A row that has these keeps
   * the stored values of the others when it is written, and is not read before.
   */
  readonly checkedColumns?: readonly string[]
  /** Finds the stored rows. Only the key columns of the given rows are certain. */
  stored?(rows: readonly R[], world: ImportWorld): Promise<readonly (Partial<R> | undefined)[]>
  readonly exported: ExportedRows
  /** Columns with an optional reference. In them, 0 means none if nothing with the id 0 exists. */
  readonly optionalReferences?: readonly Requirement[]
  /** The id counter, which an import moves past the ids of the rows. */
  readonly counted?: Counted
  /** The claims of a row in words. No two rows of a file may share one. */
  claims(row: R): readonly string[]
  /** Refuses rows for more than a single cell. Called batch by batch before anything is written. */
  check?(entries: readonly RowEntry<R>[], world: ImportWorld): Promise<Reasons>
  /** Notes a row that cannot be read. Its cells may not even tell what it belongs to. */
  noteUnreadable?(cells: Cells, world: ImportWorld): void
  /** Refuses rows for reasons that only the whole file shows; reasons by line. */
  checkWhole?(world: ImportWorld): Promise<ReadonlyMap<number, string>>
  /** Refuses rows for reasons that only the other files show, once all of them are checked; reasons by line. */
  checkLast?(world: ImportWorld): Promise<ReadonlyMap<number, string>>
  /** Remarks on accepted rows. */
  remarks?(world: ImportWorld): readonly string[] | Promise<readonly string[]>
  /** Predicts what writing does to each row. Conflicts with other writers are not foreseen. */
  compare(entries: readonly RowEntry<R>[], world: ImportWorld): Promise<readonly RowKind[]>
  write(entries: readonly RowEntry<R>[], world: ImportWorld): Promise<readonly RowOutcome[]>
  /** Called after the last row, if any row was written. */
  finish?(world: ImportWorld): Promise<void>
}

/** The columns that a file must have: the key, or every column without a default if the format keeps no stored values. */
export const keyColumnsOf = <R>(format: RowFormat<R>): readonly string[] =>
  format.stored ? (format.keyColumns ?? ['id']) : columnsWithoutDefault(format)

const columnsWithoutDefault = ({ columns }: Pick<RowColumns, 'columns'>): string[] =>
  Object.entries(columns).flatMap(([name, { blank }]) => (blank ? [] : [name]))
