import { namesIn } from '#lib/base/collections.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { type CreditNote, listCreditNotes } from '#lib/billing/credit-note.ts'
import type { OwnedDocument, PlaceRange } from '#lib/billing/document.ts'
import { type Invoice, listInvoices } from '#lib/billing/invoice.ts'
import type { Store } from '#lib/table/store.ts'
import { daysOfMonth, type Month } from '../month.ts'
import { frozenParties } from '../parties.ts'
import { ciiOf } from './cii.ts'
import type { DocumentWords } from './document-facts.ts'
import { documentPage } from './document-page.ts'
import { documentPdf } from './document-pdf.ts'
import { charactersOutsideFont } from './pdf-page.ts'
import { itemisedCalls, type ListedCalls } from './printed-call.ts'
import {
  type DocumentSource,
  type PrintedDocument,
  printedCreditNote,
  printedInvoice,
} from './printed-document.ts'
import { ublOf } from './ubl.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly no_list_of_calls: { readonly number: string }
  }
}

export type FoundDocument =
  | { readonly kind: 'invoice'; readonly document: OwnedDocument<Invoice> }
  | { readonly kind: 'credit note'; readonly document: OwnedDocument<CreditNote> }

const PDF = { type: 'application/pdf', ending: 'pdf' } as const
const XML = { type: 'application/xml; charset=utf-8', ending: 'xml' } as const
const HTML = { type: 'text/html; charset=utf-8', ending: 'html' } as const

/** The files of a document. The list of an invoice's calls is a file of its own. */
const FORMATS = {
  pdf: PDF,
  html: HTML,
  ubl: XML,
  peppol: XML,
  xrechnung: XML,
  cii: XML,
  'factur-x': PDF,
  calls: PDF,
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

/** Whether the customer gets the list of its calls with a document. */
export const listsCalls = ({ kind, document }: FoundDocument): boolean =>
  kind === 'invoice' &&
  document.period_from !== undefined &&
  frozenParties(document.parties)?.buyer.itemised === true

/** Makes a file of a document. Throws Refusal for one without calls; its pieces do for a lacking fact. */
export async function rendered(
  source: DocumentSource,
  found: FoundDocument,
  format: DocumentFormat,
): Promise<Rendered> {
  const printed = await printedDocument(source, found)
  const calls = format === 'calls' ? callsOf(source, found) : undefined
  return renderedWith(found, format, printed, calls)
}

/** In place of the list of an invoice's calls, after they were forgotten. */
export const renderedNote = async (source: DocumentSource, found: FoundDocument): Promise<Rendered> =>
  renderedWith(found, 'calls', await printedDocument(source, found), 'erased')

function renderedWith(
  found: FoundDocument,
  format: DocumentFormat,
  printed: PrintedDocument,
  calls: ListedCalls | undefined,
): Rendered {
  const lacking = FORMATS[format] === PDF ? lackingIn(printed) : ''
  const { type, ending } = lacking === '' ? FORMATS[format] : HTML
  return {
    name: fileNameOf(found, `${format === 'calls' ? '-calls' : ''}.${ending}`),
    type,
    lacking,
    pieces: type === HTML.type ? pageOf(printed, calls) : piecesOf(printed, format, calls),
  }
}

function callsOf(source: DocumentSource, { kind, document }: FoundDocument): ListedCalls {
  const calls = kind === 'invoice' ? itemisedCalls(source, document) : undefined
  if (calls) return calls
  throw new Refusal('no_list_of_calls', { number: document.number })
}

const lackingIn = (document: PrintedDocument): string =>
  charactersOutsideFont(JSON.stringify({ ...document, brand: document.brand.footer }))
    .slice(0, 8)
    .map((one) => (/[\p{L}\p{N}]/u.test(one) ? one : `U+${one.codePointAt(0)?.toString(16).toUpperCase()}`))
    .join(' ')

async function* piecesOf(
  printed: PrintedDocument,
  format: DocumentFormat,
  calls: ListedCalls | undefined,
): AsyncGenerator<Uint8Array> {
  if (FORMATS[format] === PDF)
    return yield* documentPdf(printed, calls, format === 'factur-x' ? ciiOf(printed) : undefined)
  const isUbl = format === 'ubl' || format === 'peppol' || format === 'xrechnung'
  yield Buffer.from(isUbl ? ublOf(printed, format) : ciiOf(printed))
}

/** The bytes of a document as a page to print. */
async function* pageOf(...document: Parameters<typeof documentPage>): AsyncGenerator<Uint8Array> {
  for await (const text of documentPage(...document)) yield Buffer.from(text)
}

/** A print without a number, such as a statement, in words of its own. */
export function renderedAs(
  printed: PrintedDocument,
  words: DocumentWords,
  name: string,
  format: 'pdf' | 'html',
): Rendered {
  const lacking = format === 'pdf' ? lackingIn(printed) : ''
  const { type, ending } = format === 'pdf' && lacking === '' ? PDF : HTML
  const pieces =
    ending === 'pdf' ? documentPdf(printed, undefined, undefined, words) : pageOf(printed, undefined, words)
  return { name: `${nameOfFile(name)}.${ending}`, type, lacking, pieces }
}

/** A number may have characters that no name of a file has. */
const nameOfFile = (text: string): string => text.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')

const fileNameOf = ({ document: { number, id } }: FoundDocument, end: string): string =>
  `${nameOfFile(number) || id}${end}`

/** A month's documents, issued after its last day: the invoices by number, then the credit notes. */
export async function* documentsOfMonth(
  store: Store,
  scope: LimitedScope,
  month: Month,
): AsyncGenerator<FoundDocument> {
  const { till: from } = daysOfMonth(month)
  for await (const page of documentsOfDays(store, scope, { from }))
    yield* page.filter(({ document }) => document.month === month)
}

/** The documents that were issued on these days: the invoices by number, then the credit notes. */
export async function* documentsOfDays(
  store: Store,
  scope: LimitedScope,
  days: PlaceRange,
): AsyncGenerator<FoundDocument[]> {
  for await (const page of listInvoices(store, scope, days)) yield page.map(asInvoice)
  for await (const page of listCreditNotes(store, scope, days))
    yield page.map((document) => ({ kind: 'credit note', document }))
}

export const asInvoice = (document: OwnedDocument<Invoice>): FoundDocument => ({ kind: 'invoice', document })
