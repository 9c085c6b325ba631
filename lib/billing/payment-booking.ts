import { toAccount } from '#lib/accounts/account.ts'
import { asOf } from '#lib/accounts/account-history.ts'
import { DAY_SECONDS, type Seconds, secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { Money } from '#lib/base/money.ts'
import { flag, id, money, type Row, rowReader, text } from '#lib/table/columns.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { accountKey, type Key, keyForm } from '#lib/table/keys.ts'
import { absent, absentOrIs, type Change, combined } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import type { Books } from './booking.ts'
import { newDocumentId } from './document.ts'
import { newPayment, type SaidOfPayment } from './new-payment.ts'
import { paymentEvent } from './notifications/document-events.ts'
import { watchBalances } from './notifications/watched-balances.ts'
import { type Payment, payments } from './payment.ts'
import { findInvoiceOf, payingInvoice } from './payment-of-invoice.ts'

// Keys

/** The payment that an owner's transaction was booked as. */
export const paymentTransactionKey = keyForm(
  'PAYMENTTRANSACTION#<owner_id>#<transaction_id>',
  'PAYMENTTRANSACTION',
)

/** The payment that a request of the console was recorded as, for as long as it may be repeated. */
export const paymentRequestKey = keyForm('PAYMENTTRANSACTION#<owner_id>#<idempotency_key>', 'REQUEST')

/** The values that a signed text was used with: it has no separators, so several splits share a signature. */
export const paymentSignatureKey = keyForm('PAYMENTSIGNATURE#<digest>', 'PAYMENTSIGNATURE')

// Shape

const bookedColumns = {
  id,
  user_id: id,
  currency: text(),
  amount: money(),
  amount_with_vat: money(),
  completed: flag(false),
}

/** The columns of a payment that its transaction keeps, for the answer to a repetition. */
export type BookedPayment = Row<typeof bookedColumns>

const readBooked = rowReader(bookedColumns)

/** The signed values of a request, and the transaction in them. */
export interface BookingRequest {
  readonly user_id: number
  readonly owner_id: number
  /** Blank: each request is a payment of its own. */
  readonly transaction_id: string
  /** In the order of the signature, blank where the hash leaves a parameter open. Missing without a hash. */
  readonly signedValues: readonly string[] | undefined
}

// Access patterns

export type FoundBooking = Awaited<ReturnType<typeof findBooking>>

/** The stored items that a request depends on, and the VAT of a payment at a moment. One round trip. */
export async function findBooking(store: Store, request: BookingRequest, at: Seconds) {
  const [account, transaction, signature] = await store.getMany([
    accountKey(request.user_id),
    paymentTransactionKey(request.owner_id, request.transaction_id),
    ...(request.signedValues ? [keyOfSignature(request.signedValues)] : []),
  ])
  const split = signature?.['split']
  return {
    user: toAccount(account),
    vat_percent: account && (asOf(account, at)['vat_percent'] as Money | undefined),
    booked: request.transaction_id !== '' && transaction ? readBooked(transaction) : undefined,
    /** The signature is that of another split of the same text. */
    isSplitOtherwise: split !== undefined && split !== splitOf(request.signedValues ?? []),
    /** It is known, or there is none to claim. */
    isSignatureKnown: split !== undefined || !request.signedValues,
  }
}

/** Claims the signature for this split of its text. Throws ConditionFailed if another split came first. */
export function claimOfSplit(
  { signedValues }: BookingRequest,
  { isSignatureKnown }: Pick<FoundBooking, 'isSignatureKnown'>,
): Change[] {
  if (isSignatureKnown || !signedValues) return []
  const split = splitOf(signedValues)
  return [
    { update: keyOfSignature(signedValues), to: { set: { split } }, when: { split: absentOrIs(split) } },
  ]
}

/**
 * Stores a new payment and its transaction, together with `others`, such as the entry of the log or the claim
 * of its signature. Throws ConditionFailed if the transaction was booked meanwhile, if the id is taken, or if
 * the account is gone or has another owner. A blank transaction may be booked often.
 */
export async function bookPayment(
  store: Store,
  payment: Payment & BookedPayment,
  { owner_id, transaction_id }: Pick<BookingRequest, 'owner_id' | 'transaction_id'>,
  others: readonly Change[] = [],
): Promise<void> {
  const key = paymentTransactionKey(owner_id, transaction_id)
  const kept: Change[] =
    transaction_id === '' ? [] : [{ put: { ...readBooked(payment), ...key }, when: { PK: absent } }]
  await store.transact(
    combined([...changesOf(payments, undefined, { ...payment, owner_id }), ...kept, ...others]),
  )
}

/** A payment that an operator records. `logged` is its entry of the log. */
export interface RecordedPayment {
  readonly now: Date
  readonly said: SaidOfPayment
  readonly books: Books
  readonly logged: (paymentId: number) => Change
  /** The key that all attempts at one request share. Without it, each is a payment of its own. */
  readonly idempotencyKey?: string | undefined
  /** The invoice that it pays. `books` have the rates of its currency. */
  readonly invoiceId?: number | undefined
}

/**
 * Stores a payment under the next free id. A repeated request returns the payment that it was first recorded
 * as, whatever is said of it now. Throws ConditionFailed when the account has another owner by now.
 */
export const recordPayment = (
  store: Store,
  { owner_id }: { readonly owner_id: number },
  { now, said, books, logged, idempotencyKey, invoiceId }: RecordedPayment,
): Promise<Payment> =>
  retryingRaces(store, async (lostRaces) => {
    const key = idempotencyKey === undefined ? undefined : paymentRequestKey(owner_id, idempotencyKey)
    const recorded = key && (await findRecorded(store, key))
    if (recorded) return recorded
    const unnamed = newPayment(newDocumentId(now.getTime(), lostRaces), said, books)
    const invoice = await findInvoiceOf(store, { invoice_id: invoiceId })
    const { payment, changes } = payingInvoice(unnamed, invoice, books)
    const kept = key ? [requestKept(key, payment.id, now)] : []
    await bookPayment(store, payment, { owner_id, transaction_id: '' }, [
      logged(payment.id),
      ...kept,
      ...changes,
      ...paymentEvent(books.settings, payment, { at: now, owner_id }),
    ])
    await watchBalances({ store, settings: books.settings, now }, [said.user_id])
    return payment
  })

/** Requests are repeated at the latest on the next day. */
const REPEATED_SECONDS = 2 * DAY_SECONDS

const requestKept = (key: Key, id: number, now: Date): Change => ({
  put: { ...key, id, expires_at: secondsOf(now) + REPEATED_SECONDS },
  when: { PK: absent },
})

async function findRecorded(store: Store, key: Key): Promise<Payment | undefined> {
  const request = await store.get(key)
  return request && payments.find(store, Number(request['id']))
}

const keyOfSignature = (signedValues: readonly string[]) =>
  paymentSignatureKey(hexDigest(signedValues.join('')))

const splitOf = (signedValues: readonly string[]): string => hexDigest(JSON.stringify(signedValues))
