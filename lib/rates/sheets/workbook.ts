import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type CellValue, HucreError } from 'hucre'
import { streamXlsxRows } from 'hucre/xlsx'
import { FileRefused } from '#lib/base/row-refused.ts'
import { createHiddenReader, type HiddenCells, struckStyles } from './hidden-cells.ts'
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
 * The non-blank rows of a worksheet, the first visible or the named one. Numbers become plain decimals of the
 * 15 digits that a spreadsheet shows, dates `YYYY-MM-DD HH:MM:SS`. Throws FileRefused for a workbook beyond
 * memory: by its stated sizes before unpacking, by the other limits while reading.
 */
export async function readWorkbook(bytes: Uint8Array, named?: string): Promise<ReadWorkbook> {
  if (bytes.length > MAX_PACKED_BYTES) throw new FileRefused('The workbook has more than 20 MB')
  const parts = directoryOf(bytes)
  const worksheets = await worksheetsIn(parts)
  const sheet = named ?? worksheets.find(({ isHidden }) => !isHidden)?.name
  const hidden = await refuseLarge(parts, await pathOf(parts, worksheets, sheet))
  try {
    const rows = await readRows(bytes, sheet)
    if (rows.length > 0) return { rows, hidden, worksheets }
    throw new FileRefused(
      `The workbook has no sheet ${sheet === undefined ? '' : `${JSON.stringify(sheet)} `}with rows in it`,
    )
  } catch (error) {
    if (!(error instanceof HucreError)) throw error
    throw new FileRefused(`The workbook cannot be read: ${error.message}`, { cause: error })
  }
}

interface ReadWorkbook {
  /** Hidden ones included. */
  readonly rows: SheetRow[]
  readonly hidden: HiddenCells
  readonly worksheets: readonly Worksheet[]
}

interface Worksheet {
  readonly name: string
  readonly isHidden: boolean
  /** The id by which the workbook refers to its part. */
  readonly id: string
}

/** The worksheets in their order, as far as the workbook lists them where others do. */
async function worksheetsIn(parts: readonly Part[]): Promise<Worksheet[]> {
  const tags = (await partText(parts, 'xl/workbook.xml')).match(/<(?:\w+:)?sheet [^<>]*>/g) ?? []
  return tags.map((tag) => ({
    name: (/\sname="([^"<>]*)"/.exec(tag)?.[1] ?? '').replace(
      /&(?:amp|lt|gt|quot|apos);/g,
      (one) => ENTITIES[one] ?? one,
    ),
    isHidden: /\sstate="(?:hidden|veryHidden)"/.test(tag),
    id: /\s(?:\w+:)?id="([^"]*)"/.exec(tag)?.[1] ?? '',
  }))
}

/** The text of a small part; blank if there is none, or if it is larger than lists are. */
async function partText(parts: readonly Part[], name: string): Promise<string> {
  const part = parts.find((one) => one.name === name)
  if (!part || part.size > MAX_LIST_BYTES) return ''
  const chunks = part.isDeflated ? await Array.fromAsync(unpack(part)) : [part.packed]
  return Buffer.concat(chunks).toString()
}

/** The path of the part that holds a worksheet; blank if the workbook does not tell. */
async function pathOf(
  parts: readonly Part[],
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

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}

/** A part of the archive as its directory states it. */
interface Part {
  readonly name: string
  readonly packed: Uint8Array
  readonly isDeflated: boolean
  /** The unpacked bytes; the reader unpacks no more. Infinity if the directory does not state them. */
  readonly size: number
}

/** The parts of a zip archive. Sizes beyond 4 GB, which zip states in other fields, count as hidden. */
function directoryOf(bytes: Uint8Array): Part[] {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  try {
    const end = archive.lastIndexOf(END_OF_DIRECTORY, archive.length - 22)
    const size = archive.readUInt32LE(end + 12)
    if (end < 0 || size === HIDDEN) throw new RangeError('No directory')
    let at = archive.readUInt32LE(end + 16)
    return Array.from({ length: archive.readUInt16LE(end + 10) }, () => {
      const part = partAt(archive, at)
      const lengths = [28, 30, 32].map((field) => archive.readUInt16LE(at + field))
      at += lengths.reduce((sum, length) => sum + length, 46)
      return part
    })
  } catch (error) {
    throw damaged(error)
  }
}

