import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import type { Day, Days } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { type CustomerLanguage, formatsIn } from '#lib/base/language/language.ts'
import { isZero, type Money, multiply, round, roundedQuotient, subtract, ZERO } from '#lib/base/money.ts'
import type { CreditNote } from '#lib/billing/credit-note.ts'
import type { OwnedDocument } from '#lib/billing/document.ts'
import { findInvoicesOfAccount, type Invoice, isIssued } from '#lib/billing/invoice.ts'
import { grossOf, printedVat } from '#lib/billing/invoice-payment.ts'
import { ofNoKind, type Product, productsOf } from '#lib/billing/invoice-product.ts'
import { daysOfMonth } from '../month.ts'
import {
  type Buyer,
  buyerOf,
  type FrozenParties,
  factsOf,
  frozenParties,
  type Party,
  type PrintFacts,
  sellerOf,
} from '../parties.ts'
import { printedRowName, rowNameOf } from '../row-names.ts'
import { earlierCategoryOf, type VatCategory, vatCategoryOf } from '../vat-category.ts'
import { type Brand, findBrand, findKeptBrand } from './brand.ts'

/** An invoice or a credit note as it is printed, in any format. It has all that a format shows. */
export interface PrintedDocument {
  readonly kind: 'invoice' | 'credit note' | 'statement'
  readonly language: CustomerLanguage
  readonly number: string
  readonly issued: Day
  readonly due: Day | undefined
  readonly period: Days | undefined
  readonly seller: Party
  readonly buyer: Buyer & { readonly id: number; readonly username: string }
  readonly brand: Brand
  readonly currency: string
  readonly rows: readonly PrintedRow[]
  readonly net: Money
  readonly vat: Money
  readonly gross: Money
  /** Undefined for an imported document that does not say it. */
  readonly vatPercent: Money | undefined
  readonly vatCategory: VatCategory
  /** Why there is no VAT, as the settings say it; blank on a document with VAT. */
  readonly noVatReason: string
  /** VAT in the installation's currency, if the document has another (2006/112/EC, article 230). */
  readonly accounted: { readonly currency: string; readonly vat: Money } | undefined
  /** A prepaid account has paid it from its balance. */
  readonly isPaid: boolean
  /** The numbers of the invoices that a credit note corrects. */
  readonly corrects: readonly string[]
  readonly comment: string
  readonly paper: 'A4' | 'Letter'
  /** It keeps what its parties were at its issue. */
  readonly isFrozen?: boolean
}

/** A row. Its sum has all decimals of the currency. */
export interface PrintedRow {
  readonly name: string
  readonly prefix: string
  readonly from: Day | undefined
  readonly quantity: Money
  readonly unit: 'call' | 'piece'
  /** `HH:MM:SS`; blank for a row that is not of calls. */
  readonly time: string
  /** Undefined if quantity times price is not the sum: calls have own prices, months may be prorated. */
  readonly price: Money | undefined
  readonly sum: Money
}

export type DocumentSource = Pick<ActContext, 'store' | 'settings'>

export async function printedInvoice(
  source: DocumentSource,
  invoice: OwnedDocument<Invoice>,
): Promise<PrintedDocument> {
  const { period_from: from, period_till: till } = invoice
  return {
    ...(await commonPart(source, invoice, await allProducts(source, invoice))),
    kind: 'invoice',
    due: invoice.due_date,
    period: from === undefined || till === undefined ? undefined : { from, till },
    corrects: [],
    comment: '',
  }
}

export async function printedCreditNote(
  source: DocumentSource,
  note: OwnedDocument<CreditNote>,
): Promise<PrintedDocument> {
  const corrects = note.invoices === '' ? [] : note.invoices.split(', ')
  return {
    ...(await commonPart(source, note, await creditedProducts(source, note, corrects))),
    kind: 'credit note',
    due: undefined,
    period: note.month === '' ? undefined : daysOfMonth(note.month),
    corrects,
    comment: note.comment,
    isPaid: false,
  }
}

export const productsOfDocument = (
  source: DocumentSource,
  {
    kind,
    document,
  }:
    | { readonly kind: 'invoice'; readonly document: Invoice }
    | { readonly kind: 'credit note'; readonly document: OwnedDocument<CreditNote> },
): Promise<readonly Product[]> =>
  kind === 'invoice'
    ? allProducts(source, document)
    : creditedProducts(source, document, document.invoices.split(', '))

const allProducts = async ({ store }: DocumentSource, invoice: Invoice): Promise<Product[]> =>
  (await Array.fromAsync(productsOf(store, invoice))).flat()

