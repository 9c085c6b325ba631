import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { parse as parseJson } from 'lossless-json'
import { cellsOf } from '#lib/dataset/cells/json-cells.ts'
import { type CsvRecord, csvCells } from '#lib/dataset/cells/no-value.ts'
import type { Source, SourceRow } from '#lib/dataset/cells/source.ts'
import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import { unknownColumn } from '#lib/dataset/format/row-parser.ts'
import { fromText } from '#lib/domain/formula.ts'
import { datasetFiles, type FileName } from './files.ts'

/** Reads a dataset file on disk: NDJSON or CSV, by its ending. */
export const readSource = (file: FileName, path: string): Source => ({
  file,
  rows: () => (path.endsWith('.ndjson') ? readNdjson(path) : readCsv(file, path)),
})

/**
 * RFC 4180 with a header line. Quotes that do not pair up refuse the whole file: from there on it is unknown where a
 * row ends, and what looks like one may be the inside of a cell.
 */
async function* readCsv(file: FileName, path: string): AsyncGenerator<SourceRow> {
  const parser = parse({
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: LARGEST_RECORD,
  })
  pipeline(Readable.from(decoded(path)), parser, () => {})
  let header: readonly string[] | undefined
  let linesBefore = 0
  try {
    for await (const { record, raw } of parser as AsyncIterable<CsvRecord>) {
      const line = linesBefore + lineEnds(/^[\r\n]*/.exec(raw)?.[0]) + 1
      if (header) yield toRow(header, { record, raw }, line)
      else header = checkedHeader(file, path, record)
      linesBefore += lineEnds(raw)
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new DatasetError(`${basename(path)}: the quotes do not pair up after line ${linesBefore}`)
  }
  if (!header) throw new DatasetError(`${basename(path)} has no header line`)
}

/** In characters. It is larger than any row that an item could hold, and small enough for memory. */
const LARGEST_RECORD = 2_000_000

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

function toRow(header: readonly string[], csv: CsvRecord, line: number): SourceRow {
  const values = csvCells(csv)
  const cells = Object.fromEntries(header.map((name, position) => [name, fromText(values[position] ?? '')]))
  if (values.length === header.length) return { line, cells }
  return { line, cells, problem: `has ${values.length} cells where the header has ${header.length}` }
}

/** Counts line ends. In `raw` csv-parse leaves the CR of a record's CRLF; its own count takes each CRLF twice. */
const lineEnds = (raw = ''): number => raw.match(/\r\n|\r|\n/g)?.length ?? 0

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
    return { cells: cellsOf(parseJson(text)) }
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
