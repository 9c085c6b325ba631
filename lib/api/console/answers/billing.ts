import * as v from 'valibot'
import { MOVEMENT_KINDS } from '#lib/billing/ledger/movement-kinds.ts'
import { MAIL_STATES } from '#lib/invoicing/mail-states.ts'
import { DOCUMENT_FORMATS } from '#lib/settings/document-formats.ts'
import {
  blankOr,
  countValue,
  fileQuestion,
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
  /** The last day to pay an invoice: its own date, if no other day was agreed. */
  due: textOrBlank,
  status: v.picklist(['paid', 'unpaid', 'completed', 'pending']),
  amount: textValue,
  amountWithVat: textValue,
  /** The unpaid part of an invoice; the unassigned part of a payment. With VAT; null for a credit note. */
  open: textOrBlank,
  currency: textValue,
  comment: textOrBlank,
})

const billedProduct = v.object({ name: textValue, quantity: textValue, price: textOrBlank, sum: textValue })

const agesValue = v.object({
  not_due: textValue,
  '1_30': textValue,
  '31_60': textValue,
  '61_90': textValue,
  over_90: textValue,
})

const mailState = {
  state: v.picklist(MAIL_STATES),
  to: textValue,
  by: textValue,
  /** When it came into this state, in the zone of the installation. */
  at: textValue,
  /** The answer of the mail server. */
  answer: textValue,
  /** The level of a reminder: 1 to 3. Other mails have 0. */
  level: countValue,
}

/** A mail that waits to be sent. */
const sentAnswer = v.object({ number: textValue, to: textValue })

const assignedNoteAnswer = v.object({ number: textValue, unassigned: textValue })

const paymentAnswer = v.object({ payment: billed })

export const DOCUMENT_KIND_NAMES = ['invoices', 'credit-notes'] as const

export const FILE_FORMATS = [...DOCUMENT_FORMATS, 'calls'] as const

const documentFileAnswer = v.object({
  name: textValue,
  type: textValue,
  /** In base64. */
  content: textValue,
})

/** A file of a document, and whether the list of its calls belongs to it. */
const givenFileAnswer = v.object({ ...documentFileAnswer.entries, calls: v.boolean() })

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

/** The parts of a seller that a document prints. */
export const SELLER_PARTS = ['name', 'address', 'VAT number', 'bank'] as const

/** A page of customers, in the order of their ids. */
const monthAnswer = v.object({
  seller: v.object({ name: textValue, missing: v.array(v.picklist(SELLER_PARTS)) }),
  customers: v.array(customerMonth),
  next: nextPageKey,
})

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

const unchargedService = v.object({ id: countValue, name: textValue, price: textValue })

