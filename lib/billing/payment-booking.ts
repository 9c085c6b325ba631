import { toAccount } from '#lib/accounts/account.ts'
import { asOf } from '#lib/accounts/account-history.ts'
import type { Seconds } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { Money } from '#lib/base/money.ts'
import { flag, id, money, type Row, rowReader, text } from '#lib/table/columns.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { accountKey, keyForm } from '#lib/table/keys.ts'
import { absent, absentOrIs, type Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Payment, payments } from './payment.ts'

/** The payment that an owner's transaction was booked as. */
export const paymentTransactionKey = keyForm(
  'PAYMENTTRANSACTION#<owner_id>#<transaction_id>',
  'PAYMENTTRANSACTION',
)

/** The payment that a request of the console was recorded as. Releases up to 1.0 stored it for two days. */
export const paymentRequestKey = keyForm('PAYMENTTRANSACTION#<owner_id>#<idempotency_key>', 'REQUEST')

/** The values that a signed text was used with: it has no separators, so several splits share a signature. */
export const paymentSignatureKey = keyForm('PAYMENTSIGNATURE#<digest>', 'PAYMENTSIGNATURE')

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
 * The changes that store a new payment and its transaction. They fail if the transaction was booked
 * meanwhile, if the id is taken, or if the account is gone or has another owner. A blank transaction may be
 * booked often.
 */
export function bookingOf(
  payment: Payment & BookedPayment,
  { owner_id, transaction_id }: Pick<BookingRequest, 'owner_id' | 'transaction_id'>,
): Change[] {
  const key = paymentTransactionKey(owner_id, transaction_id)
  const kept: Change[] =
    transaction_id === '' ? [] : [{ put: { ...readBooked(payment), ...key }, when: { PK: absent } }]
  return [...changesOf(payments, undefined, { ...payment, owner_id }), ...kept]
}

const keyOfSignature = (signedValues: readonly string[]) =>
  paymentSignatureKey(hexDigest(signedValues.join('')))

const splitOf = (signedValues: readonly string[]): string => hexDigest(JSON.stringify(signedValues))
