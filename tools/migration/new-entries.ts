import { entities } from '#lib/store/entities.ts'
import { type Entity, entriesOf, entriesSince, placesOf } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { isSameKey, isUnder, type Key, keyIn } from '#lib/store/keys.ts'
import { absent, absentOrIs, type Change, is } from '#lib/store/requests/changes.ts'
import { retryingRaces } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

/** The claims, copies and lists of an entity that tables of an earlier format do not have. */
export interface NewEntries {
  readonly entity: Entity
  /** Whether an item is a row of the entity. */
  readonly isRow: (item: Item) => boolean
  /** Whether an item has the key of a new claim or copy. */
  readonly isEntry: (item: Item) => boolean
  /** The new claims and copies of a row. */
  of(row: Item): readonly (Key & Item)[]
  /** The attributes that place a row in a new list. */
  places(row: Item): Item
}

/** What the entities declare beyond a format. */
export const newEntriesSince = (format: number, of = entities): readonly NewEntries[] =>
  of.flatMap((entity) => {
    const entries = entriesSince(entity, (since) => since > format)
    const isListed = entity.listedSince > format
    if (entries.length === 0 && !isListed) return []
    const forms = entries.map(({ key }) => isUnder(key))
    return {
      entity,
      isRow: isUnder(entity.key),
      isEntry: (item) => forms.some((isUnderForm) => isUnderForm(item)),
      of: (row) => entriesOf(entity, entries, row),
      places: (row) => (isListed ? placesOf(entity, row) : {}),
    }
  })

/** What a row lacks: claims and copies that are missing or differ, and places in a list. */
export interface Lack {
  readonly entries: readonly (Key & Item)[]
  readonly places: Item
}

export const lacksNothing = ({ entries, places }: Lack): boolean =>
  entries.length === 0 && Object.keys(places).length === 0

/** What a row lacks, by its item and what is stored under the keys of its new entries. */
export function lackOf(declared: NewEntries, item: Item, stored: readonly (Item | undefined)[]): Lack {
  const row = declared.entity.check(item)
  const hasAll = (places: Item) => Object.entries(places).every(([name, value]) => item[name] === value)
  const places = declared.places(row)
  return {
    entries: declared.of(row).filter((entry, index) => !holds(stored[index], entry)),
    places: hasAll(places) ? {} : places,
  }
}

const holds = (stored: Item | undefined, entry: Item): boolean =>
  stored !== undefined &&
  Object.entries(entry).every(([name, value]) => JSON.stringify(stored[name]) === JSON.stringify(value))

/** What a repair did. `problem` is a sentence about a row that cannot have its entries. */
export interface Repair {
  readonly added: number
  readonly listed: number
  readonly removed: number
  readonly problem?: string
}

const NOTHING: Repair = { added: 0, listed: 0, removed: 0 }

/** Adds what the row under a key lacks, unless another change of the row already did. */
export const repairRow = (store: Store, declared: NewEntries, key: Key): Promise<Repair> =>
  retryingRaces(store, async () => {
    const item = await store.get(key)
    if (!item) return NOTHING
    const row = declared.entity.check(item)
    const lack = lackOf(declared, item, await store.getMany(declared.of(row)))
    if (lacksNothing(lack)) return NOTHING
    const removed = await removeStale(store, declared, lack.entries)
    const problem = await conflictOf(store, declared, lack.entries)
    if (problem !== undefined) return { ...NOTHING, removed, problem }
    await store.transact(changesFor(declared, item, lack))
    return { added: lack.entries.length, listed: Object.keys(lack.places).length > 0 ? 1 : 0, removed }
  })

function changesFor({ entity }: NewEntries, item: Item, { entries, places }: Lack): Change[] {
  const when = { version: is(item['version']) }
  const id = idOf(entity)
  const row: Change =
    Object.keys(places).length > 0
      ? { update: keyIn(item), to: { set: places }, when }
      : { check: keyIn(item), when }
  return [row, ...entries.map((put): Change => ({ put, when: { [id]: absentOrIs(put[id]) } }))]
}

/** The column that tells the rows of an entity apart. Every entry holds it. */
const idOf = ({ pointer, key }: Entity): string => (pointer ?? key).names[0] ?? ''

/** Removes those of the entries whose rows do not have them any more. Returns how many. */
async function removeStale(store: Store, declared: NewEntries, entries: readonly Key[]): Promise<number> {
  const stored = await store.getMany(entries)
  let removed = 0
  for (const entry of stored) if (entry && (await removeIfStale(store, declared, keyIn(entry)))) removed += 1
  return removed
}

/** A sentence about an entry that another row holds. */
async function conflictOf(
  store: Store,
  { entity }: NewEntries,
  entries: readonly (Key & Item)[],
): Promise<string | undefined> {
  const id = idOf(entity)
  const stored = await store.getMany(entries)
  const index = entries.findIndex((entry, at) => {
    const holder = stored[at]?.[id]
    return holder !== undefined && holder !== entry[id]
  })
  const entry = entries[index]
  if (!entry) return undefined
  return `${entity.name} ${entry[id]} and ${entity.name} ${stored[index]?.[id]} both have ${entry.PK}: change one of them and run this again.`
}

/**
 * Removes a new entry if its row is gone or does not have it: an earlier release can change a row without its new entries.
 * Returns whether it did.
 */
export const removeIfStale = (store: Store, declared: NewEntries, key: Key): Promise<boolean> =>
  retryingRaces(store, async () => {
    const entry = await store.get(key)
    if (!entry) return false
    const { entity } = declared
    const row = await store.get(entity.key.of(entry))
    if (isOf(declared, row, entry)) return false
    const when = row ? { version: is(row['version']) } : { PK: absent }
    await store.transact([
      { remove: key, when: { [idOf(entity)]: is(entry[idOf(entity)]) } },
      { check: entity.key.of(entry), when },
    ])
    return true
  })

/** Whether a row has an entry. A row that cannot be read keeps its entries. */
export function isOf(declared: NewEntries, item: Item | undefined, entry: Item): boolean {
  if (!item) return false
  const row = readRow(declared, item)
  return !row || declared.of(row).some((own) => isSameKey(own, keyIn(entry)))
}

/** Returns `undefined` for damage. */
export function readRow({ entity }: NewEntries, item: Item): Item | undefined {
  try {
    return entity.check(item)
  } catch {
    return undefined
  }
}
