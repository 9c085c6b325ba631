/** The result of a benchmark: names and figures. */
export interface BenchmarkTable {
  readonly title: string
  readonly rows: readonly (readonly [name: string, figure: string])[]
}

export const toMarkdown = ({ title, rows }: BenchmarkTable): string =>
  [
    `## ${title}`,
    '',
    '| | |',
    '|---|---|',
    ...rows.map(([name, figure]) => `| ${name} | ${figure} |`),
    '',
  ].join('\n')
