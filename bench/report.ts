/** The result of a benchmark: names and figures. */
export interface BenchmarkTable {
  readonly title: string
  /** The heads of the columns, if the rows do not explain themselves. */
  readonly columns?: readonly string[]
  readonly rows: readonly (readonly [name: string, ...figures: string[]])[]
}

export const toMarkdown = (table: BenchmarkTable): string =>
  [`## ${table.title}`, '', tableOf(table), ''].join('\n')

export const tableOf = ({ columns = ['', ''], rows }: Omit<BenchmarkTable, 'title'>): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** A figure with one decimal, without a zero after the point. */
export const oneDecimal = (figure: number): string => figure.toFixed(1).replace(/\.0$/, '')

/** Tells on standard error how far a benchmark has come: the tables alone are on standard output. */
export const progress = (text: string): void => void process.stderr.write(`${text}\n`)
