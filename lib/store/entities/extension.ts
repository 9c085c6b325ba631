import {
  type ExtensionRange,
  type ExtensionRefusal,
  emergencyNumbers,
  extensionRange,
  isExtension,
  isInRange,
  nextInRange,
} from '#lib/domain/extension.ts'
import type { Settings } from '#lib/domain/settings.ts'
import type { Change } from '../changes.ts'
import { absent, present } from '../conditions.ts'
import type { Item } from '../items.ts'
import {
  deviceNameKey,
  extensionMarkKey,
  extensions,
  freeExtensions,
  isPlainNumber,
  type Key,
} from '../keys.ts'
import type { Query } from '../query.ts'
import type { Store } from '../store.ts'

// Shape

/** What a device holds that no other may have. */
export interface Named {
  readonly id: number
  readonly name: string
  readonly extension: string
}

/** A key that stands for a name or number while one device has it. */
interface Claim {
  readonly key: Key
  /** The number it occupies, if it is one that could be handed out. */
  readonly number?: number
}

// Keys

/** A numeric name occupies its number too, unless the device's own extension does so already. */
function claimsOf({ name, extension }: Named): Claim[] {
  const numericName = isPlainNumber(name) && name !== extension
  return [
    { key: deviceNameKey(name) },
    { key: extensions.key(extension), ...numberOf(extension) },
    ...(numericName ? [{ key: extensions.nameKey(name), ...numberOf(name) }] : []),
  ]
}

const numberOf = (text: string): { number?: number } => (isPlainNumber(text) ? { number: Number(text) } : {})

// Access patterns

/** Why a device (`deviceId`; none yet for a new one) cannot have an extension; `undefined` when it can. */
export async function extensionRefusal(
  store: Store,
  settings: Settings,
  { extension, deviceId }: { extension: string; deviceId?: number },
): Promise<ExtensionRefusal | undefined> {
  if (!isExtension(extension)) return 'extension_format'
  const holders = await store.getMany([extensions.key(extension), deviceNameKey(extension)])
  const isTaken = holders.some((holder) => holder !== undefined && holder['device_id'] !== deviceId)
  if (isTaken) return 'extension_taken'
  return emergencyNumbers(settings).has(extension) ? 'extension_emergency' : undefined
}

/** Who has a device's name, and who has its extension as extension or as name. */
export interface Holders {
  readonly name: number | undefined
  readonly extension: readonly number[]
}

/** In the order of the devices, which may be among the holders themselves. */
export async function findHolders(
  store: Store,
  devices: readonly Pick<Named, 'name' | 'extension'>[],
): Promise<Holders[]> {
  const keys = devices.flatMap(({ name, extension }) => [
    deviceNameKey(name),
    extensions.key(extension),
    deviceNameKey(extension),
  ])
  const ids = (await store.getMany(keys)).map((holder) => holder?.['device_id'] as number | undefined)
  return devices.map((_, position) => {
    const [name, ...others] = ids.slice(3 * position, 3 * position + 3)
    return { name, extension: others.filter((id) => id !== undefined) }
  })
}

/**
 * The changes that take a device from one name and extension to others; `undefined` is a device that is not there.
 * A number that nothing occupies any more goes to the free list, one that is taken leaves it.
 */
export async function changedClaims(store: Store, before?: Named, after?: Named): Promise<Change[]> {
  const [had, has] = [before, after].map((device) => (device ? claimsOf(device) : []))
  const given = without(had, has)
  const taken = without(has, had)
  const freed = numbersOf(given).filter((number) => !numbersOf(has ?? []).includes(number))

  return [
    ...given.map(({ key }): Change => ({ remove: key })),
    ...taken.map(({ key }): Change => ({ put: { ...key, device_id: after?.id }, when: { PK: absent } })),
    ...numbersOf(taken).map((number): Change => ({ remove: freeExtensions.key(number) })),
    ...(await freeing(store, freed, given)),
    ...extensionIsNobodysName(before, after),
  ]
}

const without = (claims: Claim[] = [], others: Claim[] = []): Claim[] =>
  claims.filter(({ key }) => !others.some((other) => isSameKey(other.key, key)))

const isSameKey = (one: Key, other: Key): boolean => one.PK === other.PK && one.SK === other.SK

const numbersOf = (claims: readonly Claim[]): number[] => [
  ...new Set(claims.flatMap(({ number }) => (number === undefined ? [] : [number]))),
]

