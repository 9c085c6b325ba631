import type { CdrDocument } from '#lib/cdrs/formats/cdr.ts'
import { type CsvText, csvTextOf, findCsvHeader } from '#lib/cdrs/formats/csv-rows.ts'
import { mappedRows } from '#lib/cdrs/formats/mapped-csv.ts'
import { cellsInSpan, spansOf } from '#lib/csv/reader.ts'

/** The names of columns that often tell the legs of one call apart. */
const LEG_COLUMN = /^(?:call|cdr)?[ _-]?(?:direction|leg)(?:[ _-]?(?:type|name|no))?$/i

const MAX_ROWS = 200
const MAX_VALUES = 3

/**
 * A column that seems to tell the legs of a call apart, with its values in the first rows. `undefined` if
 * there is none, or if the source chooses rows.
 */
export function legColumnOf(
  document: CdrDocument,
): { readonly column: string; readonly values: readonly string[] } | undefined {
  if (document.format !== 'csv' || document.where) return undefined
  const format = mappedRows(document)
  const csv = csvTextOf(document.text, format)
  const header = findCsvHeader(csv, format)
  const columns = header?.cells.map(format.nameIn) ?? document.columns ?? []
  const index = columns.findIndex((name) => LEG_COLUMN.test(name))
  if (index < 0) return undefined
  const values = valuesIn(csv, header?.next, index)
  return { column: columns[index] ?? '', values: values.slice(0, MAX_VALUES) }
}

function valuesIn({ text, dialect }: CsvText, from: number | undefined, index: number): string[] {
  const values = new Set<string>()
  let count = 0
  for (const span of spansOf(text, from, dialect)) {
    const value = span.isCsv ? cellsInSpan(text, span, dialect)[index]?.trim() : undefined
    if (value) values.add(value)
    count += 1
    if (count === MAX_ROWS) break
  }
  return [...values]
}
