import pMap from 'p-map'
import type { LimitedScope } from '#lib/domain/accounts/scope.ts'
import { type Columns, type Imported, id, type Row } from '#lib/store/columns.ts'
import { present } from '#lib/store/conditions.ts'
import { defineEntity, type Entity, type Requirement, type Stored } from '#lib/store/entity.ts'
import { changesOf } from '#lib/store/entity-changes.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKey, keyForm, keyIn } from '#lib/store/keys.ts'
import { packedItems, unpacker } from '#lib/store/packed-row.ts'
import { combined } from '#lib/store/requests/changes.ts'
import type { Query } from '#lib/store/requests/query.ts'
import { ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

export const DOCUMENT_KINDS = ['CREDITNOTE', 'INVOICE', 'PAYMENT', 'SUBSCRIPTION'] as const

type Kind = (typeof DOCUMENT_KINDS)[number]

/** What every document has: an id of its kind, and the account it belongs to. */
export interface Document {
  readonly id: number
  readonly user_id: number
  readonly currency?: string | undefined
}

/** A document with the owner of its account, in whose list it stands. */
export type OwnedDocument<D> = D & { readonly owner_id: number }

/** Documents of one kind. */
export interface Documents<D extends Document = Document> extends Entity<OwnedDocument<D>> {
  readonly kind: Kind
  /** Reads the packed row of a document, which is all that a list asks for. */
  readRow(item: Item): D
}

// Declaration

/**
 * Declares the documents of one kind. `place` is the text of their places in lists, which ascend by it; `computed` are values
 * in it that are no columns.
 */
export function defineDocuments<C extends Columns & { id: typeof id; user_id: typeof id }>(
  kind: Kind,
  { name, columns, place, computed, requires = [] }: DocumentDeclaration<C>,
) {
  const entity = defineEntity({
    name,
    columns: { ...columns, owner_id: id },
    items: packedItems(['owner_id']),
    key: keyForm('USER#<user_id>', `${kind}#${place}`),
    pointer: keyForm(`${kind}#<id>`, kind),
    list: keyForm(`OWNER#<owner_id>#${kind}`, `${kind}#${place}`),
    requires: [{ column: 'user_id', names: accountKey, same: ['owner_id'] }, ...requires],
    ...(computed && { computed: (row: Item) => computed(row as Row<C>) }),
  }) as unknown as Entity<OwnedDocument<Row<C>>>
  return { ...entity, kind, readRow: unpacker(columns) }
}

interface DocumentDeclaration<C extends Columns> {
  /** The noun in sentences. */
  readonly name: string
  readonly columns: C
  readonly place: string
  readonly computed?: (row: Row<C>) => Item
  readonly requires?: readonly Requirement[]
}

const ofOwner = (ownerId: number, kind: Kind): string => `OWNER#${ownerId}#${kind}`

/** `$` follows `#`: it ends a stretch with every place that begins with the last one. */
const betweenPlaces = (kind: Kind, from = '', till?: string): [from: string, till: string] => [
  `${kind}#${from}`,
  till === undefined ? `${kind}$` : `${kind}#${till}$`,
]

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
  documents: Documents<D>,
  { scope, ...options }: ListOptions & { readonly scope: LimitedScope },
): AsyncGenerator<D[]> {
  const { from, till } = options
  if (from !== undefined && till !== undefined && from > till) return
  for await (const page of store.pages({ ...queryOf(documents.kind, scope, options), rowOnly: true })) {
    if (page.length > 0) yield page.map(documents.readRow)
  }
}

/** The lists of an account are read consistently, those of an owner through the index. */
function queryOf(kind: Kind, scope: LimitedScope, options: ListOptions): Query {
  const { from, till, ...order } = options
  const whose: Pick<Query, 'partition' | 'index'> =
    'user' in scope
      ? { partition: accountKey(scope.user).PK }
      : { partition: ofOwner(scope.owner, kind), index: 'GSI1' }
  return { ...whose, between: betweenPlaces(kind, from, till), ...order }
}

/** A document as it was read, and its new state. */
export interface Replacement<D extends Document> {
  readonly before: Stored<OwnedDocument<D>> | undefined
  readonly after: Imported<OwnedDocument<D>>
}

/** A document is up to three changes, and its account one: as many fit into one transaction. */
export const DOCUMENTS_IN_ONE_TRANSACTION = 25

/**
 * Puts documents in place of what was read; all or none. Throws ConditionFailed when an account is gone or has another
 * owner by now, or a document has changed since.
 */
export const replaceDocuments = <D extends Document>(
  store: Store,
  documents: Documents<D>,
  replacements: readonly Replacement<D>[],
): Promise<void> =>
  store.transact(combined(replacements.flatMap(({ before, after }) => changesOf(documents, before, after))))

const MOVED_AT_ONCE = 16

/** Lists an account's documents with its present owner: for the import that gives an account to another one. */
export async function moveDocumentsToOwner(
  store: Store,
  { id: userId, owner_id }: { readonly id: number; readonly owner_id: number },
): Promise<void> {
  for (const kind of DOCUMENT_KINDS) {
    const moved = { set: { owner_id, GSI1PK: ofOwner(owner_id, kind) }, add: { version: 1 } }
    for await (const page of store.pages(queryOf(kind, { user: userId }, {}))) {
      const others = page.filter((item) => item['owner_id'] !== owner_id)
      // A document that has gone to another account is listed with that one's owner already.
      const move = (item: Item) =>
        store.update(keyIn(item), moved, { PK: present }).catch(ignoreConditionFailed)
      await pMap(others, move, { concurrency: MOVED_AT_ONCE })
    }
  }
}
