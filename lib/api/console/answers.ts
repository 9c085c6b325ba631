import * as v from 'valibot'
import { ACCOUNT_TYPES } from '#lib/domain/accounts/account.ts'

/*
 * The answers of the console's API. The page takes its types from here, and docs/console-openapi.json its schemas. A blank
 * is null. Amounts are decimal text. Times are those of the installation, as `YYYY-MM-DD HH:MM:SS`.
 */

const blankOr = <S extends v.GenericSchema>(schema: S) => v.nullable(schema)
const text = v.string()
const count = v.number()
const flag = v.boolean()
const textOrBlank = blankOr(text)

/** The key of the next page; null after the last one. */
const next = textOrBlank

/** A thing with a page of its own. */
const link = v.object({ id: count, name: text })

const accountType = v.picklist(ACCOUNT_TYPES)

// Session

export const PARTS = ['overview', 'customers', 'calls', 'suspense', 'tariffs', 'billing', 'settings'] as const
export const ACTIONS = ['block', 'payments', 'rollback', 'settings', 'suspense'] as const

export const sessionAnswer = v.object({
  id: count,
  username: text,
  name: text,
  type: accountType,
  /** The parts of the console that the account may use. */
  parts: v.array(v.picklist(PARTS)),
  actions: v.array(v.picklist(ACTIONS)),
  /** The default currency. */
  currency: text,
  zone: text,
  /** The day in the zone of the installation. */
  today: text,
})

export type SessionAnswer = v.InferOutput<typeof sessionAnswer>

// Customers

const customer = v.object({
  id: count,
  username: text,
  name: text,
  type: accountType,
  owner: blankOr(link),
  tariff: blankOr(link),
  currency: text,
  devices: count,
  blocked: flag,
})

export type CustomerRow = v.InferOutput<typeof customer>

export const customersAnswer = v.object({ customers: v.array(customer), next })

export type CustomersAnswer = v.InferOutput<typeof customersAnswer>

const device = v.object({
  id: count,
  name: text,
  type: text,
  address: textOrBlank,
  isPrimary: flag,
})

const balance = v.object({ currency: text, invoiced: text, credited: text, paid: text, balance: text })

export type BalanceRow = v.InferOutput<typeof balance>

export const customerAnswer = v.object({
  customer,
  agreement: textOrBlank,
  clientId: textOrBlank,
  devices: v.array(device),
  /** One for each currency; null where the documents of this account are not for the eyes of the session. */
  balances: blankOr(v.array(balance)),
  mayBlock: flag,
})

export type CustomerAnswer = v.InferOutput<typeof customerAnswer>

export const blockedAnswer = v.object({ id: count, blocked: flag })

// Calls

const call = v.object({
  id: text,
  at: text,
  from: text,
  to: text,
  seconds: count,
  disposition: text,
  cause: count,
  customer: link,
  price: textOrBlank,
  cost: textOrBlank,
})

export type CallRowAnswer = v.InferOutput<typeof call>

export const callsAnswer = v.object({
  calls: v.array(call),
  currency: text,
  next,
  /** The number of calls that were read; a filter may have left out some. */
  read: count,
})

export type CallsAnswer = v.InferOutput<typeof callsAnswer>

/** The lookup of a number in the tariff of one payer, and the price that it makes. */
const step = v.object({
  payer: v.picklist(['customer', 'reseller', 'provider']),
  tariff: link,
  version: blankOr(count),
  /** Null if the tariff has no rate for the number. */
  rate: blankOr(
    v.object({
      prefix: text,
      destination: text,
      perMinute: text,
      fee: text,
      currency: text,
      increment: count,
      minimum: count,
      hours: text,
      isBlocked: flag,
    }),
  ),
  /** Units of the tariff's currency for one unit of the default one; null if they are the same. */
  exchangeRate: textOrBlank,
  billedSeconds: blankOr(count),
  /** In the default currency. */
  price: textOrBlank,
})

export type PriceStep = v.InferOutput<typeof step>

const rating = v.object({
  /** The digits that are looked up. */
  digits: text,
  /** The reason why the call costs nothing, whatever the tariffs say. */
  free: textOrBlank,
  steps: v.array(step),
  /** The reason why there is no price. */
  problem: textOrBlank,
  margin: textOrBlank,
  isBelowCost: flag,
})

export type RatingAnswer = v.InferOutput<typeof rating>

export const callAnswer = v.object({
  call,
  currency: text,
  uniqueid: text,
  source: textOrBlank,
  duration: count,
  device: blankOr(link),
  provider: textOrBlank,
  owner: text,
  isIncoming: flag,
  prices: v.object({ customer: textOrBlank, reseller: textOrBlank, provider: textOrBlank }),
  /** The prices as the tariffs make them now; null if the call was rated elsewhere or its account is gone. */
  rating: blankOr(rating),
})

export type CallAnswer = v.InferOutput<typeof callAnswer>

export const priceAnswer = v.object({
  customer: link,
  number: text,
  at: text,
  seconds: count,
  currency: text,
  rating,
})

export type PriceAnswer = v.InferOutput<typeof priceAnswer>

const liveCall = v.object({
  id: count,
  start: text,
  from: text,
  to: text,
  destination: textOrBlank,
  customer: blankOr(link),
  provider: textOrBlank,
  /** Seconds since the answer; null while it rings. */
  seconds: blankOr(count),
})

