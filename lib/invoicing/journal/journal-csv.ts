import { minorDigits } from '#lib/base/currency-digits.ts'
import { fixed, ONE, subtract, ZERO } from '#lib/base/money.ts'
import { csvLine } from '#lib/csv/writer.ts'
import type { JournalEntry, JournalLine, NumberedEntry } from './entry.ts'

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
export async function* journalCsv(entries: AsyncIterable<NumberedEntry>): AsyncGenerator<string> {
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
