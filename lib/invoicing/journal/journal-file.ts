import { minorDigits } from '#lib/base/currency-digits.ts'
import { fixed, ONE, subtract, ZERO } from '#lib/base/money.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Month } from '../month.ts'
import { datevBatch } from './datev.ts'
import {
  type JournalEntry,
  type JournalLine,
  journalKey,
  journalMonthKey,
  type NumberedEntry,
  readEntry,
  readJournalMonth,
} from './entry.ts'
import { type JournalSource, numberEntries, requirePosted } from './number-entries.ts'

const COLUMNS = [
  ...['number', 'date', 'document_date', 'document', 'kind', 'customer', 'account', 'what', 'vat_percent'],
  ...[
    'debit',
    'credit',
    'currency',
    'document_currency',
    'document_amount',
    'exchange_rate',
    'text',
    'marked',
  ],
]

/** A journal as CSV: each document's account, then its contra accounts. All amounts are positive. */
async function* journalCsv(entries: AsyncIterable<NumberedEntry>): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for await (const [number, entry] of entries)
    yield entry.lines
      .map((line, index) => csvLine(cellsOf(entry, line, [String(number)], index === 0)))
      .join('')
}

function cellsOf(
  entry: JournalEntry,
  line: JournalLine,
  first: readonly string[],
  isMain: boolean,
): string[] {
  const { day, document_day = day, number, kind, customer, posted_currency: currency } = entry
  const isDebit = !line.amount.startsWith('-')
  const amount = fixed(isDebit ? line.amount : subtract(ZERO, line.amount), minorDigits(currency))
  return [
    ...first,
    ...[day, document_day, number, kind, customer, line.account, whatOf(line), percentOf(line)],
    ...(isDebit ? [amount, ''] : ['', amount]),
    currency,
    ...(isMain ? [entry.currency, entry.amount, entry.rate ?? ONE, entry.text ?? ''] : ['', '', '', '']),
    isMain ? (entry.marked ?? '') : '',
  ]
}

const whatOf = ({ of, word }: JournalLine): string => (of === 'adjustment' ? word : of)

/** The word of revenue and of VAT is the percent. */
const percentOf = ({ of, word }: JournalLine): string => (of === 'adjustment' || of === 'bank' ? '' : word)

export const JOURNAL_FORMATS = ['csv', 'datev'] as const

export type JournalFormat = (typeof JOURNAL_FORMATS)[number]

export interface WantedJournal {
  readonly seller: number
  readonly month: Month
  readonly format: JournalFormat
  readonly now: Date
}

/** The name of the file. Names of DATEV's format begin with EXTF. */
export const journalFileName = ({ format, month }: Pick<WantedJournal, 'format' | 'month'>): string =>
  format === 'datev' ? `EXTF_Buchungsstapel_${month}.csv` : `journal-${month}.csv`

/**
 * A month's journal in pieces: CSV in UTF-8, DATEV's in Windows-1252. Entries get their numbers first, and
 * the month notes what was exported: the same entries have the same bytes again. Throws Refusal.
 */
export async function* journalFile(
  source: JournalSource,
  { seller, month, format, now }: WantedJournal,
): AsyncGenerator<Uint8Array | string> {
  await requirePosted(source.store)
  await numberEntries(source, seller, month)
  const { last, at } = await markExported(source, seller, month, now)
  const entries = entriesOf(source, seller, month, last)
  if (format === 'csv') return yield* journalCsv(entries)
  const { Default_Currency: currency, DATEV_Client: client, Journal_Receivables } = source.settings
  yield* datevBatch(entries, {
    currency,
    client,
    month,
    at,
    accountDigits: Journal_Receivables.trim().length,
  })
}

/** The last number of the month, and when the entries up to it were exported for the first time. */
const markExported = (
  { store }: JournalSource,
  seller: number,
  month: Month,
  now: Date,
): Promise<{ readonly last: number; readonly at: Date }> =>
  retryingRaces(store, async () => {
    const key = journalMonthKey(seller, month)
    const { last, exported } = readJournalMonth(await store.get(key))
    if (exported?.last === last) return { last, at: new Date(exported.at) }
    const set = { exported: { last, at: now.toISOString() } }
    if (last > 0) await store.update(key, { set }, { last: is(last) })
    return { last, at: now }
  })

async function* entriesOf(
  { store }: JournalSource,
  seller: number,
  month: Month,
  last: number,
): AsyncGenerator<NumberedEntry> {
  for await (const page of store.pages(journalKey.range(seller, month)))
    for (const item of page) if (Number(item['SK']) <= last) yield [Number(item['SK']), readEntry(item)]
}