/** A freed number may still be another device's name or extension; what was found about that is checked again. */
async function freeing(store: Store, numbers: readonly number[], given: readonly Claim[]): Promise<Change[]> {
  const others = numbers.map((number) => {
    const keys = [extensions.key(String(number)), extensions.nameKey(String(number))]
    return { number, key: keys.find((key) => !given.some((claim) => isSameKey(claim.key, key))) }
  })
  const open = others.flatMap(({ number, key }) => (key ? [{ number, key }] : []))
  const held = await store.getMany(open.map(({ key }) => key))
  return open.flatMap(({ number, key }, position): Change[] =>
    held[position]
      ? [{ check: key, when: { PK: present } }]
      : [{ check: key, when: { PK: absent } }, { put: freeExtensions.key(number) }],
  )
}

/** An extension must not be another device's name; that it is not its own new name's claim is already checked. */
function extensionIsNobodysName(before?: Named, after?: Named): Change[] {
  if (!after || after.extension === before?.extension) return []
  if (after.extension === after.name || after.extension === before?.name) return []
  return [{ check: deviceNameKey(after.extension), when: { PK: absent } }]
}

/** An extension that can be had, and the mark's new place when choosing it has moved the mark. */
export interface ChosenExtension {
  readonly extension: string
  readonly mark?: Change
}

/** The wanted extension, if it can be had; when none is wanted (or blank), the lowest free number of the range. */
export async function chooseExtension(
  store: Store,
  settings: Settings,
  wanted: string | undefined,
): Promise<ChosenExtension | { refused: ExtensionRefusal | 'no_extension' }> {
  const extension = wanted?.trim()
  if (!extension)
    return (await findFreeExtension(store, extensionRange(settings))) ?? { refused: 'no_extension' }
  const refused = await extensionRefusal(store, settings, { extension })
  return refused ? { refused } : { extension }
}

/**
 * The lowest free number of the range. Numbers below the mark were all handed out or stand in the free list, so it is
 * the lower of the lowest listed one and the first gap from the mark on: reads do not grow with the number of devices.
 */
async function findFreeExtension(store: Store, range: ExtensionRange): Promise<ChosenExtension | undefined> {
  const [listed, mark] = await Promise.all([lowestListed(store, range), findMark(store, range)])
  if (listed !== undefined && listed < mark) return { extension: String(listed) }
  const gap = await firstGap(store, range, mark)
  if (gap === undefined) return undefined
  return { extension: String(gap), mark: markChange(range, gap + 1) }
}

async function lowestListed(store: Store, range: ExtensionRange): Promise<number | undefined> {
  for await (const number of numbersIn(store, freeQuery(range), freeExtensions.numberIn)) {
    if (isInRange(range, number)) return number
  }
  return undefined
}

const freeQuery = (range: ExtensionRange): Query => ({
  partition: freeExtensions.partition,
  between: [freeExtensions.from(range.from), freeExtensions.from(range.to)],
  pageSize: 10,
})

/** Reads the taken numbers upwards until one is missing. */
async function firstGap(store: Store, range: ExtensionRange, from: number): Promise<number | undefined> {
  let candidate = nextInRange(range, from)
  if (candidate === undefined) return undefined
  const between = [extensions.from(candidate), extensions.lastNumber] as const
  for await (const taken of numbersIn(
    store,
    { partition: extensions.partition, between },
    extensions.numberIn,
  )) {
    if (candidate === undefined || taken > candidate) return candidate
    if (taken === candidate) candidate = nextInRange(range, candidate + 1)
  }
  return candidate
}

async function* numbersIn(store: Store, query: Query, numberIn: (sortKey: string) => number) {
  for await (const page of store.pages(query)) {
    for (const { SK } of page) yield numberIn(String(SK))
  }
}

/**
 * Moves the mark up to the first gap, so that the next device does not read all the numbers an import has taken. A mark
 * that another call sets meanwhile may be overwritten by a lower one: that is a longer way to read, never a wrong number.
 */
export async function advanceExtensionMark(store: Store, range: ExtensionRange): Promise<void> {
  const mark = await findMark(store, range)
  const gap = (await firstGap(store, range, mark)) ?? range.to + 1
  if (gap > mark) await store.transact([markChange(range, gap)])
}

/** The mark holds for the range and the exclusions it was made for; under others it starts again. */
async function findMark(store: Store, range: ExtensionRange): Promise<number> {
  const item: Item = (await store.get(extensionMarkKey)) ?? {}
  return item['made_for'] === fingerprint(range) ? Number(item['mark']) : range.from
}

const fingerprint = ({ from, excluded }: ExtensionRange): string => [from, ...excluded].join(',')

const markChange = (range: ExtensionRange, mark: number): Change => ({
  put: { ...extensionMarkKey, mark, made_for: fingerprint(range) },
})
