import * as v from 'valibot'
import {
  accountType,
  blankOr,
  countValue,
  flagValue,
  ledgerValue,
  linkValue,
  nextPageKey,
  textOrBlank,
  textValue,
} from './shapes.ts'

const customer = v.object({
  id: countValue,
  username: textValue,
  /** Its company, or its person. */
  name: textValue,
  /** The person of a company. */
  person: textOrBlank,
  type: accountType,
  owner: blankOr(linkValue),
  tariff: blankOr(linkValue),
  currency: textValue,
  /** In the default currency; null while no balances are kept. */
  balance: textOrBlank,
  /** What makes it: the first three less the last two. */
  balanceParts: blankOr(
    v.object({
      opening: textValue,
      paid: textValue,
      adjusted: textValue,
      charged: textValue,
      fees: textValue,
    }),
  ),
  devices: countValue,
  blocked: flagValue,
})

export type CustomerRow = v.InferOutput<typeof customer>

export const customersAnswer = v.object({ customers: v.array(customer), next: nextPageKey })

export type CustomersAnswer = v.InferOutput<typeof customersAnswer>

const device = v.object({
  id: countValue,
  name: textValue,
  type: textValue,
  address: textOrBlank,
  isPrimary: flagValue,
})

/** The limits of the calls of an account. Blank means unlimited. Money is in the default currency. */
const limits = v.object({
  postpaid: flagValue,
  /** How far its balance may go below 0. */
  credit: textOrBlank,
  /** Money a day. */
  day: textOrBlank,
  /** Concurrent calls. */
  calls: blankOr(countValue),
  /** The highest rate of a minute. */
  rate: textOrBlank,
  /** The seconds that a call may hold; blank is the setting Reserve_Seconds. */
  reserveSeconds: blankOr(countValue),
})

/** The money that is held for a call that was allowed, until its CDR comes. */
const hold = v.object({
  /** As `npx tollgate holds release` takes it. */
  name: textValue,
  /** When the switch asked. */
  asked: textValue,
  amount: textValue,
  seconds: countValue,
  /** The hold may be dropped from then on. */
  until: textValue,
})

/** What calls may still cost, in the default currency; null without Call_Control or a limit. */
export const callMoney = blankOr(
  v.object({
    /** Less what is held; null without a limit of money. */
    left: textOrBlank,
    held: textValue,
    /** The oldest first. */
    holds: v.array(hold),
  }),
)

export const customerAnswer = v.object({
  customer,
  limits,
  callMoney,
  agreement: textOrBlank,
  clientId: textOrBlank,
  /** At most 500 of them. */
  devices: v.array(device),
  deviceCount: countValue,
  /** One for each currency; null where the documents of this account are not for the eyes of the session. */
  ledger: blankOr(ledgerValue),
  mayBlock: flagValue,
})

export type CustomerAnswer = v.InferOutput<typeof customerAnswer>

export const blockedAnswer = v.object({ id: countValue, blocked: flagValue })

export const releasedHoldsAnswer = v.object({ account: countValue, released: countValue })

/** The sum of the holds, and their number. */
export const recountedHoldsAnswer = v.object({ account: countValue, held: textValue, calls: countValue })

export const passwordSetAnswer = v.object({ id: countValue })

const charge = v.object({
  subscription: countValue,
  service: textValue,
  date: textValue,
  from: textValue,
  till: textValue,
  quantity: countValue,
  net: textValue,
  currency: textValue,
})

export const customerChargesAnswer = v.object({
  /** The setting Charges_From is set. */
  isOn: flagValue,
  /** The last 50, the newest first. */
  charges: v.array(charge),
  /** The next charge of each subscription within 32 days. */
  next: v.array(charge),
  /** A sentence for each subscription that is not charged. */
  uncharged: v.array(textValue),
})

export type CustomerChargesAnswer = v.InferOutput<typeof customerChargesAnswer>

export const customerLogAnswer = v.object({
  /** The newest first. */
  log: v.array(v.object({ at: textValue, who: textValue, change: textValue })),
  /** Only entries of the installation's log from this moment on were read; null if all were. */
  readFrom: textOrBlank,
})

export type CustomerLogAnswer = v.InferOutput<typeof customerLogAnswer>
