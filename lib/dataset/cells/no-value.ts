/** Cells that mean no value in exports of MySQL. */
const NO_VALUES = new Set(['\\N', '0000-00-00', '0000-00-00 00:00:00'])

/** Blanks a cell that means no value. */
export const withoutNoValue = (cell: string): string => (NO_VALUES.has(cell) ? '' : cell)
