import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { datasetFiles, type FileName, fileNames } from '#lib/dataset/import/files.ts'
import type { Column } from '#lib/table/columns.ts'

/** The columns of every file in docs/datasets.md, from the declarations that read them. */
export const datasetReference = (): string => fileNames.map(fileSection).join('\n')

function fileSection(name: FileName): string {
  const { columns, keyColumns, furtherProblem, nameColumn }: DatasetFile = datasetFiles[name]
  const namesByMeaning = new Map<string, string[]>()
  for (const [column, described] of Object.entries<Column>(columns)) {
    const ofName = nameColumn !== undefined && column === 'id'
    const meaning = ofName ? 'number; blank: that of the name, or new' : meaningOf(described)
    const shown = `\`${column}\`${keyColumns.includes(column) ? '*' : ''}`
    namesByMeaning.set(meaning, [...(namesByMeaning.get(meaning) ?? []), shown])
  }
  const items = [...namesByMeaning].map(([meaning, names]) => `- ${names.join(', ')}: ${meaning}`)
  const further = furtherProblem ? ['- Further columns are stored in their order.'] : []
  return [`## ${name}`, '', ...items, ...further, ''].join('\n')
}

/** Descriptions of many columns, which the page explains once. */
const SHORT: Readonly<Record<string, string>> = {
  'whole number from 0': 'number',
  'decimal number of at most 30 digits': 'decimal',
  'YYYY-MM-DD HH:MM:SS': 'time',
  'YYYY-MM-DD': 'date',
  '1 or 0': 'flag',
  'text, not blank': 'text',
}

/** The values of a column, and whether it may be blank. Columns of the same meaning share an item. */
function meaningOf({ describes, blank }: Column): string {
  const values = describes.replace(/^, |,? or blank$/g, '')
  const short = SHORT[values] ?? values
  if (!blank) return `${short} (required)`
  const { value } = blank
  if (value === undefined || value === '') return short
  return `${short}; blank: ${typeof value === 'boolean' ? Number(value) : value}`
}
