import type { Day } from '#lib/base/calendar.ts'
import { isZero, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { Books } from '#lib/billing/booking.ts'
import { changesOfPayer, isNote } from '#lib/billing/credit-note.ts'
import { findInvoices, invoices, type StoredInvoice } from '#lib/billing/invoice.ts'
import { closedByLess, overpaidAmount, type PayableInvoice } from '#lib/billing/invoice-payment.ts'
import { allocate, releasePayment } from '#lib/billing/ledger/allocating.ts'
import { allocationsOf, listPaymentsOfInvoice, payments, type StoredPayment } from '#lib/billing/payment.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { CHANGES_IN_ONE_TRANSACTION, type Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly too_many_carried: { readonly most: number }
  }
}

/** The payments of an invoice that was credited whole. They count for the next invoice of its month. */
export interface CarriedPayment {
  readonly payment: StoredPayment
  readonly invoice: StoredInvoice
}

/** A payment is up to four changes of the transaction, and the rest of an issue has up to 40. */
export const MOST_CARRIED = Math.floor((CHANGES_IN_ONE_TRANSACTION - 40) / 4)

/** These invoices' payments that were not taken back, by date; a refusal if they are too many. */
export async function findCarried(
  store: Store,
  invoiceIds: readonly number[],
): Promise<CarriedPayment[] | Refusal> {
  const credited = (await findInvoices(store, invoiceIds)).filter((invoice) => invoice !== undefined)
  const paymentsOf = async (invoice: StoredInvoice) =>
    (await listPaymentsOfInvoice(store, invoice)).map((payment) => ({ payment, invoice }))
  const named = (await Promise.all(credited.map(paymentsOf))).flat()
  const carried = named.filter(
    ({ payment, invoice }) => payment.taken_back_by === undefined && payment.invoice_id === invoice.id,
  )
  if (carried.length <= MOST_CARRIED)
    return carried.sort((one, other) => one.payment.date - other.payment.date)
  return new Refusal('too_many_carried', { most: MOST_CARRIED })
}

/** Payments no longer pay an invoice that is credited whole. They name it until its month has another one. */
export const releasedPayments = (
  paid: readonly StoredPayment[],
  invoice: StoredInvoice,
  books: Books,
  day: Day,
): Change[] =>
  paid
    .filter((payment) => paysFor(payment, invoice))
    .flatMap((payment) => changesOfPayer(payment, releasePayment(payment, invoice, books, day).payment))

/**
 * An invoice that a credit note has credited in part, without what it has too much then: its balance closes
 * less of it, and its newest payments have something unassigned again.
 */
export function withoutSurplus(
  credited: StoredInvoice,
  paid: readonly StoredPayment[],
  books: Books,
  { day, isPrepaid }: { readonly day: Day; readonly isPrepaid: boolean },
): { readonly invoice: StoredInvoice; readonly changes: readonly Change[]; readonly freed: StoredPayment[] } {
  let invoice = closedByLess(credited, day)
  const changes: Change[] = []
  const freed: StoredPayment[] = []
  for (const payment of paid.toSorted((one, other) => other.id - one.id)) {
    if (isZero(overpaidAmount(invoice)) || freed.length === MOST_CARRIED) break
    if (!paysFor(payment, invoice)) continue
    const released = releasePayment(payment, invoice, books, day)
    const after = allocate(released.payment, released.invoice, books, {
      ...{ day, isPrepaid: isPrepaid || isNote(payment) },
    })
    invoice = after.invoice
    changes.push(...changesOfPayer(payment, after.payment))
    freed.push(after.payment)
  }
  return { invoice, changes, freed }
}

const paysFor = (payment: StoredPayment, { id }: Pick<StoredInvoice, 'id'>): boolean =>
  allocationsOf(payment).some((one) => one.to === 'invoice' && one.id === id)

/** Payments that name credited invoices name nothing: their month has no invoice any more. */
export const unnamedPayments = (carried: readonly CarriedPayment[], books: Books, day: Day): Change[] => [
  ...withNothingPaid(carried),
  ...carried.flatMap(({ payment, invoice }) =>
    changesOf(payments, payment, {
      ...releasePayment(payment, invoice, books, day).payment,
      invoice_id: undefined,
    }),
  ),
]

/** Earlier releases let payments go on paying an invoice that was credited. */
function withNothingPaid(carried: readonly CarriedPayment[]): Change[] {
  const credited = new Map(carried.map((one) => [one.invoice.id, one.invoice]))
  const nothing = { paid_amount: ZERO, paid_booked: ZERO, paid_by: '' }
  return [...credited.values()]
    .filter(({ paid_amount, paid_booked }) => !isZero(paid_amount) || !isZero(paid_booked))
    .flatMap((one) => changesOf(invoices, one, { ...one, ...nothing }))
}

/** The invoice that carried payments have paid, and their changes. */
export function paidByCarried<
  I extends PayableInvoice & Pick<StoredInvoice, 'id' | 'currency' | 'vat_percent' | 'exchange_rate'>,
>(
  invoice: I,
  carried: readonly CarriedPayment[],
  books: Books,
  { day, isPrepaid }: { readonly day: Day; readonly isPrepaid: boolean },
): { readonly invoice: I; readonly changes: readonly Change[] } {
  let paid = invoice
  const changes = withNothingPaid(carried)
  for (const { payment, invoice: before } of carried) {
    const named = { ...releasePayment(payment, before, books, day).payment, invoice_id: invoice.id }
    const after = payment.completed ? allocate(named, paid, books, { day, isPrepaid }) : undefined
    paid = after?.invoice ?? paid
    changes.push(...changesOf(payments, payment, after?.payment ?? named))
  }
  return { invoice: paid, changes }
}
