import type { Cells } from '#lib/dataset/cells/source.ts'
import type { Reasons, RowKind, RowOutcome } from '#lib/domain/row-refused.ts'
import type { Columns } from '#lib/store/columns.ts'
import type { Requirement } from '#lib/store/entity.ts'
import type { Counted } from '#lib/store/id-counter.ts'
import type { Item } from '#lib/store/items.ts'
import type { Store } from '#lib/store/store.ts'
import type { ImportWorld } from './import-world.ts'

/** The columns of a file. */
export interface RowColumns {
  readonly columns: Columns
  /** Columns that are not listed are kept, under any name an XML element may have. */
  readonly takesFurtherColumns?: true | undefined
  /** Columns that hold a password, a key or a PIN. */
  readonly secrets?: readonly string[] | undefined
  /** Columns whose cells never enter the digest, which would be a cheap way to guess at them. */
  readonly secretColumns?: readonly string[]
  /** Counts up when a row comes to store more than before, so that a file that is imported again is not unchanged. */
  readonly revision?: number
}

/** A row that can be read: its cells, what they say, and the digest by which the same row is known again. */
export interface RowEntry<R> {
  readonly line: number
  readonly cells: Cells
  /** Columns that the file does not have are as they are stored, or as a new row has them. */
  readonly row: R
  /** The columns that are as they were stored. */
  readonly kept: readonly string[]
  readonly digest: string
}

/** Where an export finds the rows of a file. */
export interface ExportedRows {
  /** Whether an item holds rows of the file, or leads to them. */
  readonly holds: (item: Item) => boolean
  /** Reads the row that an item is. Throws when it cannot be read. */
  readonly read?: (item: Item) => object
  /** Reads the rows that an item leads to, batch by batch. */
  readonly rows?: (item: Item, store: Store) => AsyncIterable<readonly object[]> | Iterable<readonly object[]>
  /** Its columns, where they are others than those of the file. */
  readonly columns?: Columns
  /** Columns beyond the known ones. */
  readonly further?: (item: Item) => readonly (readonly [name: string, value: string])[]
  /** Whether a row is left out as a whole where secrets are. */
  readonly isSecret?: (row: Item) => boolean
}

/** The format of the rows of a file, or of the records of a queue, and how they are written. */
export interface RowFormat<R> extends RowColumns {
  /** The columns by which a row is known: those that a file must have where the others keep what is stored. */
  readonly keyColumns?: readonly string[]
  /** What the table holds under the rows' keys: only the key columns of the rows are sure. */
  stored?(rows: readonly R[], world: ImportWorld): Promise<readonly (Partial<R> | undefined)[]>
  readonly exported: ExportedRows
  /** Columns that may name something, in which 0 is nothing where no such 0 exists. */
  readonly optionalReferences?: readonly Requirement[]
  /** The counter that moves past the ids of the file's rows. */
  readonly counted?: Counted
  /** Names, in words, what no other row of the file may have too. */
  claims(row: R): readonly string[]
  /** Refuses rows for more than a single cell. Called before anything is written, batch by batch. */
  check?(entries: readonly RowEntry<R>[], world: ImportWorld): Promise<Reasons>
  /** Notes a row that cannot be read. Perhaps its cells do not even tell what it belongs to. */
  missed?(cells: Cells, world: ImportWorld): void
  /** Refuses what only the whole file shows; reasons by line. */
  checkWhole?(world: ImportWorld): Promise<ReadonlyMap<number, string>>
  /** Refuses what only the other files show, once all of them are checked; reasons by line. */
  checkLast?(world: ImportWorld): Promise<ReadonlyMap<number, string>>
  /** What is to be said about rows that are accepted. */
  remarks?(world: ImportWorld): readonly string[] | Promise<readonly string[]>
  /** What writing would do, as far as that shows beforehand. */
  compare(entries: readonly RowEntry<R>[], world: ImportWorld): Promise<readonly RowKind[]>
  write(entries: readonly RowEntry<R>[], world: ImportWorld): Promise<readonly RowOutcome[]>
  /** Called after the last row, when any was written. */
  finish?(world: ImportWorld): Promise<void>
}
