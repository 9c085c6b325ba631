import { fileRefused } from '#lib/base/row-refused.ts'
import { boundedText } from '#lib/base/text.ts'

export interface SheetRow {
  /** The line in the file, from 1. */
  readonly line: number
  /** Without blanks around them. */
  readonly cells: readonly string[]
}

const MAX_ROWS = 200_000

/** The limits of spreadsheets. */
const MAX_CELL_CHARACTERS = 32_767
export const MAX_COLUMNS = 16_384

/** The row of these cells; `undefined` if they are blank. Throws refused_file for too many or long cells. */
export function sheetRow(line: number, values: readonly string[]): SheetRow | undefined {
  if (values.length > MAX_COLUMNS) throw fileRefused(`Line ${line} of the sheet has more than 16,384 columns`)
  const cells = values.map((value) => value.trim())
  if (cells.some((cell) => cell.length > MAX_CELL_CHARACTERS))
    throw fileRefused(`Line ${line} of the sheet has a cell of more than 32,767 characters`)
  return cells.some((cell) => cell !== '') ? { line, cells } : undefined
}

/** A cell as types may read it; blank where there is none. Only a list of dial codes may be longer. */
export const cellAt = ({ cells }: SheetRow, index = -1): string => boundedText(cells[index] ?? '')

/** Throws refused_file for more than the allowed number of rows. */
export function refuseMoreRows(count: number): void {
  if (count > MAX_ROWS) throw fileRefused(`The sheet has more than ${MAX_ROWS} rows`)
}
