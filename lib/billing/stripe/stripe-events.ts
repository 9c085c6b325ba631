import * as v from 'valibot'
import { carryOut } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { dayOf, secondsOf, today } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { divide, isLessThan, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { isRefusal, Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { findInvoices, type StoredInvoice } from '../invoice.ts'
import { allocationsOf, findPaymentsOfBankRows, grossOfPayment, type Payment, payments } from '../payment.ts'
import { recordPayment } from '../payments/record-payment.ts'
import { refundedOf, refundPayment } from '../payments/refund-payment.ts'
import { INVOICE_IN_METADATA, stripeDigits } from './checkout.ts'

const metadata = v.nullish(v.record(v.string(), v.string()), {})
const units = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const currency = v.pipe(v.string(), v.regex(/^[a-z]{3}$/), v.toUpperCase())
const intent = v.nullish(v.string())

const sessionSchema = v.object({
  ...{ payment_intent: intent, metadata, payment_status: v.string() },
  amount_total: v.nullish(units, 0),
  currency: v.nullish(currency, ''),
})
const chargeSchema = v.object({ payment_intent: intent, metadata, amount_refunded: units, currency })
const disputeSchema = v.object({
  ...{ id: v.string(), payment_intent: intent, amount: units, currency, status: v.string() },
})

const refundSchema = v.object({
  ...{ id: v.string(), payment_intent: intent, amount: units, currency, status: v.nullish(v.string(), '') },
})

const eventSchema = v.object({
  ...{ id: v.string(), type: v.string(), created: v.pipe(v.number(), v.safeInteger()) },
  data: v.object({ object: v.unknown() }),
})

export type StripeEvent = v.InferOutput<typeof eventSchema>

export function readStripeEvent(text: string): StripeEvent | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), eventSchema), text)
  return read.success ? read.output : undefined
}

/**
 * The outcome of an event. `not_yet`: the payment that it is about has not come yet, and Stripe sends the
 * event again. `refused`: an operator has to act first, such as by adding a currency.
 */
export interface StripeOutcome {
  readonly outcome: 'booked' | 'booked_before' | 'skipped' | 'not_yet' | 'refused' | 'unreadable'
  readonly payment?: number
  readonly reason?: string
}

type Source = Pick<ActContext, 'store' | 'settings' | 'now'>

/**
 * Books what an event says, once, in any order of events: a payment by the id of its intent, a dispute
 * by its own, and refunds of a charge by their sum.
 */
export async function bookStripeEvent(source: Source, event: StripeEvent): Promise<StripeOutcome> {
  const book = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : undefined
  try {
    return book ? await book(source, event) : { outcome: 'skipped' }
  } catch (error) {
    if (error instanceof v.ValiError) return { outcome: 'unreadable', reason: event.type }
    if (!(error instanceof Refusal)) throw error
    const { code, values } = error
    if (isRefusal(error, 'row_booked')) return { outcome: 'booked_before', payment: error.values.payment }
    // A payment that was taken back, or refunded, by hand has no rest.
    if (code === 'taken_back' || code === 'nothing_unassigned') return { outcome: 'skipped', reason: code }
    return { outcome: 'refused', reason: `${code} ${JSON.stringify(values)}` }
  }
}

const EVENTS: Readonly<Record<string, (source: Source, event: StripeEvent) => Promise<StripeOutcome>>> = {
  'checkout.session.completed': bookSession,
  'checkout.session.async_payment_succeeded': bookSession,
  'charge.refunded': bookRefund,
  'charge.refund.updated': bookFailedRefund,
  'refund.failed': bookFailedRefund,
  'refund.updated': bookFailedRefund,
  'charge.dispute.created': bookDispute,
  'charge.dispute.funds_withdrawn': bookDispute,
  'charge.dispute.closed': bookDispute,
  'charge.dispute.funds_reinstated': bookDispute,
}

/** A payment that takes days completes its session unpaid, and succeeds or fails by an event of its own. */
async function bookSession(source: Source, { data, created }: StripeEvent): Promise<StripeOutcome> {
  const { payment_intent, payment_status, amount_total, currency, metadata } = v.parse(
    sessionSchema,
    data.object,
  )
  const of = metadata?.[INVOICE_IN_METADATA] ?? ''
  if (payment_status !== 'paid' || !payment_intent || !/^\d{1,15}$/.test(of)) return { outcome: 'skipped' }
  const [invoice] = await findInvoices(source.store, [Number(of)])
  if (!invoice) return { outcome: 'skipped', reason: `no invoice ${of}` }
  return record(source, invoice, created, {
    ...{ customer: String(invoice.user_id), amount: amountIn(amount_total, currency) },
    ...{ currency, reference: payment_intent, bank_row: rowOf(payment_intent) },
  })
}

/** Money in another currency than the invoice's pays none: it stays unassigned, for a person. */
async function record(
  source: Source,
  invoice: StoredInvoice | undefined,
  created: number,
  given: GivenTexts & { readonly currency: string },
): Promise<StripeOutcome> {
  const { Timezone, Default_Currency } = source.settings
  const [day, present] = [dayOf(created, Timezone), today(source.now, Timezone)]
  const paid = {
    ...{ ...given, type: 'stripe', again: 'yes' },
    date: day < present ? day : undefined,
  }
  const isOfInvoice = invoice && given.currency === (invoice.currency || Default_Currency)
  const named = isOfInvoice ? { ...paid, invoice: invoice.number } : paid
  const { answer } = await carryOut(recordPayment, contextOf(source), named).catch((error: unknown) => {
    // The invoice was credited since, for example: the customer has paid anyway.
    if (!(error instanceof Refusal && error.field === 'invoice')) throw error
    return carryOut(recordPayment, contextOf(source), paid)
  })
  return { outcome: 'booked', payment: answer.id }
}

