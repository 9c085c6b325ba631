/** What a spreadsheet would calculate instead of showing, behind any number of apostrophes; +37060012345 and -1.5 are plain numbers. */
const LIKE_FORMULA = /^'*(?:[=@\t\r]|[+-](?!\d+(?:\.\d+)?$))/

/** A cell as it may stand in a list that people open in a spreadsheet. */
export const asText = (cell: string): string => (LIKE_FORMULA.test(cell) ? `'${cell}` : cell)

/** The cell that `asText` made this of; any other as it is. */
export const fromText = (cell: string): string =>
  cell.startsWith("'") && LIKE_FORMULA.test(cell) ? cell.slice(1) : cell
