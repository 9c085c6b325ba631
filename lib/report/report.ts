/** A list with named columns. Commands print it as a table, CSV, JSON or a workbook. */
export interface Report {
  /** The columns by name, in their order. Numbers are aligned to the right. */
  readonly columns: Readonly<Record<string, 'text' | 'number'>>
  readonly rows: AsyncIterable<ReportRow>
}

/** The cells by the names of their columns; `undefined` is blank. Amounts are decimal text. */
export type ReportRow = Readonly<Record<string, string | number | undefined>>
