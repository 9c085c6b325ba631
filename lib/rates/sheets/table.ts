import iconv from 'iconv-lite'
import type { Refusal } from '#lib/base/refusal.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { unescapeFormula } from '#lib/base/text.ts'
import { encodingOf } from '#lib/csv/encoding.ts'
import { delimiterOf, readCsv } from '#lib/csv/reader.ts'
import { countKnown, indicesIn } from './columns.ts'
import { describeHidden, visibleRows } from './hidden-cells.ts'
import type { Profile } from './profile.ts'
import { refuseMoreRows, type SheetRow, sheetRow } from './sheet-row.ts'
import { isCompoundFile, isWorkbook, readWorkbook } from './workbook.ts'

/** The rows of a rate sheet, and the format that was detected. */
interface SheetTable {
  readonly rows: readonly SheetRow[]
  readonly found: Pick<Profile, 'delimiter' | 'encoding' | 'sheet'>
  readonly worksheets: readonly string[]
  /** The hidden worksheets, rows, columns and cells that are left out, in words. */
  readonly hidden: readonly string[]
}

const MAX_BYTES = 100_000_000

/** Reads CSV of any delimiter and encoding, or .xlsx. Throws refused_file for others or excess bytes. */
export async function readTable(bytes: Uint8Array, profile: Profile): Promise<SheetTable> {
  if (isCompoundFile(bytes))
    throw fileRefused('The sheet is an .xls, or has a password: save it as .xlsx without one, or as CSV')
  if (isWorkbook(bytes)) {
    const { rows, hidden, worksheets } = await readWorkbook(bytes, profile.sheet)
    const names = worksheets.filter(({ isHidden }) => !isHidden).map(({ name }) => name)
    const isRead = profile.hidden === 'read'
    const left = isRead ? [] : describeHidden(rows, hidden)
    const sheets = worksheets.flatMap(({ name, isHidden }) =>
      isHidden ? [`the hidden worksheet ${JSON.stringify(name)}`] : [],
    )
    return {
      rows: isRead ? rows : visibleRows(rows, hidden),
      found: {},
      worksheets: names,
      hidden: [...sheets, ...left],
    }
  }
  if (bytes.length > MAX_BYTES) throw fileRefused('The sheet has more than 100 MB')
  refuseOtherFormats(bytes)
  return readText(bytes, profile)
}

/** The first bytes of files sent in place of a sheet, whose text would raise questions as a table. */
const OTHER_FORMATS: readonly (readonly [start: RegExp, name: string])[] = [
  [/^%PDF/, 'a PDF'],
  [/^(\x89PNG|\xff\xd8\xff|GIF8)/, 'an image'],
  [/^\{\\rtf/, 'a text document (RTF)'],
  [/^\x1f\x8b/, 'packed by gzip'],
  [/^(\xef\xbb\xbf)?\s*<(!doctype|html|head|body|table|\?xml|div|style|meta)\b/i, 'a web page (HTML or XML)'],
]

const START_BYTES = 200

/** Throws refused_file for an empty file, and for a known format that is not a table. */
function refuseOtherFormats(bytes: Uint8Array): void {
  const start = Buffer.from(bytes.subarray(0, START_BYTES)).toString('latin1')
  if (start.trim() === '') throw fileRefused('The sheet is empty')
  const [, name] = OTHER_FORMATS.find(([begins]) => begins.test(start)) ?? []
  if (name) throw fileRefused(`The sheet is ${name}: save it as .xlsx or CSV in a spreadsheet`)
}

async function readText(bytes: Uint8Array, profile: Profile): Promise<SheetTable> {
  const encoding = profile.encoding ?? encodingOf(bytes)
  const text = decode(bytes, encoding)
  const delimiter =
    profile.delimiter ?? delimiterOf(text, (cells) => countKnown(indicesIn(cells, profile.columns)))
  return { rows: await rowsOf(text, delimiter), found: { delimiter, encoding }, worksheets: [], hidden: [] }
}

/** The rows of CSV text that are not blank. Throws refused_file for unpaired quotes. */
async function rowsOf(text: string, delimiter: string): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  const dialect = { delimiter, relaxQuotes: true }
  for await (const { line, cells } of readCsv([withOneLineEnd(text)], unpaired, dialect)) {
    const row = sheetRow(line, cells.map(unescapeFormula))
    if (row) rows.push(row)
    refuseMoreRows(rows.length)
  }
  return rows
}

const unpaired = (): Refusal<'refused_file'> => fileRefused('The quotes of the sheet do not pair up')

const withOneLineEnd = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes the text without its byte order mark. Throws refused_file for bytes of another encoding. */
function decode(bytes: Uint8Array, encoding: string): string {
  if (!iconv.encodingExists(encoding))
    throw fileRefused(`The encoding ${JSON.stringify(encoding)} is unknown`)
  try {
    return /^utf-?8$/i.test(encoding) ? UTF_8.decode(bytes) : iconv.decode(Buffer.from(bytes), encoding)
  } catch (error) {
    throw fileRefused(`The sheet is not ${encoding}`, { cause: error })
  }
}
