import pMap from 'p-map'
import type { LimitedScope } from '#lib/domain/accounts/scope.ts'
import {
  type Columns,
  type Imported,
  id,
  importedReader,
  pack,
  ROW,
  type Row,
  requiredText,
  rowReader,
  unpacker,
} from '#lib/store/columns.ts'
import { absent, type Conditions, is, present } from '#lib/store/conditions.ts'
import { followPointers } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKeys, documentKeys, isSameKey, type Key, keyIn } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Query } from '#lib/store/requests/query.ts'
import { ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

export const DOCUMENT_KINDS = ['CREDITNOTE', 'INVOICE', 'PAYMENT', 'SUBSCRIPTION'] as const

/** What every document has: an id of its kind, and the account it belongs to. */
export interface Document {
  readonly id: number
  readonly user_id: number
  readonly currency?: string | undefined
}

/** What the table adds to a document: the owner of its account, whose lists it stands in, and its dataset row. */
export type Kept = Imported<{ readonly owner_id: number }>

export interface DocumentKind<D extends Document = Document> {
  readonly name: (typeof DOCUMENT_KINDS)[number]
  readonly pack: (document: D) => string
  readonly unpack: (item: Item) => D
  /** Reads a document and checks all of its columns, for check-data and exports. */
  readonly check: (item: Item) => D & Kept
  /** Where a document stands in its lists, which ascend by it. */
  readonly place: (document: D) => string
}

export function defineDocuments<C extends Columns & { id: typeof id; user_id: typeof id }>(
  name: DocumentKind['name'],
  columns: C,
  place: (row: Row<C>) => string,
) {
  const unpack = unpacker(columns)
  const check = rowReader(columns)
  return {
    name,
    place,
    pack: (document: Row<C>): string => pack(columns, document),
    unpack,
    check: (item: Item): Row<C> & Kept => ({ ...check(unpack(item)), ...readKept(item) }),
  } as const
}

const readKept: (item: Item) => Kept = importedReader({ owner_id: id })

// Keys

const keyOf = <D extends Document>({ name, place }: DocumentKind<D>, document: D): Key =>
  documentKeys.item(document.user_id, name, place(document))

/** Beside the packed row stand the attributes that conditions and updates name. */
export function itemOf<D extends Document>(kind: DocumentKind<D>, document: D & Kept): Key & Item {
  const key = keyOf(kind, document)
  const { owner_id } = document
  return {
    ...key,
    ...ownerIndex(kind.name, key, owner_id),
    [ROW]: kind.pack(document),
    owner_id,
    ...digestsOf(document),
  }
}

/** An invoice has a second digest, of its products. */
const digestsOf = ({
  digest,
  products_digest,
}: Document & Kept & { readonly products_digest?: string | undefined }) => ({
  digest,
  products_digest,
})

const ownerIndex = (kind: DocumentKind['name'], { SK }: Key, ownerId: number) => ({
  GSI1PK: documentKeys.ofOwner(ownerId, kind),
  GSI1SK: SK,
})

// Access patterns

/** A stretch of a list, by the leading parts of places; both ends belong to it, a missing end is open. */
export interface Stretch {
  readonly from?: string | undefined
  readonly till?: string | undefined
}

interface ListOptions extends Stretch {
  readonly newestFirst?: true
  readonly pageSize?: number
}

/** Ascending by place, page by page; no page is empty. Reads what is listed and nothing else. */
export async function* documentPages<D extends Document>(
  store: Store,
  kind: DocumentKind<D>,
  { scope, ...options }: ListOptions & { readonly scope: LimitedScope },
): AsyncGenerator<D[]> {
  const { from, till } = options
  if (from !== undefined && till !== undefined && from > till) return
  for await (const page of store.pages({ ...queryOf(kind.name, scope, options), rowOnly: true })) {
    if (page.length > 0) yield page.map(kind.unpack)
  }
}

/** The lists of an account are read consistently, those of an owner through the index. */
function queryOf(kind: DocumentKind['name'], scope: LimitedScope, options: ListOptions): Query {
  const { from, till, ...order } = options
  const whose: Pick<Query, 'partition' | 'index'> =
    'user' in scope
      ? { partition: documentKeys.ofUser(scope.user) }
      : { partition: documentKeys.ofOwner(scope.owner, kind), index: 'GSI1' }
  return { ...whose, between: documentKeys.between(kind, from, till), ...order }
}

/** In the order of the ids. */
export const findDocuments = <D extends Document>(
  store: Store,
  { name, unpack }: DocumentKind<D>,
  ids: readonly number[],
): Promise<((D & Kept) | undefined)[]> =>
  followPointers(store, ids, {
    pointer: (documentId) => documentKeys.pointer(name, documentId),
    target: (pointer) => targetOf(readPointer(pointer)),
    read: (item) => ({ ...unpack(item), ...readKept(item) }),
  })

export const readPointer = rowReader({ user_id: id, target: requiredText })

export const targetOf = ({ user_id, target }: ReturnType<typeof readPointer>): Key => ({
  PK: documentKeys.ofUser(user_id),
  SK: target,
})

/** A document as it was read, and as it shall be. */
export interface Replacement<D extends Document> {
  readonly before: (D & Kept) | undefined
  readonly after: D & Kept
}

/** A document is up to three changes, and its account one: as many fit into one transaction. */
export const DOCUMENTS_IN_ONE_TRANSACTION = 25

/**
 * Documents in place of what was read, with their pointers; all or none. Throws ConditionFailed when an account is gone
 * or has another owner by now, or a document has changed since.
 */
export function replaceDocuments<D extends Document>(
  store: Store,
  kind: DocumentKind<D>,
  replacements: readonly Replacement<D>[],
): Promise<void> {
  const owners = new Map(replacements.map(({ after }) => [after.user_id, after.owner_id]))
  return store.transact([
    ...[...owners].map(([id, owner]) => ({ check: accountKeys.item(id), when: { owner_id: is(owner) } })),
    ...replacements.flatMap((replacement) => changesFor(kind, replacement)),
  ])
}

function changesFor<D extends Document>(kind: DocumentKind<D>, { before, after }: Replacement<D>): Change[] {
  const item = itemOf(kind, after)
  const stays = before && isSameKey(keyOf(kind, before), item)
  return [
    { put: item, when: stays ? asRead(before) : { PK: absent } },
    { put: { ...documentKeys.pointer(kind.name, after.id), user_id: after.user_id, target: item.SK } },
    ...(before && !stays ? [{ remove: keyOf(kind, before), when: asRead(before) }] : []),
  ]
}

const asRead = (before: Document & Kept): Conditions =>
  Object.fromEntries(
    Object.entries(digestsOf(before)).map(([name, value]) => [
      name,
      value === undefined ? absent : is(value),
    ]),
  )

const MOVED_AT_ONCE = 16

/** Lists an account's documents with its present owner: for the import that gives an account to another one. */
export async function moveDocumentsToOwner(
  store: Store,
  { id: userId, owner_id }: { readonly id: number; readonly owner_id: number },
): Promise<void> {
  for (const kind of DOCUMENT_KINDS) {
    for await (const page of store.pages(queryOf(kind, { user: userId }, {}))) {
      const others = page.filter((item) => item['owner_id'] !== owner_id)
      await pMap(others, (item) => moveToOwner(store, kind, { ...keyIn(item), owner_id }), {
        concurrency: MOVED_AT_ONCE,
      })
    }
  }
}

/** A document that has moved away meanwhile is listed with its owner already. */
async function moveToOwner(
  store: Store,
  kind: DocumentKind['name'],
  { owner_id, ...key }: Key & { readonly owner_id: number },
): Promise<void> {
  await store
    .update(key, { set: { owner_id, ...ownerIndex(kind, key, owner_id) } }, { PK: present })
    .catch(ignoreConditionFailed)
}
