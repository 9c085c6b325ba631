import type { Day } from '#lib/base/calendar.ts'
import { add, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { addedLater, type Column, textLike } from '#lib/table/columns.ts'
import type { LedgerEntry } from '../balance-item.ts'

/** A part of a payment or a credit note that pays an invoice, or that a refund has given back. */
export interface Allocation {
  readonly to: 'invoice' | 'refund'
  readonly id: number
  /** In the currency of the payment, with VAT. */
  readonly own: Money
  /** In the currency of the invoice, with VAT. A blank currency is the default. */
  readonly amount: Money
  readonly currency: string
  /** The amount that the part books in the balance. Only payments book by allocation. */
  readonly booked: Money
  readonly day: Day
  /** From this day on it pays nothing. It stays, for reports of earlier days. */
  readonly released?: Day | undefined
}

/** The maximum of parts in one transaction, and of a payment, which is taken back in one. */
export const MOST_AT_ONCE = 10
export const MOST_PARTS = 30
/** With those that were released: a cell of a dataset has room for them. */
export const MOST_KEPT = 40

const MONEY = String.raw`-?\d+(?:\.\d+)?`

const ALLOCATION = String.raw`[ir]\d{1,15}:${MONEY}:${MONEY}:[A-Za-z0-9]{0,16}:${MONEY}(?::\d{4}-\d\d-\d\d){1,2}`

/** The allocations of a document as one text, so that a dataset has them in a cell. Blank for none. */
export const allocationsColumn: Column<string> = addedLater(
  textLike(
    'parts, each as i17:119:119:EUR:100:2026-03-01, with the day of its release, if any, and blanks between them',
    new RegExp(`^${ALLOCATION}(?: ${ALLOCATION})*$`),
    '',
  ),
  '',
)

export const allocationsText = (allocations: readonly Allocation[]): string =>
  allocations
    .map(({ to, id, own, amount, currency, booked, day, released }) =>
      [`${to.charAt(0)}${id}`, own, amount, currency, booked, day, ...(released ? [released] : [])].join(':'),
    )
    .join(' ')

export const isKept = ({ released }: Allocation): boolean => released === undefined

/** The parts of a text that were not released. */
export const allocationsIn = (text: string): Allocation[] => allPartsIn(text).filter(isKept)

/** Its parts, also those that were released. */
export const allPartsIn = (text: string): Allocation[] =>
  text === ''
    ? []
    : text.split(' ').map((part): Allocation => {
        const [name = '', own = ZERO, amount = ZERO, currency = '', booked = ZERO, day = '', released] =
          part.split(':')
        return {
          to: name.startsWith('i') ? 'invoice' : 'refund',
          id: Number(name.slice(1)),
          ...{ own, amount, currency, booked, day, released },
        }
      })

/** The unassigned part of an amount. */
export const unallocated = (amount: Money, allocations: readonly Allocation[]): Money =>
  subtract(amount, add(ZERO, ...allocations.map(({ own }) => own)))

/**
 * The ledger entries of a document that reduces. A part that pays an invoice in another currency leaves the
 * document's currency and comes into that of the invoice: both conversions are entries. A release adds both
 * once more, the other way round, on its own day.
 */
export const entriesOfReduction = (
  currency: string,
  amount: Money,
  allocations: readonly Allocation[],
): LedgerEntry[] => [
  { currency, owed: subtract(ZERO, amount) },
  ...allocations
    .filter((one) => one.to === 'invoice' && one.currency !== currency)
    .flatMap(({ own, amount, day, released, ...one }) => [
      { currency, owed: own, day },
      { currency: one.currency, owed: subtract(ZERO, amount), day },
      ...(released === undefined
        ? []
        : [
            { currency, owed: subtract(ZERO, own), day: released },
            { currency: one.currency, owed: amount, day: released },
          ]),
    ]),
]
