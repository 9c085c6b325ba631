import { createWriteStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Zip, ZipPassThrough } from 'fflate'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import type { Days } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT, type LimitedScope } from '#lib/base/scope.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { renderedDraft } from '#lib/invoicing/documents/draft-document.ts'
import {
  type DocumentFormat,
  documentsOfMonth,
  type FoundDocument,
  listsCalls,
  type Rendered,
} from '#lib/invoicing/documents/rendered.ts'
import { renderedStatement } from '#lib/invoicing/documents/statement.ts'
import { type FileSource, givenFile } from '#lib/invoicing/documents/stored-files.ts'
import { journalFile, type WantedJournal } from '#lib/invoicing/journal/journal-file.ts'
import type { Month } from '#lib/invoicing/month.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { accountGone, findAccountNamed, findInvoiceNamed } from '../../command-line/named.ts'
import { CommandError } from '../../machine/terminal.ts'
import { documentScopeOf } from './month-tool.ts'

/** The table, and the bucket in which the files of its documents are. */
export type FilePlace = Omit<FileSource, 'settings'>

export interface WantedDocument {
  readonly number: string
  readonly format: DocumentFormat
  /** The file; without it, the standard output. */
  readonly output: string | undefined
  /** Its customer, if several sellers have given its number. */
  readonly customer: string | undefined
  /** Its seller, if the customer had another one before. */
  readonly seller?: string | undefined
}

/** Writes a document to a file or to the standard output. Throws CommandError and Refusal. */
export async function writeDocument(place: FilePlace, wanted: WantedDocument): Promise<void> {
  const { store } = place
  const found = await findDocument(store, wanted)
  const source = { ...place, settings: await settingsOf(store) }
  const { lacking, pieces } = await givenFile(source, found, wanted.format)
  if (lacking !== '')
    throw new CommandError(
      `${found.document.number} cannot be a PDF: its font lacks ${lacking}. Pass --html for a page to print`,
    )
  await writePieces(wanted.output, pieces)
}

/** The new files of an account's document: a PDF, a page to print, or both. */
export interface FilesOfAccount {
  readonly customer: string
  readonly month?: Month | undefined
  readonly pdf?: string | undefined
  readonly html?: string | undefined
}

/** Writes an account's statement, or without days the draft of a month. Throws CommandError and Refusal. */
export async function writeOfAccount(
  store: Store,
  { customer, month, ...files }: FilesOfAccount,
  now: Date,
  days?: Days,
): Promise<void> {
  const { id } = await findAccountNamed(store, customer)
  const account = await findWholeAccount(store, id)
  if (!account) throw accountGone(customer)
  const source = { store, settings: await settingsOf(store), now }
  for (const format of ['pdf', 'html'] as const) {
    const output = files[format]
    if (output === undefined) continue
    const making = days
      ? renderedStatement(source, account, days, format)
      : renderedDraft(source, account, format, month)
    await writePdf(output, await making)
  }
}

/** Writes a PDF, or a page that was asked for. Throws CommandError for text that no PDF has. */
export async function writePdf(output: string, { lacking, pieces }: Rendered): Promise<void> {
  if (lacking !== '')
    throw new CommandError(`This cannot be a PDF: its font lacks ${lacking}. Pass --html for a page to print`)
  await writeNewFile(output, pieces)
}

/** Writes pieces to a new file, or to the standard output. */
export const writePieces = (
  output: string | undefined,
  pieces: AsyncIterable<Uint8Array | string>,
): Promise<void> =>
  output === undefined
    ? pipeline(Readable.from(pieces), process.stdout, { end: false })
    : writeNewFile(output, pieces)

export async function openJournal(
  store: Store,
  { seller, ...wanted }: Pick<WantedJournal, 'month' | 'format'> & { readonly seller?: string | undefined },
  now: Date,
): Promise<AsyncIterable<Uint8Array | string>> {
  const settings = await settingsOf(store)
  const account = seller === undefined ? undefined : await findAccountNamed(store, seller)
  return journalFile({ store, settings }, { ...wanted, seller: account?.id ?? ADMIN_ACCOUNT, now })
}

