import type { RowCounts, RowProblem } from '#lib/base/row-refused.ts'
import type { CallUseCheck, Permission } from '#lib/rates/replacement.ts'
import type { LoggedImport } from '#lib/settings/audit-log.ts'
import type { RowSource } from '#lib/table/cells/row-source.ts'
import type { ImportContext, NewRows } from './import-context.ts'
import type { RowColumns } from './row-format.ts'

/** One file of a dataset, however its rows are written. */
export interface DatasetFile extends Pick<RowColumns, 'columns' | 'furtherProblem'> {
  /** The columns that a file must have. A file that lacks other columns keeps their stored values. */
  readonly keyColumns: readonly string[]
  /** The column that may replace a blank key: the row is found by this name, or is new. */
  readonly nameColumn?: string | undefined
  /** The rows do not depend on each other, so the file may come in parts, such as calls-2026-01.ndjson. */
  readonly mayHaveParts?: true | undefined
  /** Reads and checks every row; writes nothing. */
  check(job: FileJob): Promise<CheckedFile>
}

export interface FileJob {
  readonly source: RowSource
  readonly context: ImportContext
  readonly options: ImportOptions
}

/** Rows that are read, checked and written together. */
export const ROWS_PER_BATCH = 500

export interface ImportOptions extends Permission {
  /** Checks every row, compares it with the table and writes nothing. */
  readonly dryRun?: boolean
  /** Rows may give stored rows another name. */
  readonly rename?: boolean
  /** A file that replaces a whole list keeps the stored rows that it does not mention. */
  readonly merge?: boolean
  readonly checkUse?: CallUseCheck | undefined
  /** The name of the importer in logs. */
  readonly who?: string
  /** Stops the import between two batches. The same import continues when it is run again. */
  readonly signal?: AbortSignal
  /** The meaning of a comma before three digits in a price. Without it, such a cell is refused. */
  readonly comma?: 'decimal' | 'thousands'
  readonly onProgress?: (progress: Progress) => void
  /**
   * The name under which the table remembers the first import, from which relative dates count. The default
   * is the name of the folder.
   */
  readonly dataset?: string
  /** Files of the dataset that are left out. */
  readonly without?: readonly string[]
  /** The import in the audit log; without it, the import has no entry. */
  readonly logAs?: Pick<LoggedImport, 'who' | 'file'>
  /** Lists refused rows without their secrets, because others can read the list. */
  readonly hidesSecrets?: boolean
}

export interface Progress {
  readonly file: string
  /** A dry run compares rows with the table instead of writing them. */
  readonly phase: 'check' | 'compare' | 'write'
  /** Rows that were checked, compared or written. */
  readonly done: number
  /** Known once all rows are checked. */
  readonly total?: number
}

/** A file whose rows are checked. Later steps get a context in which all of the dataset is known. */
export interface CheckedFile {
  readonly rows: number
  /** Reasons by line. */
  readonly refused: ReadonlyMap<number, string>
  /** The same by their codes, for a form of one row. */
  readonly problems?: ReadonlyMap<number, readonly RowProblem[]>
  readonly brings?: Partial<NewRows>
  /** Refuses rows for reasons that only the other files show. Called once all files are checked. */
  checkLast?(context: ImportContext): Promise<void>
  /** Remarks on accepted rows. Called after `write`. */
  remarks?(context: ImportContext): Promise<readonly string[]>
  /** Writes the rows that are not refused. A dry run only reports what writing would do. */
  write(context: ImportContext): Promise<ImportReport>
}

export interface ImportReport {
  readonly rows: number
  readonly written: number
  readonly unchanged: number
  /** The effect on stored rows; in a dry run the effect that writing would have. */
  readonly counts?: Readonly<RowCounts>
  /** Reasons by line. */
  readonly refused: ReadonlyMap<number, string>
  /** Sentences for the operator, for example why a list was not replaced. */
  readonly remarks?: readonly string[]
  /** Sentences about the ids that were assigned to new rows. */
  readonly numbered?: readonly string[]
  /** True if at least one list that the file names was not replaced. */
  readonly notReplaced?: boolean
  /** True if at least one list was not replaced only because the operator has not allowed its removals. */
  readonly needsPermission?: boolean
}
