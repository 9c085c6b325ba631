import pMap from 'p-map'
import * as v from 'valibot'
import { isMoney, isPositive, type Money } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import {
  addedLater,
  type Column,
  type Columns,
  type Imported,
  id,
  money,
  optional,
  type Row,
} from '#lib/table/columns.ts'
import { type Booking, type Declaration, defineEntity, type Entity, type Stored } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, keyForm, keyIn } from '#lib/table/keys.ts'
import { packedItems, unpacker } from '#lib/table/packed-row.ts'
import { type Change, combined, present } from '#lib/table/requests/changes.ts'
import type { Query } from '#lib/table/requests/query.ts'
import { ignoreConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'

const DOCUMENT_KINDS = ['ADJUSTMENT', 'CHARGE', 'CREDITNOTE', 'INVOICE', 'PAYMENT', 'SUBSCRIPTION'] as const

type DocumentKind = (typeof DOCUMENT_KINDS)[number]

/** The columns of every document. Ids are unique within a kind. */
export interface Document {
  readonly id: number
  readonly user_id: number
  readonly currency?: string | undefined
}

/** The exchange rate of a document (booking.ts). It is blank for the default currency. */
export const documentRate: Column<Money | undefined> = addedLater(
  optional({
    ...money(),
    describes: 'decimal number above 0',
    schema: v.pipe(
      v.string(),
      v.check((value) => isMoney(value) && isPositive(value)),
    ),
  }),
  undefined,
)

/**
 * A document with its seller: the owner that its account had when it was made, whose list shows it. It keeps
 * its seller; a subscription follows its account.
 */
export type OwnedDocument<D> = D & { readonly owner_id: number }

export interface DocumentEntity<D extends Document = Document> extends Entity<OwnedDocument<D>> {
  readonly kind: DocumentKind
  /** Reads the packed row of a document and its seller. A list reads nothing else. */
  readRow(item: Item): OwnedDocument<D>
}

/**
 * Declares the documents of one kind. Lists ascend by `place`, a template of sort keys. `computed` returns
 * its values that are not columns. A document that `continues` an earlier one has the seller of that one.
 */
export function defineDocuments<C extends Columns & { id: typeof id; user_id: typeof id }>(
  kind: DocumentKind,
  {
    place,
    computed,
    claims = [],
    copies = [],
    requires = [],
    books = [],
    posts = [],
    continues = () => false,
    ...declaration
  }: Pick<Declaration<C>, 'name' | 'columns' | 'computed' | 'claims' | 'copies' | 'requires' | 'posts'> & {
    readonly place: string
    readonly books?: readonly Booking<OwnedDocument<Row<C>>>[]
    readonly continues?: (row: Row<C>) => boolean
  },
) {
  const { ofAccount, ofOwner } = listsOfKind(kind, place)
  const entity = defineEntity({
    name: declaration.name,
    columns: { ...declaration.columns, owner_id: id },
    items: packedItems(['owner_id']),
    key: ofAccount,
    pointer: keyForm(`${kind}#<id>`, kind),
    claims: claims as Declaration<Columns>['claims'] & {},
    copies: copies as Declaration<Columns>['copies'] & {},
    list: ofOwner,
    requires: [
      {
        column: 'user_id',
        names: accountKey,
        same: ['owner_id'],
        ...(hasSeller(kind) && { sameOnceUnless: (row: Item) => continues(row as Row<C>) }),
      },
      ...requires,
    ],
    books: books as unknown as Declaration<Columns>['books'] & {},
    posts: posts as Declaration<Columns>['posts'] & {},
    ...(computed && { computed: (row: Item) => computed(row as Row<C>) }),
  }) as unknown as Entity<OwnedDocument<Row<C>>>
  const unpack = unpacker(declaration.columns)
  const readRow = (item: Item) => Object.assign(unpack(item), { owner_id: Number(item['owner_id']) })
  return { ...entity, kind, readRow }
}

/** A subscription is charged by the present owner of its account. All other documents keep their seller. */
const hasSeller = (kind: DocumentKind): boolean => kind !== 'SUBSCRIPTION'

/** The owner that a document is stored with: its seller, if it has one already. */
export const ownerOfDocument = <D extends Document>(
  { kind }: Pick<DocumentEntity<D>, 'kind'>,
  { user_id }: Document,
  before: OwnedDocument<D> | undefined,
  present: number,
): number => (before?.user_id === user_id && hasSeller(kind) ? before.owner_id : present)

/** The keys of a kind's documents: their places in their account's list, and in their owner's list. */
const listsOfKind = (kind: string, place = '<place>') => ({
  ofAccount: keyForm('USER#<user_id>', `${kind}#${place}`),
  ofOwner: keyForm(`OWNER#<owner_id>#${kind}`, `${kind}#${place}`),
})

/** A range of a list, by leading parts of places. Both ends belong to it; a missing end is open. */
export interface PlaceRange {
  readonly from?: string | undefined
  readonly till?: string | undefined
}

interface ListOptions extends PlaceRange {
  readonly newestFirst?: true
  readonly pageSize?: number
}

/** Ascending by place, page by page; no page is empty. */
export async function* documentPages<D extends Document>(
  store: Store,
  documents: DocumentEntity<D>,
  { scope, ...options }: ListOptions & { readonly scope: LimitedScope },
): AsyncGenerator<OwnedDocument<D>[]> {
  const { from, till } = options
  if (from !== undefined && till !== undefined && from > till) return
  const seller = 'user' in scope ? scope.seller : undefined
  const query = { ...documentQuery(documents.kind, scope, options), attributes: [ROW, 'owner_id'] }
  for await (const page of store.pages(query)) {
    const wanted = seller === undefined ? page : page.filter((item) => item['owner_id'] === seller)
    if (wanted.length > 0) yield wanted.map(documents.readRow)
  }
}

/** The lists of an account are read consistently, those of an owner through the index. */
export function documentQuery(
  kind: DocumentKind | 'INVOICEPAID',
  scope: LimitedScope,
  options: ListOptions,
): Query {
  const { from = '', till = '', ...order } = options
  const { ofAccount, ofOwner } = listsOfKind(kind)
  const { partition, prefix } = 'user' in scope ? ofAccount.range(scope.user) : ofOwner.range(scope.owner)
  // The range includes every place that begins with `till`.
  const between = [prefix + from, `${prefix}${till}~`] as const
  return { partition, between, ...('owner' in scope && { index: 'GSI1' }), ...order }
}

/** A document's place in its lists: the next page begins before the place that ends this one. */
export const placeOfDocument = <D extends Document>(
  documents: DocumentEntity<D>,
  row: OwnedDocument<D>,
): string => documents.key.of(documents.valuesOf(row)).SK.slice(documents.kind.length + 1)

/** The newest `count` documents of a list before a place. A page of DynamoDB may end earlier. */
export async function newestDocuments<D extends Document>(
  store: Store,
  documents: DocumentEntity<D>,
  wanted: PlaceRange & { readonly scope: LimitedScope; readonly count: number },
): Promise<OwnedDocument<D>[]> {
  const { count, ...range } = wanted
  const found: OwnedDocument<D>[] = []
  for await (const page of documentPages(store, documents, {
    ...range,
    newestFirst: true,
    pageSize: count,
  })) {
    found.push(...page)
    if (found.length >= count) break
  }
  return found.slice(0, count)
}

const IDS_IN_A_MILLISECOND = 100

/** An id from the time in milliseconds, above those of datasets. A taken id fails the transaction. */
export const newDocumentId = (now: number, lostRaces: number): number =>
  now * IDS_IN_A_MILLISECOND + (lostRaces % IDS_IN_A_MILLISECOND)

/** A document as it was read, and its new state. */
export interface DocumentReplacement<D extends Document> {
  readonly before: Stored<OwnedDocument<D>> | undefined
  readonly after: Imported<OwnedDocument<D>>
}

/** A document is up to six changes and its account is one, so a transaction has room for 16 documents. */
export const DOCUMENTS_IN_ONE_TRANSACTION = 16

/**
 * The changes that replace documents. They fail when an account is gone or has another owner by now, or a
 * document has changed since it was read.
 */
export const documentsReplaced = <D extends Document>(
  documents: DocumentEntity<D>,
  replacements: readonly DocumentReplacement<D>[],
): Change[] => combined(replacements.flatMap(({ before, after }) => changesOf(documents, before, after)))

export const replaceDocuments = <D extends Document>(
  store: Store,
  documents: DocumentEntity<D>,
  replacements: readonly DocumentReplacement<D>[],
): Promise<void> => store.transact(documentsReplaced(documents, replacements))

const MOVED_AT_ONCE = 16

/** Lists an account's subscriptions under its present owner, after the account has moved to it. */
export async function moveSubscriptionsToOwner(
  store: Store,
  { id: userId, owner_id }: { readonly id: number; readonly owner_id: number },
): Promise<void> {
  const GSI1PK = listsOfKind('SUBSCRIPTION').ofOwner.partition(owner_id)
  const moved = { set: { owner_id, GSI1PK }, add: { version: 1 } }
  for await (const page of store.pages(documentQuery('SUBSCRIPTION', { user: userId }, {}))) {
    const others = page.filter((item) => item['owner_id'] !== owner_id)
    // Fails for a subscription that moved to another account meanwhile: its owner is already right.
    const move = (item: Item) =>
      store.update(keyIn(item), moved, { PK: present }).catch(ignoreConditionFailed)
    await pMap(others, move, { concurrency: MOVED_AT_ONCE })
  }
}
