import iconv from 'iconv-lite'
import { FileRefused } from '#lib/base/row-refused.ts'
import { unescapeFormula } from '#lib/base/text.ts'
import { readCsv } from '#lib/csv/reader.ts'
import { countKnown, HEADER_MAX_LINE, indicesIn } from './columns.ts'
import type { Profile } from './profile.ts'
import { refuseMoreRows, type SheetRow } from './sheet-row.ts'
import { isCompoundFile, isWorkbook, workbookRows } from './workbook.ts'

/** The rows of a rate sheet, and the format that was detected. */
export interface SheetTable {
  readonly rows: readonly SheetRow[]
  readonly found: Pick<Profile, 'delimiter' | 'encoding' | 'sheet'>
}

const MAX_BYTES = 100_000_000

/** Reads CSV of any delimiter and encoding, or .xlsx. Throws FileRefused for another format or too many bytes. */
export async function readTable(bytes: Uint8Array, profile: Profile): Promise<SheetTable> {
  if (isCompoundFile(bytes))
    throw new FileRefused('The sheet is an .xls, or has a password: save it as .xlsx without one, or as CSV')
  if (isWorkbook(bytes)) return { rows: await workbookRows(bytes, profile.sheet), found: {} }
  if (bytes.length > MAX_BYTES) throw new FileRefused('The sheet has more than 100 MB')
  return readText(bytes, profile)
}

async function readText(bytes: Uint8Array, profile: Profile): Promise<SheetTable> {
  const encoding = profile.encoding ?? encodingOf(bytes)
  const text = decode(bytes, encoding)
  const delimiter = profile.delimiter ?? (await delimiterOf(text, profile))
  return { rows: await rowsOf(text, delimiter), found: { delimiter, encoding } }
}

/** The rows of CSV text that are not blank. Throws FileRefused for unpaired quotes. */
async function rowsOf(text: string, delimiter: string): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  const dialect = { delimiter, relaxQuotes: true }
  for await (const { line, cells } of readCsv([withOneLineEnd(text)], unpaired, dialect)) {
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells: cells.map(unescapeFormula) })
    refuseMoreRows(rows.length)
  }
  return rows
}

const unpaired = (): FileRefused => new FileRefused('The quotes of the sheet do not pair up')

const withOneLineEnd = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

const DELIMITERS = [',', ';', '\t', '|'] as const

/**
 * Finds the delimiter under which the most column names are known. Of several such delimiters, the one that gives the most
 * lines the same number of cells wins. A first line such as `sep=;` names it.
 */
async function delimiterOf(text: string, { columns }: Profile): Promise<string> {
  const [, stated] = /^sep=(.)\r?\n/.exec(text) ?? []
  if (stated !== undefined) return stated
  const start = firstLines(text, HEADER_MAX_LINE)
  let best = { delimiter: '', fitness: -1 }
  for (const delimiter of DELIMITERS) {
    const rows = await rowsOf(start, delimiter)
    const known = Math.max(0, ...rows.map(({ cells }) => countKnown(indicesIn(cells, columns))))
    const fitness = known * (HEADER_MAX_LINE + 1) + linesAlike(rows)
    if (fitness > best.fitness) best = { delimiter, fitness }
  }
  return best.delimiter
}

/** The first lines, which tell the delimiter. */
function firstLines(text: string, count: number): string {
  const lines = withOneLineEnd(text.slice(0, SAMPLE_CHARACTERS)).split('\n')
  return lines.slice(0, Math.min(count, Math.max(1, lines.length - 1))).join('\n')
}

const SAMPLE_CHARACTERS = 100_000

/** Counts the rows of the most frequent width, of at least two cells. */
function linesAlike(rows: readonly SheetRow[]): number {
  const counts = new Map<number, number>()
  for (const { cells } of rows)
    if (cells.length > 1) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Detects UTF-16 by its byte order mark or its zeros, and valid UTF-8; any other text is Windows-1252. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  return unmarkedUtf16(bytes.subarray(0, SAMPLE_BYTES)) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
}

const SAMPLE_BYTES = 4096

/** In UTF-16, most characters of a sheet have a zero in their upper byte. */
function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const zeros = [0, 0]
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (even + odd === 0 || even + odd < bytes.length / 4) return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    UTF_8.decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Decodes the text without its byte order mark. Throws FileRefused for bytes of another encoding. */
function decode(bytes: Uint8Array, encoding: string): string {
  if (!iconv.encodingExists(encoding))
    throw new FileRefused(`The encoding ${JSON.stringify(encoding)} is unknown`)
  try {
    return /^utf-?8$/i.test(encoding) ? UTF_8.decode(bytes) : iconv.decode(Buffer.from(bytes), encoding)
  } catch (error) {
    throw new FileRefused(`The sheet is not ${encoding}`, { cause: error })
  }
}
