/** The cells of one row by column name, as text. */
export type Cells = Readonly<Record<string, string>>

export interface SourceRow {
  /** Where the row begins in its file, from 1; rows given in memory are counted. */
  readonly line: number
  readonly cells: Cells
  /** Why the row could not be read at all. */
  readonly problem?: string
}

/** The rows of one file. They are read more than once, never kept: a file may be larger than memory. */
export interface RowSource {
  readonly file: string
  rows(): AsyncIterable<SourceRow>
}

export const inMemory = (file: string, rows: readonly Cells[]): RowSource => ({
  file,
  async *rows() {
    for (const [index, cells] of rows.entries()) yield { line: index + 1, cells }
  },
})
