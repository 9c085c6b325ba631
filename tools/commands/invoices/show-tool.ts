import { findAccounts } from '#lib/accounts/account.ts'
import { findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { formatIso } from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { ADMIN_ACCOUNT, type LimitedScope } from '#lib/base/scope.ts'
import { countOf } from '#lib/base/text.ts'
import { dueDayOf, type Invoice, listInvoices } from '#lib/billing/invoice.ts'
import { grossOf, openAmount, printedVat } from '#lib/billing/invoice-payment.ts'
import { productsOf } from '#lib/billing/invoice-product.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { inMinorUnits } from '#lib/invoicing/amounts.ts'
import { asInvoice } from '#lib/invoicing/documents/rendered.ts'
import { filesKeyOf, readDocumentFiles } from '#lib/invoicing/documents/stored-files.ts'
import { mailsOf, type SentMail } from '#lib/invoicing/mailing.ts'
import { billedAccounts, requireBilled } from '#lib/invoicing/month-customers.ts'
import { frozenParties } from '#lib/invoicing/parties.ts'
import { unbilledOf } from '#lib/invoicing/unbilled.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { ledgerLines } from '../../command-line/ledger-lines.ts'
import { type ListedRow, type Listing, listingOf, type Shown } from '../../command-line/listing.ts'
import { findAccountNamed, findInvoiceNamed, withCustomers } from '../../command-line/named.ts'
import type { MonthOptions } from './month-tool.ts'

/** The invoices of a customer, or of all customers of an owner, by day of issue. */
export async function invoicesListing(store: Store, scope: LimitedScope): Promise<Listing> {
  const settings = await settingsOf(store)
  const { Default_Currency } = settings
  const ledger = 'user' in scope ? await findFigures(store, settings, scope.user, scope.seller) : []
  async function* invoices() {
    for await (const invoice of withCustomers(store, listInvoices(store, scope)))
      yield { ...columnsOf(invoice, Default_Currency), customer: invoice.customer }
  }
  const listing = await listingOf(store, 'invoice', invoices(), {
    ...{ number: 'text', customer: 'text', issued: 'text', due: 'text' },
    ...{ net: 'number', vat: 'number', gross: 'number', open: 'number', currency: 'text', status: 'text' },
  })
  return { ...listing, summary: (count) => [listing.summary(count), ...ledgerLines(ledger)].join('\n') }
}

function columnsOf(invoice: Invoice, defaultCurrency: string) {
  const currency = invoice.currency || defaultCurrency
  const gross = grossOf(invoice)
  const print = (amount: string) => inMinorUnits(amount, currency)
  return {
    number: invoice.number,
    issued: invoice.issue_date,
    due: dueDayOf(invoice),
    net: print(invoice.price),
    vat: print(printedVat(invoice.price, gross, currency)),
    gross: print(gross),
    open: print(openAmount(invoice)),
    currency,
    status: invoice.credited_by === '' ? invoice.status : `credited by ${invoice.credited_by}`,
  }
}

export async function showInvoice(
  store: Store,
  number: string,
  customer: string | undefined = undefined,
  seller: string | undefined = undefined,
): Promise<Shown> {
  const { Default_Currency, Timezone } = await settingsOf(store)
  const invoice = await findInvoiceNamed(store, number, { customer, seller })
  const [account] = await findAccounts(store, [invoice.user_id])
  const username = account?.username ?? `account ${invoice.user_id}`
  const columns = columnsOf(invoice, Default_Currency)
  const products = (await Array.fromAsync(productsOf(store, invoice))).flat()
  const rows = products.map(({ name, quantity, time, prefix, sum }, index) => ({
    row: index + 1,
    name,
    quantity,
    time: time || null,
    prefix: prefix || null,
    sum: inMinorUnits(sum, columns.currency),
  }))
  const mails = await mailsOf(store, asInvoice(invoice))
  const {
    period_from: from,
    period_till: till,
    total_time,
    exchange_rate = '1',
    vat_percent = null,
  } = invoice
  const stored = readDocumentFiles(await store.get(filesKeyOf({ kind: 'invoice', document: invoice })))
  const files = Object.entries(stored).flatMap(([format, file]) =>
    file ? [{ format, made: file.made, bytes: file.bytes, sha256: file.digest }] : [],
  )
  const isMigrated = frozenParties(invoice.parties)?.facts?.since === 'migration'
  return {
    json: {
      ...{ customer: username, ...columns, from, till, total_time, exchange_rate, vat_percent, rows, mails },
      ...{ prints_since: isMigrated ? 'migration' : 'issue', files },
    },
    lines: [
      `${columns.number} of ${username}, issued on ${columns.issued}, due on ${columns.due ?? 'no day'}: ${columns.status}`,
      ...(from === undefined ? [] : [`period: ${from} to ${till}`]),
      ...rows.map(({ row, name, quantity, sum }) => `${row}. ${name} (${quantity}): ${sum}`),
      `net ${columns.net}, VAT ${columns.vat}, gross ${columns.gross} ${columns.currency}, open ${columns.open}`,
      ...(isMigrated ? ['prints what held at its migration, not at its issue'] : []),
      ...files.map(({ format, made, sha256 }) => `${format} of ${made}, SHA-256 ${sha256}`),
      ...mails.map((mail) => mailLine(mail, Timezone)),
    ],
  }
}

const mailLine = ({ state, to, at, by, answer, level }: SentMail, zone: string): string =>
  `${level > 0 ? `reminder ${level}` : 'mail'} to ${to || 'nobody'}: ${state.replace('_', ' ')} at ${formatIso(at, zone)}, asked for by ${by}${answer && `: ${answer}`}`

const ACCOUNTS_AT_ONCE = 50

/** Unbilled work: changes of months older than Late_Months, and subscriptions that nothing charges. */
export async function unbilledListing(
  store: Store,
  { customer, seller }: Pick<MonthOptions, 'customer' | 'seller'>,
  now: Date,
): Promise<Listing> {
  const settings = await settingsOf(store)
  const owner_id = seller === undefined ? ADMIN_ACCOUNT : (await findAccountNamed(store, seller)).id
  const account = customer === undefined ? undefined : await findAccountNamed(store, customer)
  if (account) await requireBilled(store, account, owner_id)
  const ids = account ? [account.id] : billedAccounts(store, owner_id)
  return {
    columns: { customer: 'text', month: 'text', calls: 'number', charges: 'number', subscription: 'text' },
    rows: unbilledRows({ store, settings, now }, ids),
    summary: (count) => `${countOf(count, 'row')}; amounts in ${settings.Default_Currency}, without VAT`,
  }
}

async function* unbilledRows(
  run: Parameters<typeof unbilledOf>[0],
  ids: Iterable<number> | AsyncIterable<number>,
) {
  for await (const some of inBatches(ids, ACCOUNTS_AT_ONCE)) {
    const accounts = await findWholeAccounts(run.store, some)
    for (const account of accounts) if (account) yield* await rowsOfAccount(run, account)
  }
}

async function rowsOfAccount(
  run: Parameters<typeof unbilledOf>[0],
  account: WholeAccount,
): Promise<ListedRow[]> {
  const { months, subscriptions } = await unbilledOf(run, account)
  const customer = account.username
  return [
    ...months.map((month) => ({ customer, ...month })),
    ...subscriptions.map((subscription) => ({ customer, subscription })),
  ]
}
