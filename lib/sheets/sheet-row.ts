/** A rate sheet that cannot be read, in a sentence for its sender. */
export class SheetError extends Error {}

/** A row of a rate sheet. */
export interface SheetRow {
  /** The line in the file, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export const MAX_ROWS = 200_000

/** Throws SheetError for more than the allowed number of rows. */
export function refuseMoreRows(count: number): void {
  if (count > MAX_ROWS) throw new SheetError(`The sheet has more than ${MAX_ROWS} rows`)
}