const END_OF_DIRECTORY = Buffer.from('504b0506', 'hex')
const HIDDEN = 0xffff_ffff
const DEFLATED = 8

/** The bytes of a packed empty part. A larger part without a size hides it. */
const EMPTY_PACKED_BYTES = 5

function partAt(archive: Buffer, at: number): Part {
  const packedSize = archive.readUInt32LE(at + 20)
  const size = archive.readUInt32LE(at + 24)
  const isDeflated = archive.readUInt16LE(at + 10) === DEFLATED
  const isHidden = [size, packedSize].includes(HIDDEN) || (size === 0 && packedSize > EMPTY_PACKED_BYTES)
  const local = archive.readUInt32LE(at + 42)
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  return {
    name: archive.toString('utf8', at + 46, at + 46 + archive.readUInt16LE(at + 28)),
    packed: archive.subarray(start, start + packedSize),
    isDeflated,
    size: isHidden || (isDeflated && packedSize === 0) ? Number.POSITIVE_INFINITY : size,
  }
}

const damaged = (cause: unknown): FileRefused =>
  new FileRefused('The workbook is damaged: it is not a whole zip archive', { cause })

/** Refuses what memory cannot hold, and reads on the way what is hidden in the worksheet at `path`. */
async function refuseLarge(parts: readonly Part[], path: string): Promise<HiddenCells> {
  if (parts.reduce((sum, { size }) => sum + size, 0) > MAX_UNPACKED_BYTES)
    throw new FileRefused('The workbook has more than 300 MB when it is unpacked')
  const reader = createHiddenReader(struckStyles(await partText(parts, 'xl/styles.xml')))
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
async function refuseUnbroken(part: Part, see?: (text: string) => void): Promise<void> {
  let run = { bytes: 0, tags: 0 }
  for await (const chunk of unpack(part)) {
    const text = chunk.toString('latin1')
    see?.(text)
    run = runAfter(run, text)
    if (run.bytes > MAX_ROW_BYTES || run.tags > MAX_ROW_TAGS) throw new FileRefused(ROW_TOO_LARGE)
  }
}

const MAX_ROW_BYTES = 25 * MB
const MAX_ROW_TAGS = 2_000_000
const ROW_TOO_LARGE =
  'A row of the workbook, or a part of it that has no rows, is larger than 25 MB or 2,000,000 XML tags'

/** Counts bytes and tags since the last tag of a row, rounded to chunks. */
function runAfter({ bytes, tags }: { bytes: number; tags: number }, text: string) {
  if (ROW_TAG.test(text)) return { bytes: 0, tags: 0 }
  return { bytes: bytes + text.length, tags: tags + text.split('<').length - 1 }
}

const ROW_TAG = /<\/?(?:[^<>\s/:]*:)?row[\s/>]/

/** Unpacks up to the stated size, as the reader does. */
async function* unpack({ packed, size }: Part): AsyncGenerator<Buffer> {
  const inflating = Readable.from([packed]).pipe(createInflateRaw({ chunkSize: 65_536 }))
  let left = size
  try {
    for await (const chunk of inflating) {
      yield chunk
      left -= chunk.length
      if (left < 0) return
    }
  } catch (error) {
    throw damaged(error)
  }
}

async function readRows(bytes: Uint8Array, sheet: string | undefined): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  let count = 0
  for await (const { index, values } of streamXlsxRows(bytes, sheet === undefined ? {} : { sheet })) {
    count += values.length
    if (count > MAX_CELLS) throw new FileRefused(TOO_MANY_CELLS)
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
