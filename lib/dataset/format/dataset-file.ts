import type { RowKind } from '#lib/domain/row-refused.ts'
import type { FileJob } from './job.ts'
import type { ExportedRows, RowColumns } from './row-format.ts'

/** One file of a dataset, however its rows are written. */
export interface DatasetFile extends Pick<RowColumns, 'columns' | 'takesFurtherColumns' | 'secrets'> {
  /** The columns that a file must have: the others keep what is stored. */
  readonly keyColumns: readonly string[]
  readonly exported: ExportedRows
  /** Reads and checks every row; writes nothing. */
  check(job: FileJob): Promise<CheckedFile>
}

export interface CheckedFile {
  readonly rows: number
  /** Reasons by line. */
  readonly refused: ReadonlyMap<number, string>
  /** Refuses what only the other files show, once all of them are checked. */
  checkLast?(): Promise<void>
  /** Reports what writing would do, without it. */
  preview?(): Promise<Report>
  /** Writes the rows that are not refused. */
  write(): Promise<Report>
}

/** Rows by what they do to what is stored; `removed` are stored ones that the file leaves out of what it replaces. */
export type Counts = Readonly<Record<RowKind | 'removed', number>>

export const NO_ROWS: Counts = { new: 0, changed: 0, unchanged: 0, removed: 0 }

/** What came of the rows of a file. */
export interface Report {
  readonly rows: number
  readonly written: number
  readonly unchanged: number
  /** What became of what is stored, or in a dry run would become. */
  readonly counts?: Counts
  /** Reasons by line. */
  readonly refused: ReadonlyMap<number, string>
  /** What was left as it was, and why, in sentences. */
  readonly remarks?: readonly string[]
  /** Something that the file replaces as a whole stayed as it was, for whatever reason. */
  readonly stays?: boolean
  /** Something stayed as it was only because nobody has allowed to remove so much. */
  readonly needsLeave?: boolean
}
