import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pMap from 'p-map'
import * as v from 'valibot'
import { listOwnerIds } from '#lib/accounts/account.ts'
import { addDays, type Day, type Days, today } from '#lib/base/calendar.ts'
import { isRefusal, Refusal } from '#lib/base/refusal.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { documentPages } from '#lib/billing/document.ts'
import { invoices, isIssued, listInvoices } from '#lib/billing/invoice.ts'
import type { ArchiveServices } from '#lib/calls/archive/archive-function.ts'
import type { ArchiveBucket, ArchivedObject } from '#lib/calls/archive/bucket.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { invocation, type TimeLeft } from '#lib/table/invocation.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent, is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import type { DocumentSource } from './printed-document.ts'
import {
  asInvoice,
  DOCUMENT_FORMAT_NAMES,
  type DocumentFormat,
  documentsOfDays,
  type FoundDocument,
  listsCalls,
  type Rendered,
  rendered,
  renderedNote,
} from './rendered.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly document_files_unknown: { readonly number: string }
    readonly document_file_lost: { readonly number: string; readonly file: string }
  }
}

/**
 * The files that a document has, by format: their bytes are served from then on, even if a later release
 * prints others. They are in the bucket of the archive, and this item has their digests.
 */
export const documentFilesKey = keyForm('DOCUMENTFILES#<kind>#<document_id>', 'DOCUMENTFILES')

const fileSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    key: v.string(),
    /** SHA-256. */
    digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    bytes: v.number(),
    name: v.string(),
    type: v.string(),
    /** The characters for which a PDF is a page to print. */
    lacking: v.string(),
    /** The day on which it was made. A document of an earlier release is older than its files. */
    made: v.string(),
  }),
)

type GivenFile = v.InferOutput<typeof fileSchema>

const filesSchema = v.object(
  Object.fromEntries(DOCUMENT_FORMAT_NAMES.map((format) => [format, v.optional(fileSchema)])) as Record<
    DocumentFormat,
    v.OptionalSchema<typeof fileSchema, undefined>
  >,
)

export const readDocumentFiles = (
  item: Item | undefined,
): { readonly [F in DocumentFormat]?: GivenFile | undefined } => v.parse(filesSchema, item ?? {})

export const filesKeyOf = ({
  kind,
  document,
}: Pick<FoundDocument, 'kind'> & { readonly document: Pick<FoundDocument['document'], 'id'> }) =>
  documentFilesKey(kind === 'invoice' ? 'INVOICE' : 'CREDITNOTE', document.id)

/** The table and the bucket of its archive, which may be unknown to a process. */
export interface FileSource extends DocumentSource {
  readonly bucket: ArchiveBucket | undefined
  readonly now: Date
}

/**
 * A file of a document: the stored one, or a new one, which is stored before it is given. An imported
 * document is printed by the system that issued it: it has the files that it came with. Throws Refusal.
 */
export async function givenFile(
  source: FileSource,
  found: FoundDocument,
  format: DocumentFormat,
): Promise<Rendered> {
  const stored = readDocumentFiles(await source.store.get(filesKeyOf(found)))[format]
  if (!stored && !isIssued(found.document)) return rendered(source, found, format)
  const bucket = bucketOf(source, found)
  const file = stored ?? (await storeFile({ ...source, bucket }, found, format))
  return { ...file, pieces: piecesOf(bucket, found, file) }
}

function bucketOf({ bucket }: FileSource, { document: { number } }: FoundDocument): ArchiveBucket {
  if (bucket) return bucket
  throw new Refusal('document_files_unknown', { number })
}

async function* piecesOf(
  bucket: ArchiveBucket,
  { document: { number } }: FoundDocument,
  { key, bytes }: GivenFile,
): AsyncGenerator<Uint8Array> {
  const object = await bucket.open(key)
  if (object?.bytes !== bytes) throw new Refusal('document_file_lost', { number, file: key })
  yield* piecesOfObject(object)
}

const PIECE_BYTES = 1_000_000

export async function* piecesOfObject({ bytes, read }: ArchivedObject): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes; from += PIECE_BYTES) yield read(from, Math.min(bytes, from + PIECE_BYTES))
}

