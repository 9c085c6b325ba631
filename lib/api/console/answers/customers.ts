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

const blockedAnswer = v.object({ id: countValue, blocked: flagValue })

const passwordSetAnswer = v.object({ id: countValue })

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

/** `generated` are values that were made up, such as the secret of a device: they are shown this once. */
const writtenRecordAnswer = v.object({ id: textValue, generated: values })

/** The answers about customers and records. */
export const CUSTOMER_ANSWERS = {
  'GET /customers': v.object({ customers: v.array(customer), next: nextPageKey }),
  'GET /customers/{id}': v.object({
    customer,
    limits,
    callMoney,
    agreement: textOrBlank,
    clientId: textOrBlank,
    /** At most 500 of them. */
    devices: v.array(device),
    deviceCount: countValue,
    /** One for each currency; null where the session may not see the documents of this account. */
    ledger: blankOr(ledgerValue),
    mayBlock: flagValue,
  }),
  'POST /customers/{account}/block': blockedAnswer,
  'POST /customers/{account}/unblock': blockedAnswer,
  /** Where the mail goes. */
  'POST /customers/{account}/invite': v.object({ to: textValue }),
  'POST /customers/{account}/holds/release': v.object({ account: countValue, released: countValue }),
  /** The sum of the holds, and their number. */
  'POST /customers/{account}/holds/recount': v.object({
    account: countValue,
    held: textValue,
    calls: countValue,
  }),
  'POST /customers/{account}/second-factor/reset': passwordSetAnswer,
  'POST /customers/{account}/password': passwordSetAnswer,
  'GET /customers/{id}/charges': v.object({
    /** The setting Charges_From is set. */
    isOn: flagValue,
    /** The last 50, the newest first. */
    charges: v.array(charge),
    /** The next charge of each subscription within 32 days. */
    next: v.array(charge),
    /** A sentence for each subscription that is not charged. */
    uncharged: v.array(textValue),
  }),
  'GET /customers/{id}/log': v.object({
    /** The newest first. */
    log: v.array(v.object({ at: textValue, who: textValue, change: textValue })),
    /** Only entries of the installation's log from this moment on were read; null if all were. */
    readFrom: textOrBlank,
  }),
  'GET /search': v.object({
    customers: v.array(v.object({ id: countValue, name: textValue, username: textValue })),
    invoices: v.array(v.object({ id: countValue, number: textValue, customer: linkValue })),
    /** `id` is that of the path of a call. */
    calls: v.array(v.object({ id: textValue, uniqueid: textValue, at: textValue, customer: linkValue })),
  }),
  /** A page of the records of a kind, and the fields of its form. Secrets are masked. */
  'GET /records/{kind}': v.object({
    kind: textValue,
    fields: v.array(declaredField),
    /** Each with the names of the records that it names, by column. */
    records: v.array(v.object({ ...record.entries, names: values })),
    next: nextPageKey,
    may,
  }),
  /** `names` are those of the records that it names, by column. */
  'GET /records/{kind}/{id}': v.object({
    kind: textValue,
    fields: v.array(declaredField),
    record,
    names: values,
    may,
  }),
  'POST /records/{kind}': writtenRecordAnswer,
  'PUT /records/{kind}/{id}': writtenRecordAnswer,
  'DELETE /records/{kind}/{id}': writtenRecordAnswer,
  /** A price that was set. `remarks` name, for example, prefixes that are now sold below cost. */
  'POST /tariffs/{id}/rates': v.object({
    id: textValue,
    from: textValue,
    isChanged: flagValue,
    remarks: v.array(textValue),
  }),
}

export type CustomerRow = v.InferOutput<typeof customer>

export type CustomersAnswer = v.InferOutput<(typeof CUSTOMER_ANSWERS)['GET /customers']>

export type CustomerAnswer = v.InferOutput<(typeof CUSTOMER_ANSWERS)['GET /customers/{id}']>

export type CustomerChargesAnswer = v.InferOutput<(typeof CUSTOMER_ANSWERS)['GET /customers/{id}/charges']>

export type RecordsAnswer = v.InferOutput<(typeof CUSTOMER_ANSWERS)['GET /records/{kind}']>

export type WrittenRecordAnswer = v.InferOutput<typeof writtenRecordAnswer>

export type RateSetAnswer = v.InferOutput<(typeof CUSTOMER_ANSWERS)['POST /tariffs/{id}/rates']>