/** The answers about documents, months and payments. */
export const BILLING_ANSWERS = {
  'GET /documents': v.object({
    documents: v.array(billed),
    /** The sums of the documents in this answer; amounts of different currencies are never added. */
    totals: v.array(
      v.object({ currency: textValue, count: countValue, amount: textValue, amountWithVat: textValue }),
    ),
    next: nextPageKey,
  }),
  /** The debts of customers on a day, with VAT: the sum of all ages, less unassigned payments. */
  'GET /documents/ageing': v.object({
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
  }),
  /** The amount owed before a period, each entry with the sum after it, and the amount owed at its end. */
  'GET /documents/statement': v.object({
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
  }),
  /** Mails of the account's documents that wait, are on their way, were refused or are in doubt. */
  'GET /documents/mails': v.object({
    mails: v.array(
      v.object({
        ...mailState,
        kind: v.picklist(['invoices', 'credit-notes', 'reminders', 'passwords', 'emails']),
        id: countValue,
        number: textValue,
      }),
    ),
  }),
  /** Reminders that wait to be sent, and customers that have no address. */
  'POST /month/remind': v.object({ reminded: countValue, without_address: countValue }),
  'POST /documents/invoices/{invoice}/send': sentAnswer,
  'POST /documents/credit-notes/{note}/send': sentAnswer,
  'POST /documents/invoices/{invoice}/bounced': sentAnswer,
  'GET /documents/invoices/{id}': v.object({
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
    /** The ledger of its customer. */
    ledger: ledgerValue,
    /** Whether the account of the session may pay it by card. */
    byCard: flagValue,
  }),
  /** A row of the journal of balances. */
  'POST /adjustments': v.object({ id: countValue, customer: countValue, amount: textValue }),
  /** The written-off part of an invoice: with VAT in its currency, and the amount that the balance gets. */
  'POST /documents/invoices/{invoice}/write-off': v.object({
    number: textValue,
    gross: textValue,
    net: textValue,
    adjustment: countValue,
  }),
  'POST /documents/credit-notes/{note}/assign': assignedNoteAnswer,
  'POST /documents/credit-notes/{note}/unassign': assignedNoteAnswer,
  'POST /payments': paymentAnswer,
  'POST /payments/{payment}/confirm': paymentAnswer,
  'POST /payments/{payment}/assign': paymentAnswer,
  'POST /payments/{payment}/unassign': paymentAnswer,
  'POST /payments/{payment}/refund': paymentAnswer,
  'POST /payments/{payment}/take-back': paymentAnswer,
  /** A credit note, or what it would be: then its number is null. */
  'POST /documents/invoices/{invoice}/credit': v.object({
    number: textOrBlank,
    invoice: textValue,
    net: textValue,
    vat: textValue,
    gross: textValue,
    currency: textValue,
  }),
  'POST /payments/bank-file': v.object({
    format: textValue,
    /** As long as there are any, there are no rows. */
    questions: v.array(fileQuestion),
    /** The profile by which a CSV is read, in JSON: answers to further questions are added to it. */
    profile: textValue,
    counts: v.object({ pay: countValue, ask: countValue, booked: countValue, others: countValue }),
    /** The first rows that ask, then the first of those that would be booked. */
    rows: v.array(
      v.object({
        place: countValue,
        day: textValue,
        amount: textValue,
        currency: textValue,
        isCredit: flagValue,
        payer: textValue,
        text: textValue,
        isAsked: flagValue,
        /** The sentence about the row. */
        says: textValue,
        customers: v.array(v.object({ id: countValue, name: textValue })),
        invoices: v.array(textValue),
      }),
    ),
    /** The value of the parameter agreed that books these rows, or the rest of them. */
    agreed: textValue,
    booked: countValue,
    /** Rows that another request books. */
    left: countValue,
    refused: v.array(v.object({ place: countValue, reason: textValue })),
  }),
  'GET /document-files/statement': documentFileAnswer,
  'GET /document-files/ageing': documentFileAnswer,
  'GET /document-files/draft': documentFileAnswer,
  'GET /month/journal': documentFileAnswer,
  /** A page without scripts. */
  'GET /document-files/sample': v.object({ page: textValue }),
  'GET /document-files/invoices/{id}': givenFileAnswer,
  'GET /document-files/credit-notes/{id}': givenFileAnswer,
  /** The documents of a month, whose files make a zip. */
  'GET /document-files': v.object({
    documents: v.array(
      v.object({ kind: v.picklist(DOCUMENT_KIND_NAMES), id: countValue, number: textValue }),
    ),
  }),
  'GET /month': monthAnswer,
  'POST /month/issue': monthAnswer,
  /** A closed month of a journal: its last number, and the first day that is open. */
  'POST /month/close': v.object({
    month: textValue,
    seller: countValue,
    entries: countValue,
    open_from: textValue,
  }),
  /** The mails of a month: asked for now, asked for before, and without an address. */
  'POST /month/send': v.object({
    month: textValue,
    asked: countValue,
    before: countValue,
    without_address: countValue,
    /** The next request continues. */
    has_more: flagValue,
  }),
  /** The customers of a page that need attention. `currency` is the default one. */
  'GET /month/unbilled': v.object({
    currency: textValue,
    customers: v.array(unbilledUse),
    next: nextPageKey,
  }),
  /** The calls that lose money. With `next`, there are more customers than were looked at. */
  'GET /month/losses': v.object({
    /** Services with a price that no subscription pays. */
    services: v.array(unchargedService),
    /** Customers whose VAT becomes credit, because Payments_With_VAT is off. */
    taxed: v.array(linkValue),
    next: nextPageKey,
  }),
}

export type BilledRow = v.InferOutput<typeof billed>

export type DocumentsAnswer = v.InferOutput<(typeof BILLING_ANSWERS)['GET /documents']>

export type AgeingAnswer = v.InferOutput<(typeof BILLING_ANSWERS)['GET /documents/ageing']>

export type StatementAnswer = v.InferOutput<(typeof BILLING_ANSWERS)['GET /documents/statement']>

export type InvoiceAnswer = v.InferOutput<(typeof BILLING_ANSWERS)['GET /documents/invoices/{id}']>

export type CreditAnswer = v.InferOutput<
  (typeof BILLING_ANSWERS)['POST /documents/invoices/{invoice}/credit']
>

export type BankFileAnswer = v.InferOutput<(typeof BILLING_ANSWERS)['POST /payments/bank-file']>

export type GivenFileAnswer = v.InferOutput<typeof givenFileAnswer>

export type DocumentFileAnswer = v.InferOutput<typeof documentFileAnswer>

export type MonthAnswer = v.InferOutput<typeof monthAnswer>

export type UnbilledAnswer = v.InferOutput<(typeof BILLING_ANSWERS)['GET /month/unbilled']>
