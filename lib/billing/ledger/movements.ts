import { ALL_TIME, type Day, type Days, dayOf } from '#lib/base/calendar.ts'
import { ascending, slices } from '#lib/base/collections.ts'
import { add, createSum, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { type Adjustment, adjustments, entriesOfAdjustment } from '../adjustment.ts'
import type { LedgerEntry } from '../balance-item.ts'
import { type CreditNote, entriesOfCreditNote, listCreditNotes } from '../credit-note.ts'
import { documentPages } from '../document.ts'
import { type Invoice, listInvoices } from '../invoice.ts'
import { closingsOf, grossOf } from '../invoice-payment.ts'
import { entriesOfPayment, listPayments, type Payment } from '../payment.ts'
import { MOVEMENT_KINDS, type MovementKind } from './movement-kinds.ts'

type LedgerSettings = Pick<Settings, 'Default_Currency'>

/** An entry of the ledger with its day. Amounts are with VAT. */
interface Movement {
  readonly kind: MovementKind
  readonly day: Day
  /** The number of its document, or of its payment. */
  readonly number: string
  /** Blank: the default currency. */
  readonly currency: string
  /** The amount that it adds to the debt. */
  readonly owed: Money
}

/**
 * A document with its further entries, which are conversions. One that names the default currency next to one
 * that does not is none.
 */
function moved(
  kind: MovementKind,
  { day, number, Default_Currency }: Pick<Movement, 'day' | 'number'> & LedgerSettings,
  entries: readonly LedgerEntry[],
): Movement[] {
  const [own, ...others] = entries.map(({ currency, ...entry }, index) => ({
    ...{ kind: index === 0 ? kind : ('conversion' as const), number, owed: entry.owed },
    currency: currency || Default_Currency,
    day: entry.day !== undefined && entry.day > day ? entry.day : day,
  }))
  const conversions = [...slices(others, 2)].filter(([from, to]) => from?.currency !== to?.currency)
  return own ? [own, ...conversions.flat()] : []
}

function movementsOfInvoice(invoice: Invoice): Movement[] {
  const { issue_date: day, number, currency } = invoice
  return [
    { kind: 'invoice', day, number, currency, owed: grossOf(invoice) },
    ...closingsOf(invoice).map((closed) => ({
      ...{ kind: 'from_balance' as const, day: closed.day, number, currency },
      owed: subtract(ZERO, closed.amount),
    })),
  ]
}

function kindOfPayment({ takes_back, refunds }: Payment): MovementKind {
  if (takes_back !== undefined) return 'taken_back'
  return refunds === undefined ? 'payment' : 'refund'
}

/** A document of the ledger: one of its kinds. */
export interface LedgerDocument {
  readonly user_id: number
  readonly movements: readonly Movement[]
  readonly payment?: Payment
  readonly note?: CreditNote
  readonly adjustment?: Adjustment
  readonly invoice?: Invoice
}

/** The documents of a scope that the ledger counts, page by page. Invoices come last. */
export async function* ledgerDocuments(
  store: Store,
  scope: LimitedScope,
  { Timezone: zone, Default_Currency }: LedgerSettings & Pick<Settings, 'Timezone'>,
): AsyncGenerator<LedgerDocument[]> {
  for await (const page of listPayments(store, scope, ALL_TIME))
    yield page.map((payment) => {
      const { user_id, transaction_id, id, date } = payment
      const named = { day: dayOf(date, zone), number: transaction_id || String(id), Default_Currency }
      return { user_id, payment, movements: moved(kindOfPayment(payment), named, entriesOfPayment(payment)) }
    })
  for await (const page of listCreditNotes(store, scope))
    yield page.map((note) => {
      const { user_id, issue_date: day, number } = note
      const named = { day, number, Default_Currency }
      return { user_id, note, movements: moved('credit_note', named, entriesOfCreditNote(note)) }
    })
  for await (const page of documentPages(store, adjustments, { scope }))
    yield page.map((adjustment) => {
      const { user_id, id, date } = adjustment
      const named = { day: dayOf(date, zone), number: String(id), Default_Currency }
      return { user_id, adjustment, movements: moved('write_off', named, entriesOfAdjustment(adjustment)) }
    })
  for await (const page of listInvoices(store, scope))
    yield page.map((invoice) => ({
      ...{ user_id: invoice.user_id, invoice, movements: movementsOfInvoice(invoice) },
    }))
}

/** The statement of an account in a currency: what was owed before, each entry, and what is owed then. */
export interface AccountStatement {
  readonly currency: string
  readonly opening: Money
  /** Ascending by day; each with what is owed after it. */
  readonly entries: readonly (Movement & { readonly after: Money })[]
  readonly closing: Money
}

/** A statement is in memory, and its documents are read at once. */
export const MOST_LEDGER_DOCUMENTS = 20_000

/** The statements of an account, by currency. `undefined` if it has too many documents. */
export async function accountStatements(
  store: Store,
  settings: Pick<Settings, 'Timezone' | 'Default_Currency'>,
  scope: { readonly user: number; readonly seller?: number },
  days: Days,
): Promise<AccountStatement[] | undefined> {
  const found: Movement[] = []
  for await (const page of ledgerDocuments(store, scope, settings)) {
    found.push(...page.flatMap(({ movements }) => movements))
    if (found.length > MOST_LEDGER_DOCUMENTS) return undefined
  }
  const byCurrency = Map.groupBy(found, ({ currency }) => currency || settings.Default_Currency)
  return [...byCurrency]
    .map(([currency, all]) => statementOf(currency, all, days))
    .filter(({ opening, entries }) => entries.length > 0 || !isZero(opening))
    .sort((one, other) => ascending(one.currency, other.currency))
}

function statementOf(currency: string, all: readonly Movement[], { from, till }: Days): AccountStatement {
  const opening = add(ZERO, ...all.filter(({ day }) => day < from).map(({ owed }) => owed))
  const sum = createSum()
  sum.add(opening)
  const entries = all
    .filter(({ day }) => day >= from && day <= till)
    .sort((one, other) => ascending(placeOf(one), placeOf(other)))
    .map((one) => {
      sum.add(one.owed)
      return { ...one, currency, after: sum.total() }
    })
  return { currency, opening, entries, closing: sum.total() }
}

const placeOf = ({ day, kind }: Movement): string => `${day}${MOVEMENT_KINDS.indexOf(kind)}`
