import { valueAt } from '#lib/accounts/account-history.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { optionalInput, positiveAmountInput, switchInput, textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { type Day, today } from '#lib/base/calendar.ts'
import { add, isLessThan, isPositive, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { combined } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Books, openBooks } from '../booking.ts'
import { findInvoices, invoices, type StoredInvoice } from '../invoice.ts'
import { allocate, releasePayment, unassignedBooked, withParts } from '../ledger/allocating.ts'
import type { Allocation } from '../ledger/allocation.ts'
import { entryAgainst } from '../new-payment.ts'
import { paymentEvent } from '../notifications/document-events.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import {
  allocationsOf,
  grossOfPayment,
  keptParts,
  payments,
  type StoredPayment,
  unassignedOf,
} from '../payment.ts'
import {
  amountOf,
  bankRow,
  ownPayment,
  payerName,
  refuseBookedRow,
  refuseTakenBack,
} from './payment-input.ts'

/**
 * Gives back what no invoice has of a payment, by an entry of its own. Taking back is for mistakes. With
 * `release`, the invoices that it pays last give up what is missing, in the same transaction.
 */
export const refundPayment = defineAct({
  summary: 'Refund the unassigned amount of a payment, or a part of it, by a separate entry',
  callers: MANAGERS,
  input: {
    payment: ownPayment,
    amount: optionalInput(
      positiveAmountInput(
        'the amount, in the currency of the payment (default: the whole unassigned amount)',
      ),
    ),
    why: optionalInput(textInput('the reason, which the customer reads')),
    release: switchInput('invoices that it pays give up what is missing: they are open again'),
    in_all: switchInput('the amount is that of all its refunds: what is noted of it is left out'),
    reference: optionalInput(textInput('the transaction of the payer or the bank')),
    bank_row: bankRow,
  },
  run: async (context, { payment, release, amount, in_all, why = '', reference = '', bank_row = '' }) => {
    const { store, settings, now } = context
    refuseTakenBack(payment)
    await refuseBookedRow(context, payment.owner_id, bank_row || undefined)
    const { id, user_id, owner_id, currency } = payment
    const username = await payerName({ store }, payment)
    const parts = allocationsOf(payment)
    const unassigned = release ? subtract(grossOfPayment(payment), refundedOf(parts)) : unassignedOf(payment)
    const own = subtract(amount ?? unassigned, in_all ? await refundsWithoutRow(store, parts) : ZERO)
    if (in_all && !isPositive(own)) return { answer: payment }
    refuseBeyond(unassigned, own, id)
    const opened = release ? await findInvoices(store, paidInvoices(parts)) : []
    const found = opened.filter((invoice) => invoice !== undefined)
    const books = await openBooks(store, settings, [payment, ...found])
    const day = today(now, settings.Timezone)
    const { freed, released } = releaseUntil(payment, found, own, books, day)
    const percent = await vatOfUnassigned({ store, settings }, payment)
    const left = unassignedOf(freed)
    const booked = subtract(
      unassignedBooked(freed, left, percent, books),
      unassignedBooked(freed, subtract(left, own), percent, books),
    )
    const entry = entryAgainst(context, payment, own, {
      ...{ comments_for_user: why, net: subtract(ZERO, booked), refunds: id },
      ...{ transaction_id: reference, bank_row },
    })
    const part = { to: 'refund', id: entry.id, own, amount: own, currency, booked, day } as const
    const refunded = withParts(freed, [...keptParts(freed), part], percent, books)
    const { after, changed } = keepRest(refunded, released, books, day)
    return {
      changes: combined([
        ...changesOf(payments, payment, after),
        ...changesOf(payments, undefined, entry),
        ...changed,
        ...paymentEvent(settings, entry, { at: now, owner_id }),
      ]),
      answer: entry,
      log: {
        action: `refunded ${amountOf({ amount: own, currency }, settings)} of payment ${id} of ${username} by payment ${entry.id}`,
      },
      afterwards: () => watchBalances({ store, settings, now }, [user_id]),
    }
  },
})

function refuseBeyond(unassigned: Money, own: Money, payment: number): void {
  const payer = `payment ${payment}`
  if (isZero(unassigned)) throw new Refusal('nothing_unassigned', { payer }, 'payment')
  if (isPositive(subtract(own, unassigned)))
    throw new Refusal('more_than_unassigned', { payer, amount: own, unassigned }, 'amount')
}

/** The VAT that what no invoice has of a payment includes. */
async function vatOfUnassigned(
  { store, settings }: Pick<ActContext, 'store' | 'settings'>,
  payment: StoredPayment,
): Promise<Money | undefined> {
  if (payment.vat_percent !== undefined || !settings.Payments_With_VAT) return payment.vat_percent
  const account = await findWholeAccount(store, payment.user_id)
  return account && valueAt(account, 'vat_percent', payment.date)
}

const isRefund = ({ to }: Allocation): boolean => to === 'refund'

export const refundedOf = (parts: readonly Allocation[]): Money =>
  add(ZERO, ...parts.filter(isRefund).map(({ own }) => own))

/** Refunds with a row of their own, such as disputes, are none of the refunds that a gateway sums up. */
async function refundsWithoutRow(store: Store, parts: readonly Allocation[]): Promise<Money> {
  const refunds = parts.filter(isRefund)
  const entries = await payments.findMany(
    store,
    refunds.map(({ id }) => id),
  )
  return refundedOf(refunds.filter((_, index) => entries[index]?.bank_row === ''))
}

/** The invoices that a payment pays, the last one first. */
const paidInvoices = (parts: readonly Allocation[]): number[] => [
  ...new Set(parts.flatMap(({ to, id }) => (to === 'invoice' ? [id] : [])).reverse()),
]

/** Releases a payment from these invoices, one by one, until it has an amount unassigned. */
function releaseUntil(
  payment: StoredPayment,
  paid: readonly StoredInvoice[],
  wanted: Money,
  books: Books,
  day: Day,
) {
  const released: { readonly before: StoredInvoice; readonly after: StoredInvoice }[] = []
  let freed = payment
  for (const before of paid) {
    if (!isLessThan(unassignedOf(freed), wanted)) break
    const { payment: after, invoice } = releasePayment(freed, before, books, day)
    freed = after
    released.push({ before, after: invoice })
  }
  return { freed, released }
}

/** The invoice that was released last keeps what the refund leaves. */
function keepRest(
  refunded: StoredPayment,
  released: ReturnType<typeof releaseUntil>['released'],
  books: Books,
  day: Day,
) {
  const last = released.at(-1)
  const kept = last && allocate(refunded, last.after, books, { day })
  return {
    after: kept?.payment ?? refunded,
    changed: released.flatMap(({ before, after }) =>
      changesOf(invoices, before, before === last?.before ? kept?.invoice : after),
    ),
  }
}