export const liveCallsAnswer = v.object({ calls: v.array(liveCall), total: count })

export type LiveCallsAnswer = v.InferOutput<typeof liveCallsAnswer>

// Traffic

const figures = {
  attempts: count,
  answered: count,
  seconds: count,
  revenue: text,
  cost: text,
}

const figuresOfDay = v.object({ day: text, ...figures })

export type FiguresOfDay = v.InferOutput<typeof figuresOfDay>

export const TRAFFIC_DIMENSIONS = ['day', 'customer', 'destination', 'provider', 'disposition'] as const

export const trafficAnswer = v.object({
  currency: text,
  from: text,
  till: text,
  /** False for a plain user: then revenue and cost are 0. */
  hasMoney: flag,
  /** Each day of the range, also those without calls. */
  days: v.array(figuresOfDay),
  /** The days of the range of the same length before it. */
  before: v.array(figuresOfDay),
  /** The groups of another dimension, the largest revenue first; empty for days. */
  groups: v.array(v.object({ name: text, id: blankOr(count), ...figures })),
})

export type TrafficAnswer = v.InferOutput<typeof trafficAnswer>

// Suspense

const suspended = v.object({
  id: text,
  since: text,
  source: text,
  reason: text,
  detail: text,
  tries: count,
  start: textOrBlank,
  from: textOrBlank,
  to: textOrBlank,
})

export type SuspendedRow = v.InferOutput<typeof suspended>

export const suspenseAnswer = v.object({
  entries: v.array(suspended),
  reasons: v.array(v.object({ reason: text, count })),
  next,
})

export type SuspenseAnswer = v.InferOutput<typeof suspenseAnswer>

export const suspendedAnswer = v.object({ entry: suspended, format: text, text })

export type SuspendedAnswer = v.InferOutput<typeof suspendedAnswer>

export const retriedAnswer = v.object({ id: text, isStored: flag, reason: textOrBlank, detail: textOrBlank })

export type RetriedAnswer = v.InferOutput<typeof retriedAnswer>

export const droppedAnswer = v.object({ id: text })

// Billing

export const DOCUMENT_NAMES = ['invoices', 'credit-notes', 'payments'] as const

const billed = v.object({
  id: count,
  number: text,
  customer: link,
  date: text,
  status: v.picklist(['paid', 'unpaid', 'completed', 'pending']),
  amount: text,
  amountWithVat: text,
  currency: text,
  comment: textOrBlank,
})

export type BilledRow = v.InferOutput<typeof billed>

const billedProduct = v.object({ name: text, quantity: text, price: textOrBlank, sum: text })

export const documentsAnswer = v.object({
  documents: v.array(billed),
  /** The sums of the documents in this answer; amounts of different currencies are never added. */
  totals: v.array(v.object({ currency: text, count, amount: text, amountWithVat: text })),
  next,
})

export type DocumentsAnswer = v.InferOutput<typeof documentsAnswer>

export const invoiceAnswer = v.object({
  invoice: billed,
  issuer: text,
  products: v.array(billedProduct),
  /** The amount with VAT less the amount. */
  vat: text,
})

export type InvoiceAnswer = v.InferOutput<typeof invoiceAnswer>

export const paymentAnswer = v.object({ payment: billed })

// Tariffs

const version = v.object({
  version: count,
  rates: count,
  imported: text,
  activeFrom: textOrBlank,
  activeTill: textOrBlank,
  isActive: flag,
})

export type TariffVersion = v.InferOutput<typeof version>

const tariff = v.object({
  id: count,
  name: text,
  purpose: text,
  currency: text,
  owner: link,
  version: blankOr(count),
  rates: count,
  imported: textOrBlank,
})

export type TariffRowAnswer = v.InferOutput<typeof tariff>

export const tariffsAnswer = v.object({ tariffs: v.array(tariff) })

export type TariffsAnswer = v.InferOutput<typeof tariffsAnswer>

const rate = v.object({
  prefix: text,
  destination: text,
  perMinute: text,
  fee: text,
  increment: count,
  minimum: count,
  hours: text,
  since: textOrBlank,
  isBlocked: flag,
})

export type RateRow = v.InferOutput<typeof rate>

export const tariffAnswer = v.object({
  tariff,
  rates: v.array(rate),
  /** The prefix after which the next page begins. */
  next,
  versions: v.array(version),
  log: v.array(v.object({ at: text, who: text, from: blankOr(count), to: count })),
  mayRollBack: flag,
})

export type TariffAnswer = v.InferOutput<typeof tariffAnswer>

export const rolledBackAnswer = v.object({ id: count, version: count, rates: count })

// Settings

const setting = v.object({
  name: text,
  value: text,
  kind: text,
  /** The value before it was ever set. */
  default: text,
  isSecret: flag,
})

export type SettingRow = v.InferOutput<typeof setting>

export const settingsAnswer = v.object({
  settings: v.array(setting),
  /** The newest first. */
  log: v.array(v.object({ at: text, who: text, change: text, before: textOrBlank, after: textOrBlank })),
})

export type SettingsAnswer = v.InferOutput<typeof settingsAnswer>

export const settingAnswer = v.object({ name: text, value: text, warning: textOrBlank })

/** The answer of every refusal. */
export const refusalAnswer = v.object({ error: v.object({ code: text, message: text }) })
