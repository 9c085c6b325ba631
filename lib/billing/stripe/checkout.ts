import * as v from 'valibot'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { fixed, isPositive, type Money, multiply } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { StoredInvoice } from '../invoice.ts'
import { openAmount } from '../invoice-payment.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** Stripe_Key or Page_Address is blank, nothing is open, or a reseller has issued it. */
    readonly no_card_payment: { readonly number: string }
    /** The problem as Stripe names it: its code, or the status of its answer. */
    readonly stripe_refused: { readonly problem: string }
  }
}

type CardSettings = Pick<Settings, 'Stripe_Key' | 'Page_Address' | 'Default_Currency'>

/** Whether a customer may pay an invoice by card. The keys are the operator's, and so is the money. */
export const takesCard = (
  { Stripe_Key, Page_Address }: CardSettings,
  invoice: Pick<StoredInvoice, 'owner_id'> & Parameters<typeof openAmount>[0],
): boolean =>
  Stripe_Key !== '' &&
  Page_Address !== '' &&
  invoice.owner_id === ADMIN_ACCOUNT &&
  isPositive(openAmount(invoice))

/** The name under which a session and its payment carry the id of the invoice. */
export const INVOICE_IN_METADATA = 'tollgate_invoice'

/**
 * Creates a session of Stripe Checkout for an invoice's open amount, and returns the address of its page. A
 * second click on the same day is answered with the same session, so that nobody pays twice.
 */
export async function checkoutAddress(
  settings: CardSettings,
  invoice: StoredInvoice,
  { email, now }: { readonly email: string; readonly now: Date },
): Promise<string> {
  const { id, number } = invoice
  if (!takesCard(settings, invoice)) throw new Refusal('no_card_payment', { number })
  const currency = invoice.currency || settings.Default_Currency
  const form = new URLSearchParams({
    mode: 'payment',
    client_reference_id: String(id),
    ...(email !== '' && { customer_email: email }),
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': currency.toLowerCase(),
    'line_items[0][price_data][unit_amount]': inStripeUnits(openAmount(invoice), currency),
    'line_items[0][price_data][product_data][name]': number,
    [`metadata[${INVOICE_IN_METADATA}]`]: String(id),
    [`payment_intent_data[metadata][${INVOICE_IN_METADATA}]`]: String(id),
    'payment_intent_data[description]': number,
    success_url: `${settings.Page_Address}#/?paid=${encodeURIComponent(number)}`,
    cancel_url: settings.Page_Address,
  }).toString()
  // Sessions and the answers to keys expire after 24 hours: no key outlives its session.
  const key = hexDigest(`${form} ${now.toISOString().slice(0, 10)}`)
  return createSession(settings.Stripe_Key, form, key)
}

const STRIPE_VERSION = '2025-03-31.basil'

const ANSWER_MS = 15_000

const sessionSchema = v.object({ url: v.pipe(v.string(), v.url()) })

const errorSchema = v.object({
  error: v.object({ type: v.optional(v.string()), code: v.optional(v.string()) }),
})

async function createSession(secret: string, body: string, key: string): Promise<string> {
  const response = await fetch('https://api.stripe.com/v1/checkout/sessions', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${secret}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Idempotency-Key': key,
      'Stripe-Version': STRIPE_VERSION,
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => undefined)
  const answer: unknown = await response?.json().catch(() => undefined)
  const session = v.safeParse(sessionSchema, answer)
  if (response?.ok && session.success) return session.output.url
  const { code, type } = v.is(errorSchema, answer) ? answer.error : {}
  throw new Refusal('stripe_refused', { problem: code ?? type ?? `status ${response?.status ?? 'none'}` })
}

/** Stripe counts other units of these than ISO 4217 (docs.stripe.com/currencies, special cases). */
const OWN_DIGITS: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 }

export const stripeDigits = (currency: string): number => OWN_DIGITS[currency] ?? minorDigits(currency)

const inStripeUnits = (amount: Money, currency: string): string =>
  fixed(multiply(amount, 10 ** stripeDigits(currency)), 0)
