import { type CellValue, HucreError } from 'hucre'
import { streamXlsxRows } from 'hucre/xlsx'
import { fileRefused } from '#lib/base/row-refused.ts'
import { unpackPart, type ZipPart, zipParts } from '#lib/csv/zip.ts'
import {
  createHiddenReader,
  type HiddenCells,
  partlyStruck,
  textInXml,
  unseenStyles,
} from './hidden-cells.ts'
import { refuseMoreRows, type SheetRow, sheetRow } from './sheet-row.ts'

const MB = 1_000_000
const MAX_PACKED_BYTES = 20 * MB
const MAX_UNPACKED_BYTES = 300 * MB

/** A zip archive: .xlsx is one. */
export const isWorkbook = (bytes: Uint8Array): boolean => startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])

/** A compound file: an .xls, or an .xlsx with a password. */
export const isCompoundFile = (bytes: Uint8Array): boolean => startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])

const startsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, index) => bytes[index] === byte)

/**
 * The non-blank rows of the first visible or the named worksheet, hidden rows, too. Numbers become plain
 * decimals of the 15 digits that a spreadsheet shows, dates `YYYY-MM-DD HH:MM:SS`. Throws refused_file for a
 * workbook beyond memory: by its stated sizes before unpacking, by the other limits while reading.
 */
export async function readWorkbook(bytes: Uint8Array, named?: string) {
  if (bytes.length > MAX_PACKED_BYTES) throw fileRefused('The workbook has more than 20 MB')
  const parts = zipParts(bytes)
  const worksheets = await worksheetsIn(parts)
  const sheet = named ?? worksheets.find(({ isHidden }) => !isHidden)?.name
  const hidden = await refuseLarge(parts, await pathOf(parts, worksheets, sheet))
  try {
    const rows = await readRows(bytes, sheet)
    if (rows.length > 0) return { rows, hidden, worksheets }
    throw fileRefused(
      `The workbook has no sheet ${sheet === undefined ? '' : `${JSON.stringify(sheet)} `}with rows in it`,
    )
  } catch (error) {
    if (!(error instanceof HucreError)) throw error
    throw fileRefused(`The workbook cannot be read: ${error.message}`, { cause: error })
  }
}

interface Worksheet {
  readonly name: string
  readonly isHidden: boolean
  /** The id by which the workbook refers to its part. */
  readonly id: string
}

/** The worksheets in their order, as far as the workbook lists them where others do. */
async function worksheetsIn(parts: readonly ZipPart[]): Promise<Worksheet[]> {
  const tags = (await partText(parts, 'xl/workbook.xml')).match(/<(?:\w+:)?sheet [^<>]*>/g) ?? []
  return tags.map((tag) => ({
    name: textInXml(/\sname="([^"<>]*)"/.exec(tag)?.[1] ?? ''),
    isHidden: /\sstate="(?:hidden|veryHidden)"/.test(tag),
    id: /\s(?:\w+:)?id="([^"]*)"/.exec(tag)?.[1] ?? '',
  }))
}

/** The text of a part; blank if there is none, or if it is larger than such parts are. */
async function partText(parts: readonly ZipPart[], name: string, maxBytes = MAX_LIST_BYTES): Promise<string> {
  const part = parts.find((one) => one.name === name)
  if (!part || part.size > maxBytes) return ''
  return Buffer.concat(await Array.fromAsync(unpackPart(part))).toString()
}

/** The path of the part that holds a worksheet; blank if the workbook does not say. */
async function pathOf(
  parts: readonly ZipPart[],
  worksheets: readonly Worksheet[],
  sheet: string | undefined,
): Promise<string> {
  const { id } = (sheet === undefined ? worksheets[0] : worksheets.find(({ name }) => name === sheet)) ?? {}
  const relations = (await partText(parts, 'xl/_rels/workbook.xml.rels')).match(
    /<(?:\w+:)?Relationship [^<>]*>/g,
  )
  const relation = relations?.find((tag) => id !== undefined && tag.includes(`Id="${id}"`))
  const target = /\sTarget="([^"]*)"/.exec(relation ?? '')?.[1] ?? ''
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

