import * as v from 'valibot'
import { CUSTOMER_LANGUAGES } from '#lib/base/language/language.ts'
import { DAY_TYPES } from '#lib/rates/rating.ts'
import { callMoney } from './customers.ts'
import {
  blankOr,
  countValue,
  flagValue,
  ledgerValue,
  linkValue,
  nextPageKey,
  qrCodeValue,
  textOrBlank,
  textValue,
} from './shapes.ts'
import { ratePrice } from './tariffs.ts'

export const languageValue = v.picklist(CUSTOMER_LANGUAGES)

/** The page of a customer gets this with its session. */
export const portal = v.object({
  language: languageValue,
  seller: linkValue,
  /** The fewest characters of a new password. */
  leastPassword: countValue,
  /** A new password needs a digit, a capital and a small letter. */
  isStrongPassword: flagValue,
})

const portalRate = v.object({
  ...ratePrice,
  days: v.picklist(DAY_TYPES),
  /** Times of a day, `HH:MM:SS`. */
  from: textValue,
  till: textValue,
  since: textOrBlank,
  until: textOrBlank,
  isBlocked: flagValue,
})

const portalDevice = v.object({
  id: countValue,
  type: textValue,
  username: textValue,
  port: countValue,
  /** The address that it calls from in place of a secret. */
  address: textOrBlank,
  hasSecret: flagValue,
  isPrimary: flagValue,
})

/** The answers about the page of a customer. */
export const PORTAL_ANSWERS = {
  /** The brand of a seller, as its customers see it; blank where nothing is set. */
  'GET /brand': v.object({
    name: textValue,
    /** A `data:` address. */
    logo: textValue,
    /** `#rrggbb` */
    colour: textValue,
    /** That of the installation. */
    language: languageValue,
  }),
  /** The money of an account in a month, in the default currency. */
  'GET /own/month': v.object({
    month: textValue,
    currency: textValue,
    calls: countValue,
    seconds: countValue,
    /** The cost of calls; null if some were stored before this was counted. */
    spent: textOrBlank,
    /** The cost of subscriptions. */
    fees: textValue,
    /** Null while no balances are kept. */
    balance: textOrBlank,
    /** How far the balance may go below 0; null without a limit. */
    credit: textOrBlank,
    ledger: ledgerValue,
    callMoney,
  }),
  /** The same of each of the last twelve months, the earliest first. */
  'GET /own/months': v.object({
    currency: textValue,
    months: v.array(v.object({ month: textValue, spent: textOrBlank, fees: textValue })),
  }),
  /** The amounts a customer has to pay, and the ways to pay them. */
  'GET /own/dues': v.object({
    /** `bank` is the text of the seller's documents; blank if it is not set. */
    seller: v.object({ name: textValue, bank: textValue }),
    /** Those that are open of the last 50 invoices, the oldest first. */
    invoices: v.array(
      v.object({
        id: countValue,
        number: textValue,
        due: textValue,
        open: textValue,
        currency: textValue,
        /** A QR code for a transfer in euros, as the path of an SVG whose unit is a module. */
        code: blankOr(qrCodeValue),
        byCard: flagValue,
      }),
    ),
    /** The reminders that the customer has got, the oldest first. */
    reminders: v.array(v.object({ day: textValue, level: countValue, to: textValue, numbers: textValue })),
  }),
  'POST /own/invoices/{id}/pay': v.object({ url: textValue }),
  'GET /own/rates': v.object({
    rates: v.array(portalRate),
    currency: textValue,
    next: nextPageKey,
  }),
  'GET /own/devices': v.object({
    /** The address of the switch; blank if it is not set. */
    server: textValue,
    devices: v.array(portalDevice),
    next: nextPageKey,
  }),
  'GET /own/devices/{id}/secret': v.object({ secret: textValue }),
}

export type BrandAnswer = v.InferOutput<(typeof PORTAL_ANSWERS)['GET /brand']>

export type PortalMonthAnswer = v.InferOutput<(typeof PORTAL_ANSWERS)['GET /own/month']>

export type PortalMonthsAnswer = v.InferOutput<(typeof PORTAL_ANSWERS)['GET /own/months']>

export type PortalDuesAnswer = v.InferOutput<(typeof PORTAL_ANSWERS)['GET /own/dues']>

export type PortalRate = v.InferOutput<typeof portalRate>

export type PortalDevice = v.InferOutput<typeof portalDevice>
