import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { echoed, namedId, storedText, textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { secondsOf, today } from '#lib/base/calendar.ts'
import { fixed, type Money, niceDigits, ONE, positiveOf, subtract } from '#lib/base/money.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import { actsFor, isOwnCustomer } from '#lib/base/scope.ts'
import { openBooks } from '#lib/billing/booking.ts'
import { newDocumentId } from '#lib/billing/document.ts'
import { newPayment } from '#lib/billing/new-payment.ts'
import { paymentEvent } from '#lib/billing/notifications/document-events.ts'
import { type Payment, unassignedOf } from '#lib/billing/payment.ts'
import {
  type BookedPayment,
  type BookingRequest,
  bookingOf,
  claimOfSplit,
  type FoundBooking,
  findBooking,
} from '#lib/billing/payment-booking.ts'
import { findPayableInvoice, payingInvoice } from '#lib/billing/payment-of-invoice.ts'
import { afterPayment, willAllocate } from '#lib/billing/payments/allocate-oldest.ts'
import { keyOfCurrency, toCurrency } from '#lib/rates/currency.ts'
import { combined } from '#lib/table/requests/changes.ts'
import { type Element, element, withAttributes } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'payment_create',
  aliases: ['create_payment'],
  summary:
    'Books a payment of a customer. With a transaction it books once, however often the request is repeated.',
  callers: { allowed: ['admin', 'reseller', 'partner'], anonymous: 'Bad login', others: 'Access Denied' },
  params: {
    user_id: echoed(namedId),
    p_currency: textParam,
    paymenttype: storedText,
    tax_in_amount: textParam,
    amount: textParam,
    transaction: storedText,
    payer_email: textParam,
    comments_for_user: storedText,
    invoice: textParam,
  },
  hashOrders: [
    {
      signs: [
        'user_id',
        'p_currency',
        'paymenttype',
        'tax_in_amount',
        'amount',
        'transaction',
        'payer_email',
        'invoice',
      ],
    },
    /** Signed by deployed clients (wire.md payment_create). */
    {
      signs: ['user_id', 'p_currency', 'amount'],
      unless: { tax_in_amount: '1' },
      unlessSent: ['invoice'],
      unlessOn: 'Payments_Sign_All',
    },
  ],
  errors: { denied: 'Access Denied', no_currency: 'No currency', not_saved: 'Payment was not saved' },
  envelope: 'rootStatus',
  access: 'write',
  writes: 'payments',
  loads: {
    currency: { key: ({ p_currency = '' }) => keyOfCurrency(p_currency), read: toCurrency },
  },
})

type PaymentRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { caller, settings, store, refuse } = request
  if (!settings.API_allow_Payments) throw refuse('denied')
  const wanted = wantedBooking(request)
  const found = await findBooking(store, wanted, secondsOf(request.clock()))
  if (!found.user || !isOwnCustomer(caller, found.user)) throw refuse('denied')
  const unnamed = paymentOf(request, readAmount(request), found.vat_percent)
  refuseOtherUse(request, found, unnamed)
  const { payment, changes } = await withInvoice(request, wanted, unnamed, found)
  const claims = claimOfSplit(wanted, found)
  const events = paymentEvent(settings, payment, { at: request.clock(), owner_id: wanted.owner_id })
  if (!found.booked) {
    const allocated = willAllocate(settings, payment, unassignedOf(payment))
    const booked = bookingOf(payment, wanted)
    await store.transact(combined([...booked, ...changes, ...claims, ...events, ...allocated]))
  } else if (claims.length > 0) await store.transact(claims)
  // A repeated request looks, too: the function of the first one may have ended before it did.
  await afterPayment({ store, settings, now: request.clock() }, payment.user_id)
  return paymentElement(request, found.booked ?? payment)
})

export const handler = lambda(method)

/** Parameters that the hash leaves open count as blank: another split of the text differs elsewhere. */
function wantedBooking({ caller, params, signedNames }: PaymentRequest): BookingRequest {
  const values = { ...params, user_id: params.user_id.sent }
  const signedValues = contract.hashOrders[0].signs
    .filter((name) => name !== 'invoice' || values.invoice)
    .map((name) => (signedNames?.includes(name) ? (values[name] ?? '') : ''))
  return {
    user_id: params.user_id.means,
    owner_id: actsFor(caller) ?? caller.id,
    transaction_id: params.transaction?.trim() ?? '',
    signedValues: signedNames && signedValues,
  }
}

