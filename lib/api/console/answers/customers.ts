import * as v from 'valibot'
import { CONTROLS } from '#lib/base/refusals/value-sentences.ts'
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
  /** The parts of the balance: the first three less the last two. */
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
  /** As the act `releaseHolds` takes it. */
  name: textValue,
  /** When the switch asked. */
  asked: textValue,
  amount: textValue,
  seconds: countValue,
  /** The hold may be dropped from then on. */
  until: textValue,
})

/** The money left for calls, in the default currency; null without Call_Control or a limit. */
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

/** Where the mail goes. */
export const invitedAnswer = v.object({ to: textValue })

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

export const searchAnswer = v.object({
  customers: v.array(v.object({ id: countValue, name: textValue, username: textValue })),
  invoices: v.array(v.object({ id: countValue, number: textValue, customer: linkValue })),
  /** `id` is that of the path of a call. */
  calls: v.array(v.object({ id: textValue, uniqueid: textValue, at: textValue, customer: linkValue })),
})

export type SearchAnswer = v.InferOutput<typeof searchAnswer>

/** The texts of columns, as a form sends them. */
const values = v.record(textValue, textValue)

export const declaredField = v.object({
  name: textValue,
  label: textValue,
  says: textOrBlank,
  /** The meaning of a blank value, where it is not none. */
  blank: textOrBlank,
  control: v.picklist(CONTROLS),
  choices: v.array(textValue),
  /** The kind of the records that it names. */
  of: textOrBlank,
  isRequired: flagValue,
  isSecret: flagValue,
  /** It dates a change: a new record does not have it. */
  isOfChange: flagValue,
  /** The defaults of a new record. */
  default: textValue,
})

const record = v.object({ id: textValue, name: textValue, values })

/** The rights of the account on this kind. */
const may = v.array(v.picklist(['add', 'change', 'remove']))

/** A page of the records of a kind, and the fields of its form. Secrets are masked. */
export const recordsAnswer = v.object({
  kind: textValue,
  fields: v.array(declaredField),
  /** Each with the names of the records that it names, by column. */
  records: v.array(v.object({ ...record.entries, names: values })),
  next: nextPageKey,
  may,
})

export type RecordsAnswer = v.InferOutput<typeof recordsAnswer>

/** `names` are those of the records that it names, by column. */
export const recordAnswer = v.object({
  kind: textValue,
  fields: v.array(declaredField),
  record,
  names: values,
  may,
})

export type RecordAnswer = v.InferOutput<typeof recordAnswer>

/** `generated` are values that were made up, such as the secret of a device: they are shown this once. */
export const writtenRecordAnswer = v.object({ id: textValue, generated: values })

export type WrittenRecordAnswer = v.InferOutput<typeof writtenRecordAnswer>

/** A price that was set. `remarks` name, for example, prefixes that are now sold below cost. */
export const rateSetAnswer = v.object({
  id: textValue,
  from: textValue,
  isChanged: flagValue,
  remarks: v.array(textValue),
})

export type RateSetAnswer = v.InferOutput<typeof rateSetAnswer>
