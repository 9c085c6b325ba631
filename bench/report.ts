/** What one benchmark found: names and figures. */
export interface Table {
  readonly title: string
  readonly rows: readonly (readonly [name: string, figure: string])[]
}

export const toMarkdown = ({ title, rows }: Table): string =>
  [
    `## ${title}`,
    '',
    '| | |',
    '|---|---|',
    ...rows.map(([name, figure]) => `| ${name} | ${figure} |`),
    '',
  ].join('\n')
