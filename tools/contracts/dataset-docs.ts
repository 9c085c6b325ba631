import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { datasetFiles, type FileName, fileNames } from '#lib/dataset/import/files.ts'
import type { Column } from '#lib/table/columns.ts'

/** The columns of every file in docs/datasets.md, from the declarations that read them. */
export const datasetReference = (): string => fileNames.map(fileSection).join('\n')

function fileSection(name: FileName): string {
  const { columns, keyColumns, furtherProblem, nameColumn }: DatasetFile = datasetFiles[name]
  const rows = Object.entries(columns).map(([column, { describes, blank }]: [string, Column]) => {
    const values = describes.replaceAll('|', '\\|')
    const required =
      nameColumn !== undefined && column === 'id' ? 'that of the name, or new' : 'must not be blank'
    const meaning = blank ? meaningOf(blank.value) : required
    return `| ${column}${keyColumns.includes(column) ? ' *' : ''} | ${values} | ${meaning} |`
  })
  const further = furtherProblem ? ['', 'Further columns are stored in their order.'] : []
  return [
    `## ${name}`,
    '',
    '| column | values | blank means |',
    '| --- | --- | --- |',
    ...rows,
    ...further,
    '',
  ].join('\n')
}

function meaningOf(value: unknown): string {
  if (value === undefined || value === '') return ''
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}
