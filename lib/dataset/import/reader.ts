import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { parse as parseJson } from 'lossless-json'
import { type CsvRow, readCsv } from '#lib/csv/reader.ts'
import { cellsOfJson } from '#lib/dataset/cells/json-cells.ts'
import { withoutNoValue } from '#lib/dataset/cells/no-value.ts'
import type { RowSource, SourceRow } from '#lib/dataset/cells/source.ts'
import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import { unknownColumn } from '#lib/dataset/format/row-parser.ts'
import { fromText } from '#lib/domain/formula.ts'
import { datasetFiles, type FileName } from './files.ts'

/** Reads a dataset file on disk: NDJSON or CSV, by its ending. */
export const readSource = (file: FileName, path: string): RowSource => ({
  file,
  rows: () => (path.endsWith('.ndjson') ? readNdjson(path) : readRows(file, path)),
})

/** RFC 4180 with a header line. */
async function* readRows(file: FileName, path: string): AsyncGenerator<SourceRow> {
  const unpaired = (line: number) =>
    new DatasetError(`${basename(path)}: the quotes do not pair up after line ${line}`)
  let header: readonly string[] | undefined
  for await (const row of readCsv(decoded(path), unpaired, { noValue: 'NULL' })) {
    if (header) yield toRow(header, row)
    else header = checkedHeader(file, path, row.cells)
  }
  if (!header) throw new DatasetError(`${basename(path)} has no header line`)
}

function checkedHeader(file: FileName, path: string, names: readonly string[]): readonly string[] {
  const format = datasetFiles[file]
  const twice = names.find((name, position) => names.indexOf(name) !== position)
  const missing = format.keyColumns.find((name) => !names.includes(name))
  const problem =
    unknownColumn(format, names) ??
    (twice === undefined ? undefined : `column ${JSON.stringify(twice)} comes twice`) ??
    (missing === undefined ? undefined : `no column ${missing}`)
  if (problem !== undefined) throw new DatasetError(`${basename(path)}: ${problem}`)
  return names
}

function toRow(header: readonly string[], row: CsvRow): SourceRow {
  const values = row.cells.map(withoutNoValue)
  const cells = Object.fromEntries(header.map((name, place) => [name, fromText(values[place] ?? '')]))
  if (values.length === header.length) return { line: row.line, cells }
  return {
    line: row.line,
    cells,
    problem: `has ${values.length} cells where the header has ${header.length}`,
  }
}

async function* readNdjson(path: string): AsyncGenerator<SourceRow> {
  const lines = createInterface({ input: Readable.from(decoded(path)), crlfDelay: Number.POSITIVE_INFINITY })
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text.trim() !== '') yield { line, ...readObject(text) }
  }
}

function readObject(text: string): Omit<SourceRow, 'line'> {
  try {
    return { cells: cellsOfJson(parseJson(text)) }
  } catch {
    return { cells: {}, problem: 'is not a flat JSON object' }
  }
}

/** Strict: a file in another encoding is refused, not stored with question marks. A byte order mark is dropped. */
async function* decoded(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of createReadStream(path)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw new DatasetError(`${basename(path)} is not UTF-8`, { cause: error })
    throw error
  }
}