const MAX_LIST_BYTES = 1 * MB

/** Refuses what memory cannot hold, and reads on the way what is hidden in the worksheet at `path`. */
async function refuseLarge(parts: readonly ZipPart[], path: string): Promise<HiddenCells> {
  if (parts.reduce((sum, { size }) => sum + size, 0) > MAX_UNPACKED_BYTES)
    throw fileRefused('The workbook has more than 300 MB when it is unpacked')
  const strings = partlyStruck(await partText(parts, 'xl/sharedStrings.xml', MAX_ROW_BYTES))
  const reader = createHiddenReader(unseenStyles(await partText(parts, 'xl/styles.xml')), strings)
  for (const part of parts) {
    const see = part.name === path ? reader.read : undefined
    if (part.isDeflated && (see || part.size > SMALL_PART_BYTES)) await refuseUnbroken(part, see)
    else if (see) see(Buffer.from(part.packed).toString('latin1'))
  }
  return reader.hidden
}

/** Smaller parts need no check. */
const SMALL_PART_BYTES = 1 * MB

/** The reader holds a whole row in memory, and a whole part without rows, such as shared strings. */
async function refuseUnbroken(part: ZipPart, see?: (text: string) => void): Promise<void> {
  // Since the last tag of a row, rounded to chunks.
  let [bytes, tags] = [0, 0]
  for await (const chunk of unpackPart(part)) {
    const text = chunk.toString('latin1')
    see?.(text)
    const endsRow = ROW_TAG.test(text)
    bytes = endsRow ? 0 : bytes + text.length
    tags = endsRow ? 0 : tags + text.split('<').length - 1
    if (bytes > MAX_ROW_BYTES || tags > MAX_ROW_TAGS) throw fileRefused(ROW_TOO_LARGE)
  }
}

const MAX_ROW_BYTES = 25 * MB
const MAX_ROW_TAGS = 2_000_000
const ROW_TOO_LARGE =
  'A row of the workbook, or a part of it that has no rows, is larger than 25 MB or 2,000,000 XML tags'

const ROW_TAG = /<\/?(?:[^<>\s/:]*:)?row[\s/>]/

async function readRows(bytes: Uint8Array, sheet: string | undefined): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  let count = 0
  for await (const { index, values } of streamXlsxRows(bytes, sheet === undefined ? {} : { sheet })) {
    count += values.length
    if (count > MAX_CELLS) throw fileRefused(TOO_MANY_CELLS)
    const row = sheetRow(index + 1, values.map(textOf))
    if (row) rows.push(row)
    refuseMoreRows(rows.length)
  }
  return rows
}

/** A row is read up to its last cell: a cell in the last column makes 16,384 cells. */
const MAX_CELLS = 10_000_000
const TOO_MANY_CELLS =
  'The sheet has more than 10,000,000 cells, including blank ones: clear the columns to the right of the rates'

function textOf(value: CellValue): string {
  if (typeof value === 'number') return plainDecimal(value)
  if (value instanceof Date)
    return Number.isNaN(value.getTime())
      ? ''
      : value.toISOString().slice(0, 19).replace('T', ' ').replace(' 00:00:00', '')
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'string' ? value : ''
}

/** A spreadsheet keeps 15 digits; further digits come from the binary fraction, not from the author. */
function plainDecimal(value: number): string {
  const shown = String(Number(value.toPrecision(SHOWN_DIGITS)))
  if (!shown.includes('e')) return shown
  return value
    .toFixed(MAX_DECIMALS)
    .replace(/(?<!0)0+$/, '')
    .replace(/\.$/, '')
}

const SHOWN_DIGITS = 15
const MAX_DECIMALS = 20
