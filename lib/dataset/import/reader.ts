import { createReadStream } from 'node:fs'
import { basename, parse } from 'node:path'
import { createInterface } from 'node:readline'
import { parse as parseJson } from 'lossless-json'
import { allReasons, FileRefused } from '#lib/base/row-refused.ts'
import { unescapeFormula } from '#lib/base/text.ts'
import { type CsvRow, readCsv } from '#lib/csv/reader.ts'
import { unknownColumn } from '#lib/table/cells/row-parser.ts'
import { cellsOfJson, type RowSource, type SourceRow, withoutNoValue } from '#lib/table/cells/row-source.ts'
import { datasetFiles, type FileName } from './files.ts'

/** The rows of a dataset file on disk, which is NDJSON or CSV by its ending. */
export const readSource = (file: FileName, path: string): RowSource => ({
  file: parse(path).name,
  rows: () => (path.endsWith('.ndjson') ? readNdjson(path) : readCsvRows(file, path)),
})

/** Reads CSV of RFC 4180 with a header line. */
async function* readCsvRows(file: FileName, path: string): AsyncGenerator<SourceRow> {
  const unpaired = (line: number) =>
    new FileRefused(`${basename(path)}: unbalanced quotes after line ${line}`)
  let header: readonly string[] | undefined
  for await (const row of readCsv(decoded(path), unpaired, { noValue: 'NULL' })) {
    if (header) yield toRow(header, row)
    else header = checkedHeader(file, path, row.cells)
  }
  if (!header) throw new FileRefused(`${basename(path)} has no header line`)
}

function checkedHeader(file: FileName, path: string, names: readonly string[]): readonly string[] {
  const format = datasetFiles[file]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const hasName = format.nameColumn !== undefined && names.includes(format.nameColumn)
  const missing = hasName ? undefined : format.keyColumns.find((name) => !names.includes(name))
  const unknown = unknownColumn(format, names)
  const problem =
    otherDelimiter(names) ??
    allReasons(
      unknown && `${unknown}: it takes ${Object.keys(format.columns).join(', ')}`,
      twice === undefined ? undefined : `duplicate column ${JSON.stringify(twice)}`,
      missing === undefined ? undefined : `column ${missing} is missing`,
    )
  if (problem !== undefined) throw new FileRefused(`${basename(path)}: ${problem}`)
  return names
}

const DELIMITERS = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const

/** A header of one cell with other delimiters in it. Such files may also have decimal commas, so that they are not guessed. */
function otherDelimiter([first = '', ...others]: readonly string[]): string | undefined {
  const found = Object.entries(DELIMITERS).find(([delimiter]) => first.includes(delimiter))
  if (others.length > 0 || !found) return undefined
  return `its columns are separated by ${found[1]}: save it with commas, and with a point in decimal numbers`
}

function toRow(header: readonly string[], row: CsvRow): SourceRow {
  const values = row.cells.map(withoutNoValue)
  const cells = Object.fromEntries(header.map((name, index) => [name, unescapeFormula(values[index] ?? '')]))
  if (values.length === header.length) return { line: row.line, cells }
  return {
    line: row.line,
    cells,
    problem: `has ${values.length} cells, but the header has ${header.length}`,
  }
}

/** Lines are split as bytes, so that one that is not UTF-8 is refused alone. */
async function* readNdjson(path: string): AsyncGenerator<SourceRow> {
  const input = createReadStream(path, { encoding: 'latin1' })
  let line = 0
  for await (const bytes of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1
    if (bytes.trim() !== '') yield { line, ...readLine(bytes) }
  }
}

const BEYOND_ASCII = /[\x80-\xff]/

const lineDecoder = new TextDecoder('utf-8', { fatal: true })

/** Reads the bytes of a line, each a character. */
function readLine(bytes: string): Omit<SourceRow, 'line'> {
  if (!BEYOND_ASCII.test(bytes)) return readObject(bytes)
  try {
    return readObject(lineDecoder.decode(Buffer.from(bytes, 'latin1')))
  } catch {
    return { cells: {}, problem: 'is not UTF-8' }
  }
}

function readObject(text: string): Omit<SourceRow, 'line'> {
  try {
    return { cells: cellsOfJson(parseJson(text)) }
  } catch {
    return { cells: {}, problem: 'is not a flat JSON object' }
  }
}

/** Decodes UTF-8 and drops a byte order mark. Throws FileRefused for another encoding, instead of storing replacement characters. */
async function* decoded(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of createReadStream(path)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw new FileRefused(`${basename(path)} is not UTF-8`, { cause: error })
    throw error
  }
}
