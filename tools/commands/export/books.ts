import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import pMap from 'p-map'
import { accounts } from '#lib/accounts/whole-account.ts'
import { type Done, defineAct } from '#lib/acts/act.ts'
import { ascending, inBatches } from '#lib/base/collections.ts'
import { countOf, ndjsonLine } from '#lib/base/text.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { chargeRunKey, chargeTermsKey } from '#lib/billing/charges/charge-run.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import type { DocumentEntity } from '#lib/billing/document.ts'
import { invoices, type StoredInvoice } from '#lib/billing/invoice.ts'
import { invoicePaidKey, paidKeyOf, withPaidItem } from '#lib/billing/invoice-paid.ts'
import { invoiceProductKey } from '#lib/billing/invoice-product.ts'
import { unpostedKey } from '#lib/billing/journal/posting.ts'
import { payments } from '#lib/billing/payment.ts'
import {
  paymentRequestKey,
  paymentSignatureKey,
  paymentTransactionKey,
} from '#lib/billing/payment-booking.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { BOOKS } from '#lib/dataset/import/folder.ts'
import { brandKey, keptBrandKey } from '#lib/invoicing/documents/brand.ts'
import {
  documentFilesKey,
  filedDayKey,
  ignoreStored,
  piecesOfObject,
  readDocumentFiles,
} from '#lib/invoicing/documents/stored-files.ts'
import { closedMonthKey, journalKey, journalMonthKey } from '#lib/invoicing/journal/entry.ts'
import { copiedMailing, mailingKey } from '#lib/invoicing/mailing.ts'
import { billedKey, billRunKey, presentSeriesKey, seriesKey } from '#lib/invoicing/month-items.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, callerKey, isSameKey, isUnder, type Key, keyForm, keyIn } from '#lib/table/keys.ts'
import { absent, type Change, is, keyOfChange, present } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { CommandError } from '../../machine/terminal.ts'

/*
 * The books are what rows of a dataset cannot carry: documents as they were issued, what payments pay of
 * them, sellers, the journal, what is billed, histories of accounts, and the files of documents. They go from
 * one table into another as they are, so that both owe, post and print the same.
 */

const ITEMS = 'items.ndjson'

/** The files of a dataset whose rows are in the books. */
const FILES_IN_BOOKS: readonly FileName[] = [
  ...(['payments', 'adjustments', 'charges', 'credit_notes', 'invoices', 'invoice_products'] as const),
]

const INVOICES = invoices as unknown as DocumentEntity

const DOCUMENTS = [
  ...([payments, adjustments, charges, creditNotes] as unknown as DocumentEntity[]),
  INVOICES,
]

const isDocument = (item: Item): boolean => DOCUMENTS.some(({ key }) => isUnder(key)(item))

const AS_THEY_ARE = [
  ...[invoiceProductKey, billedKey, billRunKey, seriesKey, presentSeriesKey, chargeTermsKey],
  ...[paymentTransactionKey, paymentRequestKey, paymentSignatureKey],
  ...[unpostedKey, journalKey, journalMonthKey, closedMonthKey],
  ...[brandKey, keptBrandKey, documentFilesKey, filedDayKey],
  keyForm(chargeRunKey.PK, chargeRunKey.SK),
].map(isUnder)

const isPaid = isUnder(invoicePaidKey)
const isFiles = isUnder(documentFilesKey)
const isAccount = isUnder(accountKey)
const isMailing = isUnder(mailingKey)
const isUnposted = isUnder(unpostedKey)

/** The item as the books have it; `undefined` if they do not have it. */
function lineOf(item: Item): Item | undefined {
  if (isAccount(item)) {
    const { PK, SK, history } = item
    return history === undefined ? undefined : { PK, SK, history }
  }
  if (isMailing(item)) return copiedMailing(item)
  // Products that were replaced expire.
  if (item['expires_at'] !== undefined) return undefined
  return isDocument(item) || isPaid(item) || AS_THEY_ARE.some((isOne) => isOne(item)) ? item : undefined
}

