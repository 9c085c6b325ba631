import type { RowColumns, RowFormat } from './row-format.ts'

/** The columns that a file of rows must have: those of the key, and all that must hold something where nothing is kept. */
export const keyColumnsOf = <R>(format: RowFormat<R>): readonly string[] =>
  format.stored ? (format.keyColumns ?? ['id']) : columnsToFill(format)

/** The columns that every row must fill. */
const columnsToFill = ({ columns }: Pick<RowColumns, 'columns'>): string[] =>
  Object.entries(columns).flatMap(([name, { blank }]) => (blank ? [] : [name]))