/**
 * A charge has the total that was refunded of it. One of ours waits for its payment for as long as Stripe
 * sends events again, which is three days (docs.stripe.com/webhooks).
 */
async function bookRefund(source: Source, event: StripeEvent): Promise<StripeOutcome> {
  const charge = v.parse(chargeSchema, event.data.object)
  const payment = await paymentOf(source, charge.payment_intent)
  if (!payment)
    return { outcome: charge.metadata?.[INVOICE_IN_METADATA] === undefined ? 'skipped' : 'not_yet' }
  return refund(source, payment, charge.currency, {
    ...{ amount: amountIn(charge.amount_refunded, charge.currency), in_all: 'yes' },
    why: 'Refunded by Stripe',
  })
}

/**
 * A dispute takes the money away when it begins, and gives it back if it is won. Both are booked at its end,
 * too, so that it does not matter which event comes first. An inquiry (`warning_...`) moves no money.
 */
async function bookDispute(source: Source, event: StripeEvent): Promise<StripeOutcome> {
  const { id, payment_intent, amount, currency, status } = v.parse(disputeSchema, event.data.object)
  if (status.startsWith('warning_') || status === 'prevented') return { outcome: 'skipped' }
  const payment = await paymentOf(source, payment_intent)
  if (!payment) return missing(source, event)
  const left = subtract(grossOfPayment(payment), refundedOf(allocationsOf(payment)))
  const [wanted, row] = [amountIn(amount, currency), rowOf(id)]
  const [before] = await findPaymentsOfBankRows(source.store, payment.owner_id, [row])
  const disputed =
    before === undefined
      ? await refund(source, payment, currency, {
          ...{ amount: isLessThan(left, wanted) ? left : wanted, reference: id, bank_row: row },
          why: 'Disputed',
        })
      : ({ outcome: 'booked_before', payment: before } as const)
  const isWon = status === 'won' || event.type === 'charge.dispute.funds_reinstated'
  if (!isWon || disputed.payment === undefined) return disputed
  const back = await payments.find(source.store, disputed.payment)
  if (!back) return { outcome: 'refused', reason: `dispute ${id} of no payment` }
  return recordAgain(source, payment, event.created, {
    amount: subtract(ZERO, grossOfPayment(back)),
    currency,
    reference: id,
    bank_row: rowOf(`${id} won`),
  })
}

/**
 * A refund, such as to a card that has expired, fails up to 30 days later, and the operator has the money
 * again (docs.stripe.com/refunds, "Failed refunds"). Until its sum is booked, Stripe sends the event again.
 */
async function bookFailedRefund(source: Source, event: StripeEvent): Promise<StripeOutcome> {
  const { id, payment_intent, amount, currency, status } = v.parse(refundSchema, event.data.object)
  if (status !== 'failed' && status !== 'canceled') return { outcome: 'skipped' }
  const payment = await paymentOf(source, payment_intent)
  const failed = amountIn(amount, currency)
  if (!payment || isLessThan(refundedOf(allocationsOf(payment)), failed)) return missing(source, event)
  return recordAgain(source, payment, event.created, {
    amount: failed,
    currency,
    reference: id,
    bank_row: rowOf(`${id} failed`),
  })
}

/** Money of a payment that came back to the operator pays its invoice again. */
async function recordAgain(
  source: Source,
  { user_id, invoice_id = 0 }: Payment,
  created: number,
  given: GivenTexts & { readonly currency: string },
): Promise<StripeOutcome> {
  const [invoice] = await findInvoices(source.store, [invoice_id])
  return record(source, invoice, created, { ...given, customer: String(user_id) })
}

async function refund(
  source: Source,
  payment: Payment,
  currency: string,
  given: GivenTexts & { readonly amount: Money },
): Promise<StripeOutcome> {
  if (currency !== (payment.currency || source.settings.Default_Currency))
    return { outcome: 'refused', reason: `payment ${payment.id} is not in ${currency}` }
  if (isZero(given.amount)) return { outcome: 'skipped' }
  const values = { ...given, payment: String(payment.id), release: 'yes' }
  const { answer, log } = await carryOut(refundPayment, contextOf(source), values)
  return { outcome: log ? 'booked' : 'booked_before', payment: answer.id }
}

async function paymentOf({ store }: Source, paidBy: string | null | undefined) {
  const [id] = paidBy ? await findPaymentsOfBankRows(store, ADMIN_ACCOUNT, [rowOf(paidBy)]) : []
  return id === undefined ? undefined : payments.find(store, id)
}

/** Events come in any order, within minutes. A dispute does not say whether its charge was one of ours. */
const missing = ({ now }: Source, { created }: StripeEvent): StripeOutcome =>
  secondsOf(now) - created < WAITS_SECONDS ? { outcome: 'not_yet' } : { outcome: 'skipped' }

const WAITS_SECONDS = 3600

/** A payment is booked once, like the row of a bank's statement. */
const rowOf = (id: string): string => hexDigest(`stripe ${id}`)

const amountIn = (units: number, currency: string): Money =>
  divide(String(units), 10 ** stripeDigits(currency))

const contextOf = (source: Source): ActContext => ({
  ...source,
  namesAreTyped: false,
  actor: {
    id: ADMIN_ACCOUNT,
    owner_id: ADMIN_ACCOUNT,
    usertype: 'admin',
    username: 'stripe',
    permissions: '',
  },
})