/** A plain decimal above 0 with at most 15 digits on each side of the point. */
const AMOUNT = /^\d{1,15}(\.\d{1,15})?$/

function readAmount({ params, settings, loaded, refuse, refuseUnstorable }: PaymentRequest): Money {
  refuseUnstorable()
  const currency = params.p_currency?.trim() ?? ''
  if (currency !== settings.Default_Currency && !loaded.currency) throw refuse('no_currency')
  const text = params.amount?.trim() ?? ''
  const amount = AMOUNT.test(text) ? positiveOf(text) : undefined
  if (amount === undefined) {
    throw refuse(
      'not_saved',
      'amount must be a decimal above 0, with at most 15 digits on each side of the point',
    )
  }
  return amount
}

async function withInvoice(
  request: PaymentRequest,
  { owner_id }: Pick<BookingRequest, 'owner_id'>,
  payment: Payment & BookedPayment,
  { booked }: FoundBooking,
) {
  const { params, settings, store, refuse } = request
  const number = params.invoice?.trim() ?? ''
  if (number === '' || booked) return { payment, changes: [] }
  const { user_id: id } = payment
  const invoice = await findPayableInvoice(store, { id, username: '', owner_id }, number).catch(
    (error: unknown) => {
      throw refuse('not_saved', `invoice: ${invoiceProblem(error)}`)
    },
  )
  const day = today(request.clock(), settings.Timezone)
  return payingInvoice(payment, invoice, await openBooks(store, settings, [payment, invoice]), day)
}

/** Why a payment cannot name an invoice, in the words of this method. */
function invoiceProblem(error: unknown): string {
  if (isRefusal(error, 'unknown_invoice')) {
    const { number, found } = error.values
    return found.length === 0
      ? `there is no invoice ${number} of this customer`
      : `${found.length} invoices of this customer have the number ${number}`
  }
  if (isRefusal(error, 'other_seller')) return `${error.values.number} is of another seller`
  if (isRefusal(error, 'invoice_credited')) return `${error.values.number} is credited by ${error.values.by}`
  throw error
}

function paymentOf(
  request: PaymentRequest,
  amount: Money,
  vat_percent: Money | undefined,
): Payment & BookedPayment {
  const { params, settings, clock, loaded, lostRaces } = request
  const now = clock()
  const currency = params.p_currency?.trim() ?? ''
  const said = {
    user_id: params.user_id.means,
    transaction_id: params.transaction?.trim() ?? '',
    date: secondsOf(now),
    type: params.paymenttype?.trim() || 'manual',
    amount,
    currency,
    completed: !settings.API_Payment_Confirmation,
    comments_for_user: params.comments_for_user ?? '',
    vat_percent: settings.Payments_With_VAT ? vat_percent : undefined,
  }
  const rates = new Map([[currency, loaded.currency?.exchange_rate ?? ONE]])
  return newPayment(newDocumentId(now.getTime(), lostRaces), said, { settings, rates })
}

/** Refuses a transaction booked with other values, and a hash used for another split of its text. */
function refuseOtherUse({ refuse }: PaymentRequest, found: FoundBooking, payment: Payment): void {
  const { booked, isSplitOtherwise } = found
  const isOther =
    booked &&
    (booked.user_id !== payment.user_id ||
      booked.currency !== payment.currency ||
      booked.amount !== payment.amount)
  if (isOther || (isSplitOtherwise && payment.transaction_id !== ''))
    throw refuse('not_saved', 'Transaction is already used')
  if (isSplitOtherwise) throw refuse('not_saved', 'The signature is already used with other values')
}

function paymentElement({ settings }: PaymentRequest, booked: BookedPayment): Element {
  const digits = niceDigits(settings)
  const { id, currency, amount, amount_with_vat, completed } = booked
  return element(
    'response',
    element('status', 'ok'),
    element('confirmed', completed ? 'Yes' : 'No'),
    withAttributes(
      { currency },
      element(
        'payment',
        element('payment_id', id),
        element('tax', fixed(subtract(amount_with_vat, amount), digits)),
        element('amount', fixed(amount, digits)),
        element('gross', fixed(amount_with_vat, digits)),
      ),
    ),
  )
}
