import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { type CellValue, HucreError } from 'hucre'
import { streamXlsxRows } from 'hucre/xlsx'
import { SheetError } from './sheet-error.ts'
import { refuseMoreRows, type SheetRow } from './sheet-row.ts'

const MB = 1_000_000
const MOST_PACKED = 20 * MB
const MOST_UNPACKED = 300 * MB

/** A zip archive, as .xlsx is one. */
export const isWorkbook = (bytes: Uint8Array): boolean => startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])

/** A compound file: the .xls of old, or an .xlsx with a password. */
export const isCompoundFile = (bytes: Uint8Array): boolean => startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])

const startsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, position) => bytes[position] === byte)

/**
 * The rows of a worksheet that hold something: the first one, or the one of that name. Numbers come as plain decimals
 * of the 15 digits that a spreadsheet shows, dates as `YYYY-MM-DD HH:MM:SS`. Throws SheetError for a workbook that would
 * not fit into memory: its stated sizes are checked before anything is unpacked, the rest is counted while it is read.
 */
export async function workbookRows(bytes: Uint8Array, sheet?: string): Promise<SheetRow[]> {
  if (bytes.length > MOST_PACKED) throw new SheetError('The workbook has more than 20 MB')
  await refuseLarge(directoryOf(bytes))
  try {
    const rows = await readRows(bytes, sheet)
    if (rows.length > 0) return rows
    throw new SheetError(
      `The workbook has no sheet ${sheet === undefined ? '' : `${JSON.stringify(sheet)} `}with rows in it`,
    )
  } catch (error) {
    if (!(error instanceof HucreError)) throw error
    throw new SheetError(`The workbook cannot be read: ${error.message}`, { cause: error })
  }
}

/** A part of the archive as its directory states it. */
interface Part {
  readonly packed: Uint8Array
  readonly isDeflated: boolean
  /** Unpacked, in bytes; the reader unpacks no more of it. Infinity when the directory hides it. */
  readonly size: number
}

/** The parts of a zip archive. Sizes beyond 4 GB, for which zip has other fields, count as hidden. */
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

/** Bytes of a packed empty part. A larger part that states no size hides it. */
const EMPTY_PACKED = 5

function partAt(archive: Buffer, at: number): Part {
  const packedSize = archive.readUInt32LE(at + 20)
  const size = archive.readUInt32LE(at + 24)
  const isDeflated = archive.readUInt16LE(at + 10) === DEFLATED
  const isHidden = [size, packedSize].includes(HIDDEN) || (size === 0 && packedSize > EMPTY_PACKED)
  const local = archive.readUInt32LE(at + 42)
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  return {
    packed: archive.subarray(start, start + packedSize),
    isDeflated,
    size: isHidden || (isDeflated && packedSize === 0) ? Number.POSITIVE_INFINITY : size,
  }
}

const damaged = (cause: unknown): SheetError =>
  new SheetError('The workbook is damaged: it is not a whole zip archive', { cause })

async function refuseLarge(parts: readonly Part[]): Promise<void> {
  if (parts.reduce((sum, { size }) => sum + size, 0) > MOST_UNPACKED)
    throw new SheetError('The workbook has more than 300 MB when it is unpacked')
  for (const part of parts) if (part.isDeflated && part.size > SMALL) await refuseUnbroken(part)
}

const SMALL = 1 * MB

/** The reader keeps a row as a whole, and all of a part without rows, such as shared strings. */
async function refuseUnbroken(part: Part): Promise<void> {
  let run = { bytes: 0, tags: 0 }
  for await (const chunk of unpack(part)) {
    run = runAfter(run, chunk)
    if (run.bytes > MOST_UNBROKEN || run.tags > MOST_TAGS) throw new SheetError(TOO_LONG)
  }
}

const MOST_UNBROKEN = 25 * MB
const MOST_TAGS = 2_000_000
const TOO_LONG =
  'A row of the workbook, or a part of it that has no rows, is larger than 25 MB or 2,000,000 XML tags'

/** Counts from the last tag of a row on, to the nearest chunk. */
function runAfter({ bytes, tags }: { bytes: number; tags: number }, chunk: Buffer) {
  const text = chunk.toString('latin1')
  if (ROW_TAG.test(text)) return { bytes: 0, tags: 0 }
  return { bytes: bytes + chunk.length, tags: tags + text.split('<').length - 1 }
}

const ROW_TAG = /<\/?(?:[^<>\s/:]*:)?row[\s/>]/

/** Stops where the reader stops: at the stated size. */
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
    if (count > MOST_CELLS) throw new SheetError(TOO_WIDE)
    const row = { line: index + 1, cells: values.map(textOf) }
    refuseLongCell(row)
    if (row.cells.some((cell) => cell !== '')) rows.push(row)
    refuseMoreRows(rows.length)
  }
  return rows
}

function refuseLongCell({ line, cells }: SheetRow): void {
  if (cells.some((cell) => cell.length > LONGEST_CELL))
    throw new SheetError(`Line ${line} of the sheet has a cell of more than 32,767 characters`)
}

/** A row is read up to its last cell: one in the last column makes 16,384 of it. */
const MOST_CELLS = 10_000_000
const TOO_WIDE =
  'The sheet has more than 10,000,000 cells with the blank ones: clear the columns to the right of the rates'

/** The limit of spreadsheets, in characters. */
const LONGEST_CELL = 32_767

function textOf(value: CellValue): string {
  if (typeof value === 'number') return plainDecimal(value)
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? '' : value.toISOString().slice(0, 19).replace('T', ' ')
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'string' ? value.trim() : ''
}

/** A spreadsheet keeps 15 digits; the binary fraction behind them is not what its author wrote. */
function plainDecimal(value: number): string {
  const shown = String(Number(value.toPrecision(SHOWN_DIGITS)))
  if (!shown.includes('e')) return shown
  return value.toFixed(MOST_DECIMALS).replace(/\.?0+$/, '')
}

const SHOWN_DIGITS = 15
const MOST_DECIMALS = 20
