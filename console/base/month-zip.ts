import { zipSync } from 'fflate'
import type {
  DOCUMENT_KIND_NAMES,
  DocumentFileAnswer,
  FILE_FORMATS,
  GivenFileAnswer,
} from '#lib/api/console/answers/billing.ts'
import { type QueryValues, read } from '../api/console-api.ts'
import { download } from './download.ts'

const bytesOf = ({ content }: DocumentFileAnswer): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(content), (character) => character.charCodeAt(0))

/** The text of a file, such as a page to print. */
export const textOfFile = (file: DocumentFileAnswer): string => new TextDecoder().decode(bytesOf(file))

type DocumentKind = (typeof DOCUMENT_KIND_NAMES)[number]

export type InvoiceFormat = (typeof FILE_FORMATS)[number]

/** A file of a document, and with a PDF the list of calls that the customer gets. */
async function filesOf(kind: DocumentKind, id: number, format: InvoiceFormat): Promise<GivenFileAnswer[]> {
  const fileOf = (one: InvoiceFormat) => read(`/document-files/${kind}/${id}`, { format: one })
  const file = await fileOf(format)
  return format === 'pdf' && file.calls ? [file, await fileOf('calls')] : [file]
}

export async function saveDocument(
  kind: DocumentKind,
  id: number,
  format: InvoiceFormat = 'pdf',
): Promise<void> {
  for (const file of await filesOf(kind, id, format)) download(file.name, bytesOf(file), file.type)
}

/** The statement of an account, or the draft of its running month; a customer gets its own statement. */
export async function saveOfAccount(
  what: 'statement' | 'draft' | 'ageing',
  wanted: QueryValues,
): Promise<void> {
  const file = await read(`/document-files/${what}`, wanted)
  download(file.name, bytesOf(file), file.type)
}

export async function saveJournal(month: string, format: 'csv' | 'datev'): Promise<void> {
  const file = await read('/month/journal', { month, format })
  download(file.name, bytesOf(file), file.type)
}

/** Saves the documents of a month as PDFs in one zip. Returns their number. PDFs are compressed already. */
export async function saveZipOfMonth(month: string, note: (text: string) => void): Promise<number> {
  const { documents } = await read('/document-files', { month })
  const files: Record<string, Uint8Array> = {}
  for (const [index, { kind, id }] of documents.entries()) {
    note(`${index + 1} of ${documents.length} documents`)
    for (const file of await filesOf(kind, id, 'pdf')) files[file.name] = bytesOf(file)
  }
  if (documents.length > 0) download(`${month}.zip`, zipSync(files, { level: 0 }), 'application/zip')
  return documents.length
}
