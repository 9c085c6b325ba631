import { entities } from '#lib/dataset/entities.ts'
import { type Entity, type Entry, entriesOf, idColumnOf, placesOf } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { isSameKey, isUnder, type Key, keyIn } from '#lib/table/keys.ts'
import { absent, absentOrIs, type Change, is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import type { MigrationCount } from '../../command-line/migration-progress.ts'

/** The claims, copies and lists of an entity that tables of an earlier format do not have. */
export interface NewEntries {
  readonly entity: Entity
  readonly isRow: (item: Item) => boolean
  /** Whether an item has the key of a new claim or copy. */
  readonly isEntry: (item: Item) => boolean
  /** The new claims and copies of a row. */
  of(row: Item): readonly (Key & Item)[]
  /** The attributes that place a row in a new list. */
  places(row: Item): Item
}

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

/** The item of a row, and what is stored under the keys of its new entries. */
export interface StoredRow {
  readonly item: Item
  readonly stored: readonly (Item | undefined)[]
}

/** The entries that a row lacks: claims and copies that are missing or differ, and places in a list. */
interface Lack {
  readonly entries: readonly (Key & Item)[]
  readonly places: Item
  /** Entries of the row that are stored as those of another one. */
  readonly taken: readonly Item[]
}

/** The result of migrating a row. `problem` is a sentence about a row that cannot have its entries. */
export interface Repair extends Readonly<Partial<Record<MigrationCount, number>>> {
  /** The line of a dry run about an account. */
  readonly note?: string
  readonly problem?: string
}

export const NO_REPAIR: Repair = {}

/** The result of `repairRow`, unless the row changes or another row has its entries. */
export const expectedRepair = (declared: NewEntries, row: StoredRow): Repair =>
  repairOf(lackOf(declared, row))

const repairOf = ({ entries, places }: Lack): Repair => ({
  added: entries.length,
  listed: Object.keys(places).length > 0 ? 1 : 0,
})

export const doesNothing = ({ added, listed, problem }: Repair): boolean =>
  !added && !listed && problem === undefined

function lackOf(declared: NewEntries, { item, stored }: StoredRow): Lack {
  const row = declared.entity.check(item)
  const places = declared.places(row)
  const isListed = Object.entries(places).every(([name, value]) => item[name] === value)
  const id = idColumnOf(declared.entity)
  return {
    entries: declared.of(row).filter((entry, index) => !holds(stored[index], entry)),
    places: isListed ? {} : places,
    taken: stored.flatMap((one) => (one && one[id] !== row[id] ? [one] : [])),
  }
}

const holds = (stored: Item | undefined, entry: Item): boolean =>
  stored !== undefined &&
  Object.entries(entry).every(([name, value]) => JSON.stringify(stored[name]) === JSON.stringify(value))

/** Adds what a row lacks, in one request. Reads the row again if it has changed since it was read. */
export const repairRow = (store: Store, declared: NewEntries, found: StoredRow): Promise<Repair> =>
  retryingRaces(store, async (triedBefore) => {
    const row = triedBefore === 0 ? found : await readAgain(store, declared, keyIn(found.item))
    const lack = row && lackOf(declared, row)
    if (!lack || doesNothing(repairOf(lack))) return NO_REPAIR
    const { held, removed } = await freeEntries(store, declared, lack.taken)
    if (held) return { removed, problem: conflictOf(declared, row.item, held) }
    await store.transact(changesFor(declared, row.item, lack))
    return { ...repairOf(lack), removed }
  })

/** Removes stale entries in the way of a row. `held` is one that another row still has. */
async function freeEntries(store: Store, declared: NewEntries, taken: readonly Item[]) {
  let removed = 0
  for (const entry of taken) {
    const outcome = await removeIfStale(store, declared, keyIn(entry))
    if (outcome === 'held') return { held: entry, removed }
    if (outcome === 'removed') removed += 1
  }
  return { held: undefined, removed }
}

async function readAgain(store: Store, declared: NewEntries, key: Key): Promise<StoredRow | undefined> {
  const item = await store.get(key)
  return item && { item, stored: await store.getMany(declared.of(declared.entity.check(item))) }
}

function changesFor({ entity }: NewEntries, item: Item, { entries, places }: Lack): Change[] {
  const when = { version: is(item['version']) }
  const id = idColumnOf(entity)
  const row: Change =
    Object.keys(places).length > 0
      ? { update: keyIn(item), to: { set: places }, when }
      : { check: keyIn(item), when }
  return [row, ...entries.map((put): Change => ({ put, when: { [id]: absentOrIs(put[id]) } }))]
}

function conflictOf({ entity }: NewEntries, item: Item, taken: Item): string {
  const id = idColumnOf(entity)
  const rows = `${entity.name} ${item[id]} and ${entity.name} ${taken[id]}`
  return `${rows} both have ${taken['PK']}: change one of them and run this again.`
}

/**
 * Removes a new entry if its row is gone or does not have it: an earlier release can change a row without its
 * new entries. An entry that another writer has just removed counts as removed.
 */
export const removeIfStale = (
  store: Store,
  declared: NewEntries,
  key: Key,
): Promise<'removed' | 'held' | 'gone'> =>
  retryingRaces(store, async () => {
    const entry = await store.get(key)
    if (!entry) return 'gone'
    const { entity } = declared
    const row = await store.get(entity.key.of(entry))
    if (isOf(declared, row, entry)) return 'held'
    const when = row ? { version: is(row['version']) } : { PK: absent }
    await store.transact([
      { remove: key, when: { [idColumnOf(entity)]: is(entry[idColumnOf(entity)]) } },
      { check: entity.key.of(entry), when },
    ])
    return 'removed'
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

/** The claims and copies of an entity that the tables of some formats have. */
export const entriesSince = <R>(
  { claims, copies }: Pick<Entity<R>, 'claims' | 'copies'>,
  isWanted: (since: number) => boolean,
): readonly Entry<R>[] => [...claims, ...copies].filter(({ since = 1 }) => isWanted(since))
