import type { RowSource } from '#lib/dataset/cells/source.ts'
import type { ImportWorld } from './import-world.ts'

export interface Progress {
  readonly file: string
  readonly phase: 'check' | 'write'
  /** Rows that are through; how many there are is known once they are checked. */
  readonly done: number
  readonly total?: number
}

export interface ImportOptions {
  /** Checks every row and writes nothing. */
  readonly dryRun?: boolean
  /** A file that replaces something as a whole keeps the rows that it does not name. */
  readonly merge?: boolean
  /** A file that replaces something as a whole replaces it even when some of its rows were refused. */
  readonly acceptRejected?: boolean
  /** Replaces a tariff although that removes more than a tenth of it, or leaves no rate in force today. */
  readonly allowRemovals?: boolean
  /** Asks whether a tariff may lose so much; where nobody can be asked it may not. */
  readonly mayRemove?: (question: string) => Promise<boolean>
  /** Also looks, for each tariff, which calls of so many days would have no rate any more. */
  readonly checkUse?: number
  /** What a comma before three digits means in a price; such a cell is refused where nobody says. */
  readonly comma?: 'decimal' | 'thousands'
  readonly onProgress?: (progress: Progress) => void
  /** Who imports, for the logs. */
  readonly who?: string
  /** By this name the table remembers what relative dates are counted from, instead of by the folder's. */
  readonly dataset?: string
  /** Refused rows are listed without what is secret in them: the list lies where others read. */
  readonly hidesSecrets?: boolean
  /** Stops between two batches; the same import again goes on from there. */
  readonly signal?: AbortSignal
}

/** One file on its way into the table. */
export interface FileJob {
  readonly source: RowSource
  readonly world: ImportWorld
  readonly options: ImportOptions
}

/** Rows that are read, checked and written together. */
export const ROWS_AT_ONCE = 500
