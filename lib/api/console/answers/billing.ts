import * as v from 'valibot'
import { MOVEMENT_KINDS } from '#lib/billing/ledger/movement-kinds.ts'
import { MAIL_STATES } from '#lib/invoicing/mails/mail-states.ts'
import {
  blankOr,
  countValue,
  flagValue,
  ledgerValue,
  linkValue,
  nextPageKey,
  textOrBlank,
  textValue,
} from './shapes.ts'

export const DOCUMENT_NAMES = ['invoices', 'credit-notes', 'payments'] as const

const billed = v.object({
  id: countValue,
  number: textValue,
  customer: linkValue,
  date: textValue,
  /** The last day to pay an invoice. */
  due: textOrBlank,
  status: v.picklist(['paid', 'unpaid', 'completed', 'pending']),
  amount: textValue,
  amountWithVat: textValue,
  /** What is not paid of an invoice; what no invoice has of a payment. With VAT; null for a credit note. */
  open: textOrBlank,
  currency: textValue,
  comment: textOrBlank,
})

export type BilledRow = v.InferOutput<typeof billed>

const billedProduct = v.object({ name: textValue, quantity: textValue, price: textOrBlank, sum: textValue })

export const documentsAnswer = v.object({
  documents: v.array(billed),
  /** The sums of the documents in this answer; amounts of different currencies are never added. */
  totals: v.array(
    v.object({ currency: textValue, count: countValue, amount: textValue, amountWithVat: textValue }),
  ),
  next: nextPageKey,
})

export type DocumentsAnswer = v.InferOutput<typeof documentsAnswer>

const agesValue = v.object({
  not_due: textValue,
  '1_30': textValue,
  '31_60': textValue,
  '61_90': textValue,
  over_90: textValue,
})

/** What customers owe on a day, with VAT: the sum of all ages, less what no invoice has. */
export const ageingAnswer = v.object({
  day: textValue,
  customers: v.array(
    v.object({
      customer: linkValue,
      currency: textValue,
      owed: textValue,
      /** By days after the due day. */
      ages: agesValue,
      unassigned: textValue,
    }),
  ),
})

export type AgeingAnswer = v.InferOutput<typeof ageingAnswer>

/** What an account owed before a period, each entry with the sum after it, and what it owes then. */
export const statementAnswer = v.object({
  customer: linkValue,
  from: textValue,
  till: textValue,
  statements: v.array(
    v.object({
      currency: textValue,
      opening: textValue,
      entries: v.array(
        v.object({
          day: textValue,
          kind: v.picklist(MOVEMENT_KINDS),
          number: textValue,
          amount: textValue,
          owed: textValue,
        }),
      ),
      closing: textValue,
    }),
  ),
})

export type StatementAnswer = v.InferOutput<typeof statementAnswer>

const mailState = {
  state: v.picklist(MAIL_STATES),
  to: textValue,
  by: textValue,
  /** When it came into this state, in the zone of the installation. */
  at: textValue,
  /** What the mail server says. */
  answer: textValue,
  /** Of a reminder: 1 to 3. Others have 0. */
  level: countValue,
}

/** Mails of the account's documents that wait, are on their way, were refused or are in doubt. */
export const openMailsAnswer = v.object({
  mails: v.array(
    v.object({
      ...mailState,
      kind: v.picklist(['invoices', 'credit-notes', 'reminders']),
      id: countValue,
      number: textValue,
    }),
  ),
})

export type OpenMailsAnswer = v.InferOutput<typeof openMailsAnswer>

/** Reminders that wait to be sent, and customers that have no address. */
export const remindedAnswer = v.object({ reminded: countValue, without_address: countValue })

export type RemindedAnswer = v.InferOutput<typeof remindedAnswer>

/** A mail that waits to be sent. */
export const sentAnswer = v.object({ number: textValue, to: textValue })

export type SentAnswer = v.InferOutput<typeof sentAnswer>

export const invoiceAnswer = v.object({
  invoice: billed,
  issuer: textValue,
  products: v.array(billedProduct),
  /** The amount with VAT less the amount. */
  vat: textValue,
  /** The number of the credit note that takes all of it back. */
  creditedBy: textOrBlank,
  /** From its issue on: amounts with VAT in its currency. `id` is that of a payment or credit note. */
  history: v.array(
    v.object({
      kind: v.picklist(MOVEMENT_KINDS),
      day: textValue,
      number: textValue,
      id: blankOr(countValue),
      amount: textValue,
    }),
  ),
  /** Its mails, for its seller, the oldest first. */
  mails: v.array(v.object(mailState)),
  /** What its customer owes. */
  ledger: ledgerValue,
  /** Whether the account of the session may pay it by card. */
  byCard: flagValue,
})

export type InvoiceAnswer = v.InferOutput<typeof invoiceAnswer>

/** A row of the journal of balances. */
export const adjustmentAnswer = v.object({ id: countValue, customer: countValue, amount: textValue })

/** What is written off of an invoice: with VAT in its currency, and what the balance gets. */
export const writeOffAnswer = v.object({
  number: textValue,
  gross: textValue,
  net: textValue,
  adjustment: countValue,
})

export type WriteOffAnswer = v.InferOutput<typeof writeOffAnswer>

export const paymentAnswer = v.object({ payment: billed })

/** A credit note, or what it would be: then its number is null. */
export const creditAnswer = v.object({
  number: textOrBlank,
  invoice: textValue,
  net: textValue,
  vat: textValue,
  gross: textValue,
  currency: textValue,
})

export type CreditAnswer = v.InferOutput<typeof creditAnswer>