/** An invoice, or else a credit note, with this number in any case of its letters. */
async function findDocument(
  store: Store,
  { number, customer, seller }: WantedDocument,
): Promise<FoundDocument> {
  const isInvoice = (await findInvoicesOfNumber(store, number)).length > 0
  if (isInvoice)
    return { kind: 'invoice', document: await findInvoiceNamed(store, number, { customer, seller }) }
  for await (const page of listCreditNotes(store, await documentScopeOf(store, { customer }))) {
    const document = page.find((note) => note.number.toLowerCase() === number.toLowerCase())
    if (document) return { kind: 'credit note', document }
  }
  throw new CommandError(
    `There is no invoice or credit note ${number}: npx tollgate invoices list shows invoices; --customer names that of a reseller`,
  )
}

export interface WantedZip {
  readonly month: Month
  readonly scope: LimitedScope
  /** Without it, each document is what its customer wants. */
  readonly format: DocumentFormat | undefined
  readonly zip: string
}

/**
 * Writes the documents of a month into a new zip, one after the other. Returns their number, and the files
 * that are pages because the font of PDFs lacks characters of them.
 */
export async function writeZip(
  place: FilePlace,
  { month, scope, format, zip }: WantedZip,
): Promise<{ readonly written: number; readonly pages: readonly string[] }> {
  const { store } = place
  const source = { ...place, settings: await settingsOf(store) }
  const pages: string[] = []
  let written = 0
  async function* entries() {
    for await (const found of documentsOfMonth(store, scope, month)) {
      for (const one of formatsFor(found, format ?? (await formatFor(store, found)))) {
        const file = await givenFile(source, found, one)
        yield file
        if (file.lacking !== '') pages.push(file.name)
      }
      written += 1
    }
    if (written === 0)
      throw new CommandError(`No documents of ${month}: npx tollgate invoices issue --month ${month}`)
  }
  await writeNewFile(zip, zipped(entries()))
  return { written, pages }
}

/** Beside a PDF is the list of calls that its customer gets. */
const formatsFor = (found: FoundDocument, format: DocumentFormat): readonly DocumentFormat[] =>
  format === 'pdf' && listsCalls(found) ? ['pdf', 'calls'] : [format]

async function formatFor(store: Store, { document }: FoundDocument): Promise<DocumentFormat> {
  const account = await findWholeAccount(store, document.user_id)
  return account?.document_format || 'pdf'
}

/** The bytes of a zip. PDFs are compressed already, so nothing is compressed again. */
async function* zipped(
  entries: AsyncIterable<Pick<Rendered, 'name' | 'pieces'>>,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  const zip = new Zip((_error, bytes) => ready.push(bytes))
  const names = new Map<string, number>()
  for await (const { name, pieces } of entries) {
    const entry = new ZipPassThrough(uniqueName(name, names))
    zip.add(entry)
    for await (const piece of pieces) {
      entry.push(piece)
      yield* ready
      ready = []
    }
    entry.push(new Uint8Array(), true)
  }
  zip.end()
  yield* ready
}

/** Two resellers may have one series of numbers. */
function uniqueName(name: string, names: Map<string, number>): string {
  const count = names.get(name) ?? 0
  names.set(name, count + 1)
  return count === 0 ? name : name.replace(/(\.\w+)$/, ` (${count + 1})$1`)
}

/** Overwrites no existing file, and leaves no unfinished one. Only this user can read the file. */
async function writeNewFile(path: string, pieces: AsyncIterable<Uint8Array | string>): Promise<void> {
  if (existsSync(path)) throw new CommandError(`${path} exists: name another file`)
  try {
    await pipeline(Readable.from(pieces), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
