declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly too_many_groups: { readonly most: number }
  }
}

/** A list with named columns. Commands print it as a table, CSV, JSON or a workbook. */
export interface Report {
  /** The subject and the period, as the line above a table. */
  readonly title?: string
  /** The columns by name, in their order. Numbers are aligned to the right. */
  readonly columns: Readonly<Record<string, 'text' | 'number' | 'time'>>
  readonly rows: AsyncIterable<ReportRow>
  /** The currency of all amounts, if they have the same one. */
  readonly currency?: string
  /** A row of sums over the whole report, complete when all rows have been read. */
  readonly total?: () => ReportRow
}

/** The cells by the names of their columns; `undefined` is blank. Amounts are decimal text. */
export type ReportRow = Readonly<Record<string, string | number | boolean | undefined>>
