import { FileRefused } from '#lib/base/row-refused.ts'

/** A row of a rate sheet. */
export interface SheetRow {
  /** The line in the file, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export const MAX_ROWS = 200_000

/** Throws FileRefused for more than the allowed number of rows. */
export function refuseMoreRows(count: number): void {
  if (count > MAX_ROWS) throw new FileRefused(`The sheet has more than ${MAX_ROWS} rows`)
}
