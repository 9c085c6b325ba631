import { unzipSync } from 'fflate'
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
 * of the 15 digits that a spreadsheet shows, dates as `YYYY-MM-DD HH:MM:SS`. Throws SheetError, for a workbook of more
 * than 20 MB packed or 300 MB unpacked before anything is unpacked, and for more than 200,000 rows before they are read.
 */
export async function workbookRows(bytes: Uint8Array, sheet?: string): Promise<SheetRow[]> {
  refuseLarge(bytes)
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

/** The reader unpacks no part beyond the size that the archive states for it. */
function refuseLarge(bytes: Uint8Array): void {
  if (bytes.length > MOST_PACKED) throw new SheetError('The workbook has more than 20 MB')
  if (unpackedSize(bytes) > MOST_UNPACKED)
    throw new SheetError('The workbook has more than 300 MB when it is unpacked')
}

function unpackedSize(bytes: Uint8Array): number {
  let sum = 0
  const count = ({ size, originalSize }: { size: number; originalSize: number }): boolean => {
    sum += originalSize === 0 && size > EMPTY_PACKED ? Number.POSITIVE_INFINITY : originalSize
    return false
  }
  try {
    unzipSync(bytes, { filter: count })
  } catch (error) {
    throw new SheetError('The workbook is damaged: it is not a whole zip archive', { cause: error })
  }
  return sum
}

/** What nothing takes when it is packed; a part that holds more and states that it is empty hides its size. */
const EMPTY_PACKED = 5

async function readRows(bytes: Uint8Array, sheet: string | undefined): Promise<SheetRow[]> {
  const rows: SheetRow[] = []
  for await (const { index, values } of streamXlsxRows(bytes, sheet === undefined ? {} : { sheet })) {
    const cells = values.map(textOf)
    if (!cells.some((cell) => cell !== '')) continue
    rows.push({ line: index + 1, cells })
    refuseMoreRows(rows.length)
  }
  return rows
}

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
