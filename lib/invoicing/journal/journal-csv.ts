import { add, fixed, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { csvLine } from '#lib/csv/writer.ts'
import type { JournalEntry } from './journal.ts'

const COLUMNS = [
  ...['date', 'document', 'kind', 'customer', 'account', 'what', 'debit', 'credit'],
  ...['currency', 'document_currency', 'document_amount', 'exchange_rate'],
]

/** What the lines of a journal have in common. */
export interface JournalBooks {
  readonly currency: string
  readonly digits: number
}

/** A journal as CSV: each document's account, then its contra accounts. All amounts are positive. */
export async function* journalCsv(
  entries: AsyncIterable<JournalEntry>,
  books: JournalBooks,
): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for await (const entry of entries)
    yield linesOf(entry, books)
      .map((cells) => csvLine(cells))
      .join('')
}

function linesOf(entry: JournalEntry, { currency, digits }: JournalBooks): string[][] {
  const { day, number, kind, customer, account, parts } = entry
  const line = (what: string, of: string, debit: Money, further: readonly string[]) => {
    const isCredit = debit.startsWith('-')
    const amount = fixed(isCredit ? subtract(ZERO, debit) : debit, digits)
    const sides = isCredit ? ['', amount] : [amount, '']
    return [day, number, kind, customer, of, what, ...sides, currency, ...further]
  }
  const all = add(...parts.map(({ amount }) => amount))
  const main = kind === 'payment' ? 'bank' : 'receivables'
  const further = [entry.currency, entry.amount, entry.exchange_rate]
  return [
    line(main, account, all, further),
    ...parts.map((part) => line(part.what, part.account, subtract(ZERO, part.amount), ['', '', ''])),
  ]
}
