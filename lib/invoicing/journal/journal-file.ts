import { minorDigits } from '#lib/base/currency-digits.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import type { DocumentSource } from '../documents/printed-document.ts'
import { datevBatch } from './datev.ts'
import { journalOf, type WantedJournal } from './journal.ts'
import { journalCsv } from './journal-csv.ts'

export const JOURNAL_FORMATS = ['csv', 'datev'] as const

export type JournalFormat = (typeof JOURNAL_FORMATS)[number]

export interface WantedJournalFile extends WantedJournal {
  readonly format: JournalFormat
  readonly now: Date
}

/** The name of the file. Names of DATEV's format begin with EXTF. */
export const journalFileName = ({ format, month }: Pick<WantedJournalFile, 'format' | 'month'>): string =>
  format === 'datev' ? `EXTF_Buchungsstapel_${month}.csv` : `journal-${month}.csv`

/** A month's journal in pieces: CSV in UTF-8, DATEV's in Windows-1252. Throws JournalRefused. */
export function journalFile(
  source: DocumentSource,
  scope: LimitedScope,
  { format, now, ...wanted }: WantedJournalFile,
): AsyncGenerator<Uint8Array | string> {
  const { Default_Currency: currency, DATEV_Client: client } = source.settings
  const { Journal_Receivables: receivables, Journal_Revenue: revenue } = source.settings
  const entries = journalOf(source, scope, wanted)
  const books = { currency, digits: minorDigits(currency) }
  return format === 'csv'
    ? journalCsv(entries, books)
    : datevBatch(entries, {
        ...books,
        client,
        now,
        month: wanted.month,
        receivables,
        accountDigits: /\d{4,8}/.exec(revenue)?.[0].length ?? receivables.length,
      })
}
