import type { Imported } from './columns.ts'
import { type Entity, entriesOf, keyOfRow, placesOf, type Requirement, type Stored } from './entity.ts'
import type { Item } from './items.ts'
import { isSameKey, type Key, type KeyForm, keyIn } from './keys.ts'
import {
  absent,
  absentOrIs,
  type Change,
  type Conditions,
  combined,
  is,
  present,
} from './requests/changes.ts'
import { ignoreConditionFailed } from './requests/retries.ts'
import type { Store } from './store.ts'

/**
 * The changes from the row that was read to its new state. Without `before` they create it, without `after`
 * they delete it. Their transaction throws ConditionFailed when the row has changed since it was read. It
 * also does when another row holds one of the claims, or a required row does not exist.
 */
export const changesOf = <R extends object>(
  entity: Entity<R>,
  before: Stored<R> | undefined,
  after: Imported<R> | undefined,
): Change[] =>
  combined([
    ...(before && after && entity.beside?.isSameItem(before, after) ? [] : rowChanges(entity, before, after)),
    ...(entity.beside?.changes(before, after) ?? []),
    ...claimChanges(entity, before, after),
    ...entryChanges(itemsOf(entity, 'copies', before), itemsOf(entity, 'copies', after), () => ({})),
    ...(entity.pointer && after && !before ? [idIsNew(entity, entity.pointer, after)] : []),
    ...entity.requires.flatMap((requirement) => requirementChanges(requirement, before, after)),
    ...entity.books.flatMap((booking) => booking.changes(before, after)),
    ...entity.posts.flatMap((posting) => posting.changes(before, after)),
  ])

function rowChanges<R>(
  entity: Entity<R>,
  before: Stored<R> | undefined,
  after: Imported<R> | undefined,
): Change[] {
  if (!before) return after ? [rowWritten(entity, { ...after, version: 1 }, { PK: absent })] : []
  const asRead: Conditions = { version: is(before.version) }
  const row = after && { ...after, version: before.version + 1 }
  const from = keyOfRow(entity, before)
  if (row && isSameKey(from, keyOfRow(entity, row))) return [rowWritten(entity, row, asRead)]
  return [{ remove: from, when: asRead }, ...(row ? [rowWritten(entity, row, { PK: absent })] : [])]
}

function rowWritten<R>(entity: Entity<R>, row: Stored<R>, when: Conditions): Change {
  const key = keyOfRow(entity, row)
  const item = { ...entity.toItem(row), ...placesOf(entity, row) }
  return entity.isShared ? { update: key, to: { set: item }, when } : { put: { ...item, ...key }, when }
}

/** The claims to put and to remove. A condition protects those that another row holds. */
function claimChanges<R>(entity: Entity<R>, before: R | undefined, after: R | undefined): Change[] {
  const [id = ''] = (entity.pointer ?? entity.key).names
  const isHolder = (claim: Item): Conditions => ({ [id]: absentOrIs(claim[id]) })
  return entryChanges(itemsOf(entity, 'claims', before), itemsOf(entity, 'claims', after), isHolder)
}

const itemsOf = <R>(entity: Entity<R>, which: 'claims' | 'copies', row: R | undefined) =>
  row === undefined ? [] : entriesOf(entity, entity[which], row)

/** Two rows with one id but different keys may be created at once. The pointer of the id decides. */
const idIsNew = <R>({ valuesOf }: Entity<R>, pointer: KeyForm, row: R): Change => ({
  check: pointer.of(valuesOf(row)),
  when: { PK: absent },
})

/** Removes the pointer of an id if it leads to no row. An interrupted deletion can leave such a pointer. */
export async function dropStalePointer<R>(
  store: Store,
  { pointer, key }: Entity<R>,
  id: number,
): Promise<void> {
  const found = pointer && (await store.get(pointer(id)))
  if (!found) return
  const changes: Change[] = [{ remove: keyIn(found) }, { check: key.of(found), when: { PK: absent } }]
  await store.transact(changes).catch(ignoreConditionFailed)
}

/** Entries that stay the same cost nothing. */
function entryChanges(
  had: readonly (Key & Item)[],
  has: readonly (Key & Item)[],
  condition: (item: Item) => Conditions,
): Change[] {
  const removed = had.filter((item) => !has.some((other) => isSameKey(item, other)))
  const added = has.filter((item) => !had.some((other) => isSameItem(item, other)))
  return [
    ...removed.map((item): Change => ({ remove: keyIn(item), when: condition(item) })),
    ...added.map((item): Change => ({ put: item, when: condition(item) })),
  ]
}

const isSameItem = (one: Item, other: Item): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A row that is named counts that, and must agree in the columns `same`. */
function requirementChanges(
  { column, names, counted, same = [], sameOnceUnless = () => false }: Requirement,
  before: Item | undefined,
  after: Item | undefined,
): Change[] {
  const [had, has] = [before?.[column], after?.[column]]
  const count = (id: unknown, by: number): Change[] =>
    counted === undefined || id === undefined || had === has
      ? []
      : [{ update: names(Number(id)), to: { add: { [counted]: by, version: 1 } }, when: { PK: present } }]
  const isNew = [column, ...same].some((name) => before?.[name] !== after?.[name])
  const agreed = Object.fromEntries(same.map((name) => [name, is(after?.[name])]))
  const checked = after && has !== undefined && same.length > 0 && isNew && !sameOnceUnless(after)
  return [
    ...count(had, -1),
    ...count(has, 1),
    ...(checked ? [{ check: names(Number(has)), when: agreed }] : []),
  ]
}
