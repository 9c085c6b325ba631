import { createReadStream } from 'node:fs'
import { basename, parse } from 'node:path'
import { createInterface } from 'node:readline'
import { parse as parseJson } from 'lossless-json'
import { fileRefused, problemsText } from '#lib/base/row-refused.ts'
import { unescapeFormula } from '#lib/base/text.ts'
import { encodingOf } from '#lib/csv/encoding.ts'
import { type CsvRow, delimiterOf, readCsv, statedDelimiter } from '#lib/csv/reader.ts'
import { unknownColumn } from '#lib/table/cells/row-parser.ts'
import { cellsOfJson, type RowSource, type SourceRow, withoutNoValue } from '#lib/table/cells/row-source.ts'
import { datasetFiles, type FileName, fileNames } from './files.ts'

/** The rows of a dataset file on disk, which is NDJSON or CSV by its ending. */
export function readSource(file: FileName, path: string): RowSource {
  if (path.endsWith('.ndjson')) return { file: parse(path).name, rows: () => readNdjson(file, path) }
  let encoding: Promise<string> | undefined
  let remark: string | undefined
  return {
    file: parse(path).name,
    async *rows() {
      encoding ??= encodingOfFile(path)
      if ((await encoding) === WINDOWS)
        remark = 'read as Windows-1252, because it is not UTF-8: look at its letters'
      yield* readCsvRows(file, path, await encoding)
    },
    remark: () => remark,
  }
}

/** Reads CSV with a header line. A first line such as `sep=;` may name the delimiter. */
async function* readCsvRows(file: FileName, path: string, encoding: string): AsyncGenerator<SourceRow> {
  const unpaired = (line: number) => fileRefused(`${basename(path)}: unbalanced quotes after line ${line}`)
  const text = decoded(path, encoding)
  const { value: first = '' } = await text.next()
  const stated = statedDelimiter(first)
  const delimiter = delimiterOf(first, (cells) => cells.filter((cell) => isColumn(file, cell)).length)
  const before = stated ? 1 : 0
  const rest = async function* () {
    yield first.slice(stated?.next ?? 0)
    yield* text
  }
  let header: readonly string[] | undefined
  for await (const row of readCsv(rest(), unpaired, { noValue: 'NULL', delimiter })) {
    if (header) yield toRow(header, { ...row, line: row.line + before })
    else header = checkedHeader(file, path, row.cells)
  }
  if (!header) throw fileRefused(`${basename(path)} has no header line`)
}

const isColumn = (file: FileName, cell: string): boolean => Object.hasOwn(datasetFiles[file].columns, cell)

/** Devices have the most, with a hundred further ones. */
const MAX_COLUMNS = 1000

function checkedHeader(file: FileName, path: string, names: readonly string[]): readonly string[] {
  const format = datasetFiles[file]
  if (names.length > MAX_COLUMNS)
    throw fileRefused(`${basename(path)} has ${names.length} columns, more than ${MAX_COLUMNS}`)
  refuseOtherFile(file, path, names)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const hasName = format.nameColumn !== undefined && names.includes(format.nameColumn)
  const missing = hasName ? undefined : format.keyColumns.find((name) => !names.includes(name))
  const unknown = unknownColumn(format, names)
  const problem = problemsText(
    unknown && `${unknown}: it takes ${Object.keys(format.columns).join(', ')}`,
    twice === undefined ? undefined : `duplicate column ${JSON.stringify(twice)}`,
    missing === undefined ? undefined : `column ${missing} is missing`,
  )
  if (problem !== '') throw fileRefused(`${basename(path)}: ${problem}`)
  return names
}

/** Devices may have further columns: without this, they would take those of a file of users. */
function refuseOtherFile(file: FileName, path: string, names: readonly string[]): void {
  const known = new Map(fileNames.map((of) => [of, names.filter((name) => isColumn(of, name)).length]))
  const most = Math.max(...known.values())
  if (most < 2 * Math.max(known.get(file) ?? 0, 1)) return
  const other = fileNames.find((of) => known.get(of) === most)
  throw fileRefused(
    `${basename(path)} has the columns of ${other}.csv, not those of ${file}.csv: import it as ${other}`,
  )
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
async function* readNdjson(file: FileName, path: string): AsyncGenerator<SourceRow> {
  const input = createReadStream(path, { encoding: 'latin1' })
  let [line, names]: [number, readonly string[]] = [0, []]
  for await (const bytes of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1
    if (bytes.trim() === '') continue
    const row = readLine(bytes)
    if (names.length === 0) {
      names = Object.keys(row.cells)
      refuseOtherFile(file, path, names)
    }
    yield { line, ...row }
  }
}

const BEYOND_ASCII = /[\u0080-\uffff]/

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

const WINDOWS = 'windows-1252'

/**
 * Detects UTF-16 and UTF-8 by the bytes of a file; any other text is Windows-1252. Throws refused_file for a
 * file that is UTF-8 up to a broken byte: its other letters would change.
 */
async function encodingOfFile(path: string): Promise<string> {
  const { encoding, lines, hasLetters } = await readSoundPart(path)
  if (encoding !== WINDOWS || !hasLetters) return encoding
  throw fileRefused(`${basename(path)} is not UTF-8 from line ${lines + 1} on: save it as CSV UTF-8`)
}

/** Reads a file up to the first byte that is not UTF-8, and reports what it has read. */
async function readSoundPart(path: string) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [encoding, lines, hasLetters] = ['', 0, false]
  for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
    encoding ||= encodingOf(bytes)
    if (encoding.startsWith('utf-16')) break
    const { text, isSound } = decodedUtf8(decoder, bytes)
    encoding = isSound ? 'utf-8' : WINDOWS
    hasLetters ||= UTF_8_LETTER.test(text)
    lines += text.split('\n').length - 1
    if (!isSound) break
  }
  return { encoding: encoding || 'utf-8', lines, hasLetters }
}

function decodedUtf8(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer) {
  try {
    return { text: decoder.decode(bytes, { stream: true }), isSound: true }
  } catch {
    return { text: new TextDecoder().decode(bytes).split('\ufffd', 1).join(''), isSound: false }
  }
}

/** A character that only a valid sequence of bytes gives. */
const UTF_8_LETTER = /[\u0080-\ufefe]/

/** Decodes a file, and drops its byte order mark. */
async function* decoded(path: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const bytes of createReadStream(path)) yield decoder.decode(bytes, { stream: true })
  yield decoder.decode()
}
