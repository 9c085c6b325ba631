import { namesIn } from '#lib/base/collections.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { type CreditNote, listCreditNotes } from '#lib/billing/credit-note.ts'
import type { OwnedDocument } from '#lib/billing/document.ts'
import { type Invoice, listInvoices } from '#lib/billing/invoice.ts'
import type { Store } from '#lib/table/store.ts'
import { daysOfMonth, type Month } from '../month.ts'
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

const XML = 'application/xml; charset=utf-8'

/** The formats of a document, with their content types. */
export const DOCUMENT_FORMATS = {
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
  ubl: XML,
  peppol: XML,
  xrechnung: XML,
} as const

export type DocumentFormat = keyof typeof DOCUMENT_FORMATS

export const DOCUMENT_FORMAT_NAMES = namesIn(DOCUMENT_FORMATS)

const ENDINGS = { pdf: 'pdf', html: 'html', ubl: 'xml', peppol: 'xml', xrechnung: 'xml' } as const

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
 * `isItemised` says so. Its pieces throw UblRefused.
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
  const lacking = wanted === 'pdf' ? lackingIn(printed) : ''
  const format = lacking === '' ? wanted : 'html'
  return {
    name: fileNameOf(found, format),
    type: DOCUMENT_FORMATS[format],
    lacking,
    pieces: format === 'pdf' ? documentPdf(printed, annex) : bytesOf(printed, annex, format),
  }
}

const lackingIn = (document: PrintedDocument): string =>
  charactersOutsideFont(JSON.stringify({ ...document, brand: document.brand.footer }))
    .slice(0, 8)
    .map((one) => (/[\p{L}\p{N}]/u.test(one) ? one : `U+${one.codePointAt(0)?.toString(16).toUpperCase()}`))
    .join(' ')

async function* bytesOf(
  printed: PrintedDocument,
  annex: Annex,
  format: Exclude<DocumentFormat, 'pdf'>,
): AsyncGenerator<Uint8Array> {
  if (format !== 'html') return yield Buffer.from(ublOf(printed, format))
  for await (const text of documentPage(printed, annex)) yield Buffer.from(text)
}

/** The name of the file of a document: its number may have characters that no name of a file has. */
const fileNameOf = ({ document }: FoundDocument, format: DocumentFormat): string =>
  `${document.number.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-') || document.id}.${ENDINGS[format]}`

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