/** A sentence about a file that is missing from the archive, or has other bytes than were given. */
export async function wrongFile(
  bucket: ArchiveBucket,
  { key, digest }: GivenFile,
): Promise<string | undefined> {
  const object = await bucket.open(key)
  if (!object) return `${key}, a file of a document, is missing from the archive.`
  const hash = createHash('sha256')
  for await (const piece of piecesOfObject(object)) hash.update(piece)
  return hash.digest('hex') === digest
    ? undefined
    : `${key} is not the file that was given: its digest differs.`
}

// Storing

interface Storing extends FileSource {
  readonly bucket: ArchiveBucket
}

/** The first file counts if two runs store one at once. */
async function storeFile(source: Storing, found: FoundDocument, format: DocumentFormat): Promise<GivenFile> {
  const { store } = source
  const file = await writeFile(source, found, format, await rendered(source, found, format))
  const key = filesKeyOf(found)
  const set = { [format]: JSON.stringify(file) }
  if (await hasWritten(store.update(key, { set }, { [format]: absent }))) return file
  return readDocumentFiles(await store.get(key))[format] ?? file
}

/** A file is in the bucket before the table names it. A temporary file holds its pieces meanwhile. */
async function writeFile(
  { bucket, settings, now }: Storing,
  found: FoundDocument,
  format: DocumentFormat,
  { pieces, ...file }: Rendered,
): Promise<GivenFile> {
  const folder = await mkdtemp(join(tmpdir(), 'document-'))
  try {
    const path = join(folder, 'file')
    const hash = createHash('sha256')
    let bytes = 0
    const counted = async function* () {
      for await (const piece of pieces) {
        hash.update(piece)
        bytes += piece.length
        yield piece
      }
    }
    await pipeline(Readable.from(counted()), createWriteStream(path, { mode: 0o600 }))
    const digest = hash.digest('hex')
    const key = objectKey(found, format, { digest, name: file.name })
    await bucket.write(key, path, undefined).catch(ignoreStored)
    return { key, digest, bytes, ...file, made: today(now, settings.Timezone) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The digest is in the key: an object of this key has these bytes. */
export function ignoreStored(error: unknown): void {
  if (!isRefusal(error, 'object_changed')) throw error
}

const DIGITS_OF_KEY = 16

/** By seller, year and number. Some numbers differ only in characters that a key has not. */
function objectKey(
  { document: { owner_id, issue_date, number, id } }: FoundDocument,
  format: DocumentFormat,
  { digest, name }: Pick<GivenFile, 'digest' | 'name'>,
): string {
  const readable = number.replaceAll(/[^A-Za-z0-9_-]+/g, '-')
  const ending = name.slice(name.lastIndexOf('.') + 1)
  const file = `${readable}-${id}-${format}-${digest.slice(0, DIGITS_OF_KEY)}.${ending}`
  return `documents/${owner_id}/${issue_date.slice(0, 4)}/${file}`
}

// Forgetting

/** Replaces the stored lists of the calls of an account by a note. The invoices stay. */
export async function eraseLists(
  source: Omit<Storing, 'bucket'> & { readonly openBucket: () => ArchiveBucket },
  accountId: number,
): Promise<void> {
  for await (const page of listInvoices(source.store, { user: accountId }))
    for (const { found, item } of await withFiles(source, page.map(asInvoice))) {
      const list = readDocumentFiles(item).calls
      if (list) await eraseList({ ...source, bucket: source.openBucket() }, found, item?.['calls'], list)
    }
}

async function eraseList(
  source: Storing,
  found: FoundDocument,
  stored: unknown,
  list: GivenFile,
): Promise<void> {
  const note = await writeFile(source, found, 'calls', await renderedNote(source, found))
  if (note.digest === list.digest) return
  const set = { calls: JSON.stringify(note) }
  await source.store.update(filesKeyOf(found), { set }, { calls: is(stored) })
  await source.bucket.remove(list.key)
}

// The documents of past days

/** The last day of which all documents of a seller have their files. */
export const filedDayKey = keyForm('DOCUMENTDAYS', '<seller>')

const filedSchema = v.object({ till: v.string() })

export const readFiledDay = (item: Item): Day => v.parse(filedSchema, item).till

/** The run that archives calls follows it in the same function. */
const LEFT_TO_OTHERS_MS = 300_000

/** Stores the files of past days' documents, and writes a log line. Ends with an error if one has none. */
export const documentKeeper =
  ({ bucket, ...services }: ArchiveServices) =>
  async ({ getRemainingTimeInMillis }: TimeLeft): Promise<void> => {
    const { problems } = await invocation(services, 'store_documents', async ({ store, startedAt: now }) => {
      const source = { store, bucket, now, settings: await settingsOf(store) }
      return storeFilesOfPastDays(source, () => getRemainingTimeInMillis() > LEFT_TO_OTHERS_MS)
    })
    if (problems.length > 0) throw new Error(problems.join('; '))
  }

const DAYS_AT_ONCE = 31
const FILES_AT_ONCE = 4

/**
 * Stores the files of the documents that were issued up to yesterday and never printed: a PDF, UBL, and the
 * list of calls where the customer gets one. The last day of the run before is looked at again, because a
 * document appears in the list of its seller a moment after its issue.
 */
export async function storeFilesOfPastDays(source: Storing, hasTime: () => boolean) {
  const { store, settings, now } = source
  const yesterday = addDays(today(now, settings.Timezone), -1)
  const items = await store.list(filedDayKey.range())
  const filed = new Map(items.map((item) => [Number(item['SK']), readFiledDay(item)]))
  const done = { stored: 0, problems: [] as string[] }
  for (const seller of await listOwnerIds(store)) {
    let from = filed.get(seller) ?? (await firstDayOf(store, seller)) ?? yesterday
    while (filed.get(seller) !== yesterday && hasTime()) {
      const till = [addDays(from, DAYS_AT_ONCE), yesterday].sort()[0] ?? yesterday
      await storeFilesOfDays(source, { owner: seller }, { from, till }, done)
      await store.update(filedDayKey(seller), { set: { till } })
      filed.set(seller, till)
      from = till
    }
  }
  return done
}

async function firstDayOf(store: Store, seller: number): Promise<Day | undefined> {
  const first = { scope: { owner: seller }, pageSize: 1 }
  const pages = [documentPages(store, invoices, first), documentPages(store, creditNotes, first)]
  const days = await Promise.all(pages.map(async (page) => (await page.next()).value?.[0]?.issue_date))
  return days.filter((day) => day !== undefined).sort()[0]
}

async function storeFilesOfDays(
  source: Storing,
  scope: LimitedScope,
  days: Days,
  done: { stored: number; readonly problems: string[] },
): Promise<void> {
  for await (const page of documentsOfDays(source.store, scope, days)) {
    const issued = await withFiles(
      source,
      page.filter(({ document }) => isIssued(document)),
    )
    await pMap(
      issued.flatMap(({ found, item }) =>
        formatsOf(found)
          .filter((format) => item?.[format] === undefined)
          .map((format) => ({ found, format })),
      ),
      async ({ found, format }) => {
        const problem = await storeFile(source, found, format).then(() => undefined, problemOf)
        if (problem === undefined) done.stored += 1
        else if (problem !== '') done.problems.push(`${found.document.number}, ${format}: ${problem}`)
      },
      { concurrency: FILES_AT_ONCE },
    )
  }
}

const formatsOf = (found: FoundDocument): DocumentFormat[] =>
  listsCalls(found) ? ['pdf', 'ubl', 'calls'] : ['pdf', 'ubl']

/** A document that lacks what UBL needs has no such file. */
function problemOf(error: unknown): string {
  if (isRefusal(error, 'unfit_e_invoice')) return ''
  return error instanceof Error ? error.message : String(error)
}

async function withFiles({ store }: DocumentSource, documents: readonly FoundDocument[]) {
  const items = await store.getMany(documents.map(filesKeyOf))
  return documents.map((found, index) => ({ found, item: items[index] }))
}