/** Writes the books of a table: `add` takes each of its items. Without any, there is no folder. */
export async function createBooks(dataset: string, openBucket: () => ArchiveBucket) {
  const folder = join(dataset, BOOKS)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(join(folder, ITEMS), 'wx', 0o600)
  let count = 0
  return {
    add: async (item: Item): Promise<void> => {
      const line = lineOf(item)
      if (!line) return
      count += 1
      const sorted = Object.fromEntries(Object.entries(line).sort(([one], [other]) => ascending(one, other)))
      await file.write(ndjsonLine(sorted))
      if (isFiles(line)) await copyFiles(line, openBucket(), folder)
    },
    keep: async (): Promise<number> => {
      await file.close()
      if (count === 0) await rm(folder, { recursive: true })
      return count
    },
    discard: async (): Promise<void> => {
      await file.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const filesOf = (item: Item) => Object.values(readDocumentFiles(item)).filter((file) => file !== undefined)

async function copyFiles(item: Item, bucket: ArchiveBucket, folder: string): Promise<void> {
  for (const { key } of filesOf(item)) {
    const object = await bucket.open(key)
    if (!object) throw new CommandError(`${key} is missing from the archive: npx tollgate check-data`)
    await mkdir(dirname(join(folder, key)), { recursive: true, mode: 0o700 })
    await writeFile(join(folder, key), piecesOfObject(object), { mode: 0o600 })
  }
}

export const hasBooks = (dataset: string): boolean => existsSync(join(dataset, BOOKS, ITEMS))

/** A dataset with books leaves out the files whose rows are in them. */
export const filesBesideBooks = (dataset: string) => (hasBooks(dataset) ? { without: FILES_IN_BOOKS } : {})

interface ImportedBooks {
  readonly added: number
  readonly unchanged: number
  /** A sentence for each item that the table has otherwise, or whose account is missing. */
  readonly refused: readonly string[]
}

/** The paid parts of invoices, by the names of these items: a table keeps them apart from each invoice. */
type PaidItems = ReadonlyMap<string, Item>

const ITEMS_AT_ONCE = 100
const WRITES_AT_ONCE = 8

/** Adds the books of a dataset to a table that has its accounts. Items that the table has already stay. */
export const importBooks = (dataset: string, openBucket: () => ArchiveBucket) =>
  defineAct({
    summary: 'Add the books of a dataset: documents as they were issued, the journal, histories and files',
    permission: 'settings',
    input: {},
    run: async ({ store }): Promise<Done<ImportedBooks>> => ({
      begins: `imported the books of ${dataset} (interrupted)`,
      async *steps() {
        let done: ImportedBooks = { added: 0, unchanged: 0, refused: [] }
        for await (done of addedBooks(store, join(dataset, BOOKS), openBucket))
          yield `${countOf(done.added, 'item')} added`
        const { added, refused } = done
        const did = `imported the books of ${dataset}: ${added} new, ${refused.length} refused`
        return { answer: done, did: added > 0 ? did : null }
      },
    }),
  })

/** The counts so far. */
async function* addedBooks(
  store: Store,
  folder: string,
  openBucket: () => ArchiveBucket,
): AsyncGenerator<ImportedBooks> {
  const paid = new Map<string, Item>()
  for await (const item of itemsOf(folder)) if (isPaid(item)) paid.set(nameOf(item), item)
  const done = { added: 0, unchanged: 0, refused: [] as string[] }
  for await (const batch of inBatches(itemsOf(folder), ITEMS_AT_ONCE)) {
    const own = batch.filter((item) => !isPaid(item))
    const stored = await store.getMany(own.map(keyIn))
    const add = async (item: Item, index: number): Promise<void> => {
      if (isFiles(item)) await giveFiles(item, openBucket(), folder)
      const outcome = await addItem(store, item, stored[index], paid)
      if (outcome === 'added' || outcome === 'unchanged') done[outcome] += 1
      else done.refused.push(`${nameOf(item)}: ${outcome}`)
    }
    await pMap(own.entries(), ([index, item]) => add(item, index), { concurrency: WRITES_AT_ONCE })
    yield done
  }
}

async function* itemsOf(folder: string): AsyncGenerator<Item> {
  const lines = createInterface({ input: createReadStream(join(folder, ITEMS)), crlfDelay: Infinity })
  for await (const line of lines) yield JSON.parse(line) as Item
}

const nameOf = (item: Item | Key): string => `${keyIn(item).PK} ${keyIn(item).SK}`

const OTHERWISE = 'the table has it otherwise'

async function addItem(store: Store, item: Item, stored: Item | undefined, paid: PaidItems): Promise<string> {
  if (isAccount(item)) return addHistory(store, item, stored)
  if (stored) return isDeepStrictEqual(withoutKeys(stored), withoutKeys(item)) ? 'unchanged' : OTHERWISE
  const kind = DOCUMENTS.find(({ key }) => isUnder(key)(item))
  const changes = kind ? documentAdded(kind, item, paid) : [{ put: item as Key & Item, when: { PK: absent } }]
  return (await hasWritten(store.transact(changes)))
    ? 'added'
    : 'its account is missing, or the table has it by now'
}

/** Lists follow from the item, and a change of the table counts its versions. */
const withoutKeys = ({ version: _, GSI1PK: _pk, GSI1SK: _sk, ...item }: Item): Item => item

/**
 * A document with its seller, regardless of the present owner of its account. Its entries of the journal are
 * in the books, so none is written; a later one is distinguished by the document's version.
 */
function documentAdded(kind: DocumentEntity, item: Item, paid: PaidItems): Change[] {
  const row = kind.check(item)
  const beside = kind === INVOICES ? paid.get(nameOf(paidKeyOf(row as unknown as StoredInvoice))) : undefined
  const whole = beside ? withPaidItem(row as unknown as StoredInvoice, beside) : row
  const isLeftOut = (change: Change) => isUnposted(keyOfChange(change)) || isPaid(keyOfChange(change))
  const changes = changesOf(kind, undefined, whole).filter((change) => !isLeftOut(change))
  const own = changes.map((change) => {
    if ('check' in change && isAccount(change.check)) return { ...change, when: { PK: present } }
    const isRow = 'put' in change && isSameKey(keyIn(item), change.put)
    return isRow ? { ...change, put: { ...change.put, version: item['version'] } } : change
  })
  return beside ? [...own, { put: beside as Key & Item, when: { PK: absent } }] : own
}

/** The account and its copy under its name have the history. Their present values came with its row. */
async function addHistory(store: Store, { history }: Item, stored: Item | undefined): Promise<string> {
  if (!stored) return 'the table has no such account'
  const { id, username, version, history: own } = accounts.check(stored)
  if (isDeepStrictEqual(own, history)) return 'unchanged'
  if (own !== undefined) return OTHERWISE
  const set = { history }
  await store.transact([
    { update: accountKey(id), to: { set, add: { version: 1 } }, when: { version: is(version) } },
    { update: callerKey(username), to: { set }, when: { id: is(id) } },
  ])
  return 'added'
}

async function giveFiles(item: Item, bucket: ArchiveBucket, folder: string): Promise<void> {
  for (const { key } of filesOf(item))
    await bucket.write(key, join(folder, key), undefined).catch(ignoreStored)
}
