import { daysToToday } from '#lib/acts/inputs.ts'
import { DOCUMENT_NAMES } from '#lib/api/console/answers/billing.ts'
import {
  billedRowMaker,
  billingScope,
  creditNoteRow,
  invoiceRow,
  maySeeDocument,
  paymentRow,
  totalsByCurrency,
  type UnnamedDocument,
} from '#lib/api/console/billed-rows.ts'
import { documentState } from '#lib/api/console/document-state.ts'
import { invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { shownLedger } from '#lib/api/console/shown-ledger.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { dayValue, oneWord, pathId, plainText, wholeNumber } from '#lib/api/console/values.ts'
import { ACCOUNT_TYPES, MANAGERS } from '#lib/base/account-types.ts'
import { formatIso, periodOfDay, today } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { fixed, type Money, niceDigits } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { actsFor, isOwnCustomer, type LimitedScope } from '#lib/base/scope.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import {
  type Document,
  type DocumentEntity,
  newestDocuments,
  type OwnedDocument,
  placeOfDocument,
} from '#lib/billing/document.ts'
import { findInvoices, invoices, newestInvoices } from '#lib/billing/invoice.ts'
import { printedVat } from '#lib/billing/invoice-payment.ts'
import { type Product, productsOf } from '#lib/billing/invoice-product.ts'
import { AGES, ageingOn } from '#lib/billing/ledger/ageing.ts'
import { historyOfInvoice } from '#lib/billing/ledger/invoice-history.ts'
import { accountStatements, MOST_LEDGER_DOCUMENTS } from '#lib/billing/ledger/movements.ts'
import { payments } from '#lib/billing/payment.ts'
import { takesCard } from '#lib/billing/stripe/checkout.ts'
import { asInvoice } from '#lib/invoicing/documents/rendered.ts'
import { type Mailing, mailsOf, openMails, type SentMail } from '#lib/invoicing/mailing.ts'
import { padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

const PAGE_ROWS = 50

/** The most products that an invoice shows; a longer one is for the API. */
const MOST_PRODUCTS = 500

const params = {
  kind: oneWord(...DOCUMENT_NAMES),
  customer: wholeNumber,
  status: oneWord('paid', 'unpaid', 'overdue', 'completed', 'pending'),
  from: dayValue,
  till: dayValue,
  after: plainText,
}

const ageingParams = { customer: wholeNumber, till: dayValue }

const statementParams = { customer: wholeNumber, from: dayValue, till: dayValue }

type DocumentsRequest = ConsoleRequest<typeof params>

export const resource = defineResource({
  name: 'documents',
  access: 'read',
  operations: [
    operation('GET', '/documents', {
      summary:
        'Invoices, credit notes or payments, the newest first, each in its own currency, with totals by currency.',
      callers: ACCOUNT_TYPES,
      params,
      run: async (request) => {
        const { params } = request
        const scope = await billingScope(request, params.customer)
        const { kind = 'invoices' } = params
        const { rows: wanted, next } = await matching(request, (after) =>
          READERS[kind](request, scope, after),
        )
        const documents = wanted.map(await billedRowMaker(request, wanted))
        return { documents, totals: totalsByCurrency(wanted), next }
      },
    }),
    operation('GET', '/documents/invoices/{id}', {
      summary: 'An invoice with its products, as it is printed, and what has happened to it.',
      callers: ACCOUNT_TYPES,
      params: { id: pathId },
      run: async (request) => {
        const { store, settings, params, caller } = request
        const [invoice] = await findInvoices(store, [params.id])
        if (!invoice || !maySeeDocument(caller, invoice)) throw unknownThing('invoice', params.id)
        const unnamed = invoiceRow(invoice, settings)
        const isSeller = isOwnCustomer(caller, { id: invoice.user_id, owner_id: invoice.owner_id })
        const [toRow, linkOf, history, ledger, mails] = await Promise.all([
          billedRowMaker(request, [unnamed]),
          request.link([invoice.owner_id]),
          historyOfInvoice(store, invoice, settings.Timezone),
          shownLedger(request, invoice.user_id),
          isSeller ? mailsOf(store, asInvoice(invoice)) : [],
        ])
        const products: Product[] = []
        for await (const page of productsOf(store, invoice)) {
          products.push(...page)
          if (products.length >= MOST_PRODUCTS) break
        }
        return {
          invoice: toRow(unnamed),
          issuer: linkOf(invoice.owner_id).name,
          products: products.slice(0, MOST_PRODUCTS).map(({ name, quantity, price, sum }) => ({
            name,
            quantity,
            sum,
            price: price ?? null,
          })),
          vat: printedVat(unnamed.amount, unnamed.amountWithVat, unnamed.currency),
          creditedBy: invoice.credited_by || null,
          history: history.map(({ id = null, ...event }) => ({ ...event, id })),
          mails: mails.map((mail) => shownMail(mail, settings)),
          ledger,
          byCard: invoice.user_id === caller.id && takesCard(settings, invoice),
        }
      },
    }),
    operation('GET', '/documents/mails', {
      summary:
        "Mails of the account's documents that wait, are on their way, were refused or are in doubt, up to 100 of each.",
      callers: MANAGERS,
      params: {},
      run: async ({ store, settings, caller }) => {
        const mails = await openMails(store, actsFor(caller) ?? caller.id, MOST_OPEN_MAILS)
        return { mails: mails.map((mail) => shownOpenMail(mail, settings)) }
      },
    }),
    operation('GET', '/documents/ageing', {
      summary:
        'The debts of customers by days after the due day, in each currency, on a day: today, or a past one.',
      callers: MANAGERS,
      params: ageingParams,
      run: async (request) => ageingFor(request),
    }),
    operation('GET', '/documents/statement', {
      summary:
        'The statement of an account: what it owed before a period, by default the month, each entry, and what it owes then.',
      callers: ACCOUNT_TYPES,
      params: statementParams,
      run: async (request) => statementFor(request),
    }),
  ],
})

export const handler = consoleLambda(resource)

const MOST_OPEN_MAILS = 100

const shownMail = (
  { state, to, by, at, answer, level }: SentMail,
  { Timezone }: ConsoleRequest['settings'],
) => ({
  ...{ state, to, by, at: formatIso(at, Timezone), answer, level },
})

const MAILED = {
  INVOICE: 'invoices',
  CREDITNOTE: 'credit-notes',
  REMINDER: 'reminders',
  PASSWORD: 'passwords',
  EMAIL: 'emails',
} as const

const shownOpenMail = (mail: Mailing, settings: ConsoleRequest['settings']) => ({
  ...shownMail(mail, settings),
  kind: MAILED[mail.kind],
  ...{ id: mail.of, number: mail.number },
})

const tooMany = (report: 'ageing' | 'statement', customer: string): Refusal =>
  new Refusal('too_many_documents', { most: MOST_LEDGER_DOCUMENTS, report, customer })

async function ageingFor(request: ConsoleRequest<typeof ageingParams>) {
  const { store, settings, params, clock } = request
  const scope = await billingScope(request, params.customer)
  const day = params.till ?? today(clock(), settings.Timezone)
  const found = await ageingOn(store, settings, scope, { day, most: MOST_LEDGER_DOCUMENTS })
  if (!found) throw tooMany('ageing', '')
  const linkOf = await request.link(found.map(({ user_id }) => user_id))
  const print = (amount: Money) => fixed(amount, niceDigits(settings))
  const customers = found.map(({ user_id, currency, owed, ages, unassigned }) => ({
    ...{ customer: linkOf(user_id), currency, owed: print(owed), unassigned: print(unassigned) },
    ages: Object.fromEntries(AGES.map(([age]) => [age, print(ages[age])])) as typeof ages,
  }))
  const placeOf = ({ customer, currency }: (typeof customers)[number]) => `${customer.name}\0${currency}`
  return { day, customers: customers.sort((one, other) => ascending(placeOf(one), placeOf(other))) }
}

async function statementFor(request: ConsoleRequest<typeof statementParams>) {
  const { store, settings, params, clock } = request
  const scope = await billingScope(request, params.customer)
  if (!('user' in scope)) throw invalidValue('customer is missing: a statement is of one account')
  const { from, till } = daysToToday(params, clock(), settings)
  const statements = await accountStatements(store, settings, scope, { from, till })
  if (!statements) throw tooMany('statement', String(scope.user))
  const linkOf = await request.link([scope.user])
  const print = (amount: Money) => fixed(amount, niceDigits(settings))
  return {
    ...{ customer: linkOf(scope.user), from, till },
    statements: statements.map(({ currency, opening, entries, closing }) => ({
      ...{ currency, opening: print(opening), closing: print(closing) },
      entries: entries.map(({ day, kind, number, owed, after }) => ({
        ...{ day, kind, number, amount: print(owed), owed: print(after) },
      })),
    })),
  }
}

interface Found {
  readonly rows: readonly UnnamedDocument[]
  readonly next: string | null
}

type Reader = (request: DocumentsRequest, scope: LimitedScope, after: string | undefined) => Promise<Found>

/** Pages that are read for one page of a status, about 20 units. */
const MOST_PAGES = 10

async function matching(
  { params: { status, after }, clock, settings }: DocumentsRequest,
  read: (after: string | undefined) => Promise<Found>,
): Promise<Found> {
  let page = await read(after)
  if (status === undefined) return page
  const rows: UnnamedDocument[] = []
  const day = today(clock(), settings.Timezone)
  for (let pages = 1; ; pages += 1) {
    rows.push(...page.rows.filter((row) => row.status === status || documentState(row, day) === status))
    if (page.next === null || rows.length >= PAGE_ROWS || pages === MOST_PAGES)
      return { rows, next: page.next }
    page = await read(page.next)
  }
}

type NewestWanted = Parameters<typeof newestDocuments>[2]

const readerOf =
  <D extends Document>(
    documents: DocumentEntity<D>,
    toRow: (document: D, settings: DocumentsRequest['settings']) => UnnamedDocument,
    placesOf: (request: DocumentsRequest) => {
      readonly from: string | undefined
      readonly till: string | undefined
    },
    newest: (store: Store, wanted: NewestWanted) => Promise<readonly D[]> = (store, wanted) =>
      newestDocuments(store, documents, wanted),
  ): Reader =>
  async (request, scope, after) => {
    const { store, settings } = request
    const { from, till } = placesOf(request)
    if (after !== undefined && after.length > 200) throw invalidValue('after is not a valid page key')
    // The list includes its end: the last document of the page before is read again and left out.
    const range = { from, till: after ?? till, count: PAGE_ROWS + 1 }
    const found = await newest(store, { scope, ...range })
    const place = (one: D) => placeOfDocument(documents, one as OwnedDocument<D>)
    const rows = found.filter((one) => after === undefined || place(one) !== after).slice(0, PAGE_ROWS)
    const last = found.length > PAGE_ROWS ? rows.at(-1) : undefined
    return { rows: rows.map((one) => toRow(one, settings)), next: last ? place(last) : null }
  }

const days = ({ params: { from, till } }: DocumentsRequest) => ({ from, till })

/** Payments are listed by moment. */
const moments = ({ params: { from, till }, settings: { Timezone } }: DocumentsRequest) => ({
  from: from === undefined ? undefined : padded(periodOfDay(from, Timezone).from),
  till: till === undefined ? undefined : padded(periodOfDay(till, Timezone).till),
})

const READERS: Readonly<Record<(typeof DOCUMENT_NAMES)[number], Reader>> = {
  invoices: readerOf(invoices, invoiceRow, days, newestInvoices),
  'credit-notes': readerOf(creditNotes, creditNoteRow, days),
  payments: readerOf(payments, paymentRow, moments),
}
