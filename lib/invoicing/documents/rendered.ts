import { namesIn } from '#lib/base/collections.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { type CreditNote, listCreditNotes } from '#lib/billing/credit-note.ts'
import type { OwnedDocument } from '#lib/billing/document.ts'
import { type Invoice, listInvoices } from '#lib/billing/invoice.ts'
import type { Store } from '#lib/table/store.ts'
import { daysOfMonth, type Month } from '../month.ts'
import { ciiOf } from './cii.ts'
import { documentPage } from './document-page.ts'
import { documentPdf } from './document-pdf.ts'
import { charactersOutsideFont } from './pdf-sheet.ts'
import { type Annex, annexOf } from './printed-call.ts'
import {
  type DocumentSource,
  type PrintedDocument,
  printedCreditNote,
  printedInvoice,
} from './printed-document.ts'
import { ublOf } from './ubl.ts'

export type FoundDocument =
  | { readonly kind: 'invoice'; readonly document: OwnedDocument<Invoice> }
  | { readonly kind: 'credit note'; readonly document: OwnedDocument<CreditNote> }

const PDF = { type: 'application/pdf', ending: 'pdf' } as const
const XML = { type: 'application/xml; charset=utf-8', ending: 'xml' } as const

/** The formats of a document. */
const FORMATS = {
  pdf: PDF,
  html: { type: 'text/html; charset=utf-8', ending: 'html' },
  ubl: XML,
  peppol: XML,
  xrechnung: XML,
  cii: XML,
  'factur-x': PDF,
} as const

export type DocumentFormat = keyof typeof FORMATS

export const DOCUMENT_FORMAT_NAMES = namesIn(FORMATS)

export const printedDocument = (source: DocumentSource, found: FoundDocument): Promise<PrintedDocument> =>
  found.kind === 'invoice'
    ? printedInvoice(source, found.document)
    : printedCreditNote(source, found.document)

/** A document as a file. */
export interface Rendered {
  readonly name: string
  readonly type: string
  /** The characters that the font of PDFs lacks: the file is a page to print then. */
  readonly lacking: string
  readonly pieces: AsyncIterable<Uint8Array>
}

/**
 * Makes a document in a format. An invoice has the list of its calls if its account wants that, or if
 * `isItemised` says so. Its pieces throw Refusal for an e-invoice that lacks a fact.
 */
export async function rendered(
  source: DocumentSource,
  found: FoundDocument,
  wanted: DocumentFormat,
  isItemised: boolean | undefined = undefined,
): Promise<Rendered> {
  const printed = await printedDocument(source, found)
  const hasAnnex = found.kind === 'invoice' && (isItemised ?? printed.buyer.itemised)
  const annex = hasAnnex ? annexOf(source, found.document) : undefined
  const lacking = FORMATS[wanted].ending === 'pdf' ? lackingIn(printed) : ''
  const format = lacking === '' ? wanted : 'html'
  return {
    name: fileNameOf(found, format),
    type: FORMATS[format].type,
    lacking,
    pieces: piecesOf(printed, annex, format),
  }
}

const lackingIn = (document: PrintedDocument): string =>
  charactersOutsideFont(JSON.stringify({ ...document, brand: document.brand.footer }))
    .slice(0, 8)
    .map((one) => (/[\p{L}\p{N}]/u.test(one) ? one : `U+${one.codePointAt(0)?.toString(16).toUpperCase()}`))
    .join(' ')

async function* piecesOf(
  printed: PrintedDocument,
  annex: Annex,
  format: DocumentFormat,
): AsyncGenerator<Uint8Array> {
  if (format === 'pdf') yield* documentPdf(printed, annex)
  else if (format === 'factur-x') yield* documentPdf(printed, annex, ciiOf(printed))
  else if (format === 'html') for await (const text of documentPage(printed, annex)) yield Buffer.from(text)
  else yield Buffer.from(format === 'cii' ? ciiOf(printed) : ublOf(printed, format))
}

/** The name of the file of a document: its number may have characters that no name of a file has. */
const fileNameOf = ({ document }: FoundDocument, format: DocumentFormat): string =>
  `${document.number.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-') || document.id}.${FORMATS[format].ending}`

/** A month's documents, issued after its last day: the invoices by number, then the credit notes. */
export async function* documentsOfMonth(
  store: Store,
  scope: LimitedScope,
  month: Month,
): AsyncGenerator<FoundDocument> {
  const { till: from } = daysOfMonth(month)
  for await (const document of ofMonth(listInvoices(store, scope, { from }), month))
    yield { kind: 'invoice', document }
  for await (const document of ofMonth(listCreditNotes(store, scope, { from }), month))
    yield { kind: 'credit note', document }
}

async function* ofMonth<D extends { readonly month: Month }>(
  pages: AsyncIterable<readonly D[]>,
  month: Month,
): AsyncGenerator<D> {
  for await (const page of pages) yield* page.filter((document) => document.month === month)
}
