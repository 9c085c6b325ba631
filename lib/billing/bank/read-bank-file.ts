import { fileRefused } from '#lib/base/row-refused.ts'
import { packingOf, unpacked } from '#lib/csv/packed.ts'
import type { Question } from '#lib/rates/sheets/question.ts'
import { type BankProfile, readBankCsv } from './bank-csv.ts'
import { type BankRow, numbered } from './bank-row.ts'
import { readCamt } from './camt.ts'
import { isMt940, readMt940 } from './mt940.ts'

export interface BankFile {
  readonly format: 'CAMT.053' | 'MT940' | 'CSV'
  readonly questions: readonly Question[]
  /** The profile that a CSV file is read with. */
  readonly profile: BankProfile
  rows(): AsyncGenerator<BankRow>
}

/** A statement of 10,000 rows has about 30 MB as CAMT. */
const MOST_BYTES = 100_000_000

const START_BYTES = 4000

/** Reads a bank statement, plain or packed, and detects its format. Throws refused_file. */
export async function readBankFile(given: Uint8Array, profile: BankProfile): Promise<BankFile> {
  if (Buffer.from(given.subarray(0, 4)).toString('latin1') === '%PDF')
    throw fileRefused('The file is a PDF: fetch CAMT.053, MT940 or CSV from the bank')
  const bytes = packingOf(given) === undefined ? given : await unpacked(given, MOST_BYTES)
  if (bytes.length > MOST_BYTES) throw fileRefused('The file has more than 100 MB')
  const start = Buffer.from(bytes.subarray(0, START_BYTES)).toString('latin1').replaceAll('\0', '')
  if (start.trim() === '') throw fileRefused('The file is empty')
  if (/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*</.test(start.trimStart()))
    return { format: 'CAMT.053', questions: [], profile, rows: () => numbered(readCamt(bytes)) }
  if (isMt940(start))
    return { format: 'MT940', questions: [], profile, rows: () => numbered(readMt940(bytes)) }
  const { entries, ...csv } = await readBankCsv(bytes, profile)
  return { format: 'CSV', ...csv, rows: () => numbered(entries()) }
}
