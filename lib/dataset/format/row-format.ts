import type { Outcome } from '#lib/domain/row-refused.ts'
import type { Columns } from '#lib/store/columns.ts'
import type { Counted } from '#lib/store/id-counter.ts'
import type { ImportWorld } from './import-world.ts'
import type { Cells } from './source.ts'

/** The columns of a file. */
export interface RowColumns {
  readonly columns: Columns
  /** Columns that are not listed are kept, under any name an XML element may have. */
  readonly takesFurtherColumns?: true | undefined
  /** Cells that never enter the digest: it would be a cheap way to guess at them. */
  readonly secretColumns?: readonly string[]
}

/** A row that can be read: its cells, what they say, and the digest by which the same row is known again. */
export interface Entry<R> {
  readonly line: number
  readonly cells: Cells
  readonly row: R
  readonly digest: string
}

/** Why the entry at the same position cannot be imported; `undefined`: it can. */
export type Reasons = readonly (string | undefined)[]

/** What the rows of a file are like, and how they are written: a file of a dataset, or the records of a queue. */
export interface RowFormat<R> extends RowColumns {
  /** Ids of the file's rows move this counter past them. */
  readonly counted?: Counted
  /** What no two rows of the file may have in common, in words. */
  claims(row: R): readonly string[]
  /** What a row must be like besides its columns. Asked before anything is written, batch by batch. */
  check?(entries: readonly Entry<R>[], world: ImportWorld): Promise<Reasons>
  /** What only the whole file shows: reasons by line. */
  checkWhole?(world: ImportWorld): Promise<ReadonlyMap<number, string>>
  /** What only the other files show, once all of them are checked: reasons by line. */
  checkLast?(world: ImportWorld): Promise<ReadonlyMap<number, string>>
  write(entries: readonly Entry<R>[], world: ImportWorld): Promise<readonly Outcome[]>
  /** After the last row. */
  finish?(world: ImportWorld): Promise<void>
}
