import * as v from 'valibot'
import { blankOr, countValue, flagValue, linkValue, nextPageKey, textOrBlank, textValue } from './shapes.ts'

const customerMonth = v.object({
  customer: linkValue,
  /** `open`: it can be issued. `done`: it was issued before. */
  outcome: v.picklist(['open', 'issued', 'done', 'empty', 'refused']),
  number: textOrBlank,
  currency: textValue,
  /** A negative net means a credit note. Its parts are calls, fees with minimums, and returning rows. */
  calls: textValue,
  fees: textValue,
  credits: textValue,
  net: textValue,
  vat: textValue,
  gross: textValue,
  rows: countValue,
  suspended: countValue,
  /** Why it is not billed, and what a person can do about it. */
  reason: textOrBlank,
  remedy: blankOr(v.record(textValue, textValue)),
})

/** What a document says of its seller. */
export const SELLER_PARTS = ['name', 'address', 'VAT number', 'bank'] as const

/** A page of customers, in the order of their ids. */
export const monthAnswer = v.object({
  seller: v.object({ name: textValue, missing: v.array(v.picklist(SELLER_PARTS)) }),
  customers: v.array(customerMonth),
  next: nextPageKey,
})

/** A closed month of a journal: its last number, and the first day that is open. */
export const closedMonthAnswer = v.object({
  month: textValue,
  seller: countValue,
  entries: countValue,
  open_from: textValue,
})

/** The mails of a month: asked for now, asked for before, and without an address. */
export const sentMonthAnswer = v.object({
  month: textValue,
  asked: countValue,
  before: countValue,
  without_address: countValue,
  /** The next request goes on. */
  has_more: flagValue,
})

export type SentMonthAnswer = v.InferOutput<typeof sentMonthAnswer>

const unbilledMonth = v.object({
  month: textValue,
  /** In the default currency. */
  calls: textValue,
  charges: textValue,
})

const unbilledUse = v.object({
  customer: linkValue,
  hasTariff: flagValue,
  /** Why its invoices cannot be what its document_format says. */
  unfit: textOrBlank,
  /** The months that are older than Late_Months, and what of them no invoice bills. */
  months: v.array(unbilledMonth),
  /** Why subscriptions are not charged. */
  subscriptions: v.array(textValue),
})

/** The customers of a page that need attention. `currency` is the default one. */
export const unbilledAnswer = v.object({
  currency: textValue,
  customers: v.array(unbilledUse),
  next: nextPageKey,
})

const unchargedService = v.object({ id: countValue, name: textValue, price: textValue })

/** What loses money. With `next`, there are more customers than were looked at. */
export const lossesAnswer = v.object({
  /** Services with a price that no subscription pays. */
  services: v.array(unchargedService),
  /** Customers whose VAT becomes credit, because Payments_With_VAT is off. */
  taxed: v.array(linkValue),
  next: nextPageKey,
})

export type ClosedMonthAnswer = v.InferOutput<typeof closedMonthAnswer>

export type LossesAnswer = v.InferOutput<typeof lossesAnswer>

export type MonthAnswer = v.InferOutput<typeof monthAnswer>

export type UnbilledAnswer = v.InferOutput<typeof unbilledAnswer>
