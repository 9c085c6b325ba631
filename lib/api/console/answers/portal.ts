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

/** The brand of a seller, as its customers see it; blank where nothing is set. */
export const brandAnswer = v.object({
  name: textValue,
  /** A `data:` address. */
  logo: textValue,
  /** `#rrggbb` */
  colour: textValue,
  /** That of the installation. */
  language: languageValue,
})

export type BrandAnswer = v.InferOutput<typeof brandAnswer>

/** The page of a customer knows this beside its session. */
export const portal = v.object({
  language: languageValue,
  seller: linkValue,
  /** The fewest characters of a new password. */
  leastPassword: countValue,
  /** A new password needs a digit, a capital and a small letter. */
  isStrongPassword: flagValue,
})

/** The money of an account in a month, in the default currency. */
export const portalMonthAnswer = v.object({
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
})

export type PortalMonthAnswer = v.InferOutput<typeof portalMonthAnswer>

/** The same of each of the last twelve months, the earliest first. */
export const portalMonthsAnswer = v.object({
  currency: textValue,
  months: v.array(v.object({ month: textValue, spent: textOrBlank, fees: textValue })),
})

export type PortalMonthsAnswer = v.InferOutput<typeof portalMonthsAnswer>

/** The amounts a customer has to pay, and the ways to pay them. */
export const portalDuesAnswer = v.object({
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
})

export const portalPayAnswer = v.object({ url: textValue })

export type PortalPayAnswer = v.InferOutput<typeof portalPayAnswer>

export type PortalDuesAnswer = v.InferOutput<typeof portalDuesAnswer>

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

export type PortalRate = v.InferOutput<typeof portalRate>

export const portalRatesAnswer = v.object({
  rates: v.array(portalRate),
  currency: textValue,
  next: nextPageKey,
})

export type PortalRatesAnswer = v.InferOutput<typeof portalRatesAnswer>

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

export type PortalDevice = v.InferOutput<typeof portalDevice>

export const portalDevicesAnswer = v.object({
  /** The address of the switch; blank if it is not set. */
  server: textValue,
  devices: v.array(portalDevice),
  next: nextPageKey,
})

export type PortalDevicesAnswer = v.InferOutput<typeof portalDevicesAnswer>

export const portalSecretAnswer = v.object({ secret: textValue })
