import { SheetError } from './sheet-error.ts'

/** A row of a sheet: its cells as text, and the line in the file, from 1, that it stands in. */
export interface SheetRow {
  readonly line: number
  readonly cells: readonly string[]
}

export const MOST_ROWS = 200_000

export function refuseMoreRows(count: number): void {
  if (count > MOST_ROWS) throw new SheetError(`The sheet has more than ${MOST_ROWS} rows`)
}