/** A whole credit note has the rows of its invoice. One of an amount, or an imported one, has one row. */
async function creditedProducts(
  source: DocumentSource,
  note: OwnedDocument<CreditNote>,
  [corrected]: readonly string[],
): Promise<readonly Product[]> {
  const { products, price: sum, comment, number, user_id, owner_id } = note
  if (products && products.length > 0) return products
  const found =
    products === undefined && corrected ? await findInvoicesOfAccount(source.store, user_id, corrected) : []
  const invoice = found.find((one) => isIssued(one) && one.owner_id === owner_id)
  if (invoice) return allProducts(source, invoice)
  const blank = { discount: undefined, date_added: undefined, issue_date: undefined, service_id: undefined }
  return [
    { ...ofNoKind, ...blank, name: comment || number, quantity: '1', price: sum, sum, time: '', prefix: '' },
  ]
}

async function commonPart(
  source: DocumentSource,
  document: OwnedDocument<Invoice | CreditNote>,
  products: readonly Product[],
) {
  const { user_id, number, issue_date: issued, price: net, vat_percent: vatPercent } = document
  const { seller, buyer, facts, brand, isFrozen } = await partiesOf(source, document)
  const { username, language, vatCategory, noVatReason, paper } = facts
  const currency = document.currency || facts.currency
  const gross = grossOf(document)
  const vat = printedVat(net, gross, currency)
  const nameOf = rowNamer(document, language)
  return {
    language,
    number,
    issued,
    seller,
    buyer: { ...buyer, id: user_id, username },
    brand,
    currency,
    rows: products.map((product) => printedRow(product, currency, nameOf)),
    net,
    vat,
    gross,
    vatPercent,
    vatCategory,
    accounted: accountedVat(document, vat, facts.currency),
    noVatReason: isZero(vat) ? noVatReason : '',
    isPaid: buyer.prepaid && document.month !== '',
    paper,
    isFrozen,
  }
}

/** The parties and facts that a document keeps. One that keeps none, or an imported one, has those of now. */
async function partiesOf({ store, settings }: DocumentSource, document: OwnedDocument<Invoice | CreditNote>) {
  const frozen = frozenParties(document.parties)
  const isFrozen = frozen !== undefined
  if (frozen?.facts)
    return { ...frozen, facts: frozen.facts, isFrozen, brand: await findKeptBrand(store, frozen.facts.brand) }
  const brand = await findBrand(store, document.owner_id)
  return { ...(await presentParties({ store, settings }, document, '')), isFrozen, brand }
}

/** The parties of a document, and its facts as they are now. `brand` is the digest of its seller's look. */
export async function presentParties(
  { store, settings }: DocumentSource,
  document: OwnedDocument<Invoice | CreditNote>,
  brand: string,
): Promise<FrozenParties & { readonly facts: PrintFacts }> {
  const { owner_id, user_id, number, price, vat_percent: vatPercent } = document
  const account = await findWholeAccount(store, user_id)
  if (!account) throw new Error(`Account ${user_id} of document ${number} is gone`)
  const frozen = frozenParties(document.parties)
  const seller = frozen?.seller ?? sellerOf(settings, await findWholeAccount(store, owner_id))
  const parties = { seller, buyer: frozen?.buyer ?? buyerOf(account) }
  const { username } = account
  const printable = { username, vat: subtract(grossOf(document), price), vatPercent, brand }
  const facts = factsOf(settings, parties, printable, frozen ? earlierCategoryOf : vatCategoryOf)
  return { ...parties, facts }
}

const accountedVat = (
  { currency, exchange_rate: rate = ZERO }: Invoice | CreditNote,
  vat: Money,
  own: string,
): PrintedDocument['accounted'] =>
  currency === '' || currency === own || isZero(rate) || isZero(vat)
    ? undefined
    : { currency: own, vat: roundedQuotient(vat, rate, minorDigits(own)) }

/** The rows of an issued document are named in its language, those of an imported one are not. */
function rowNamer(
  { month }: Pick<Invoice, 'month'>,
  language: CustomerLanguage,
): (product: Product) => string {
  const formats = formatsIn(language)
  return (product) => {
    const { kind, name, service_id } = product
    if (kind !== '') return rowNameOf(product, month, language)
    return month === '' || service_id !== undefined ? name : printedRowName(name, language, formats)
  }
}

export function printedRow(
  product: Product,
  currency: string,
  nameOf: (product: Product) => string,
): PrintedRow {
  const { prefix, date_added: from, quantity, time, price, sum } = product
  const isOfPrice =
    time === '' &&
    price !== undefined &&
    round(multiply(quantity, price), minorDigits(currency)) === round(sum, minorDigits(currency))
  return {
    name: nameOf(product),
    prefix,
    from,
    quantity,
    unit: time === '' ? 'piece' : 'call',
    time,
    price: isOfPrice ? price : undefined,
    sum,
  }
}
