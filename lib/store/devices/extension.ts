import {
  type ExtensionRange,
  type ExtensionRefusal,
  emergencyNumbers,
  extensionRange,
  isExtension,
  isInRange,
  nextInRange,
} from '#lib/domain/devices/extension.ts'
import type { Settings } from '#lib/domain/settings.ts'
import type { Item } from '#lib/store/items.ts'
import { deviceKeys, extensionKeys, freeExtensionKeys } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Query } from '#lib/store/requests/query.ts'
import type { Store } from '#lib/store/store.ts'

// Access patterns

/** Why a device (`deviceId`; none yet for a new one) cannot have an extension; `undefined` when it can. */
export async function extensionRefusal(
  store: Store,
  settings: Settings,
  { extension, deviceId }: { extension: string; deviceId?: number },
): Promise<ExtensionRefusal | undefined> {
  if (!isExtension(extension)) return 'extension_format'
  const holders = await store.getMany([extensionKeys.item(extension), deviceKeys.named(extension)])
  const isTaken = holders.some((holder) => holder !== undefined && holder['device_id'] !== deviceId)
  if (isTaken) return 'extension_taken'
  return emergencyNumbers(settings).has(extension) ? 'extension_emergency' : undefined
}

/** Those of the numbers that are the extension of a device. */
export async function findExtensions(store: Store, numbers: readonly string[]): Promise<string[]> {
  const possible = [...new Set(numbers)].filter(isExtension)
  const holders = await store.getMany(possible.map(extensionKeys.item))
  return possible.filter((_, position) => holders[position] !== undefined)
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
  if (range.from > range.to) return undefined
  const [listed, mark] = await Promise.all([lowestListed(store, range), findMark(store, range)])
  if (listed !== undefined && listed < mark) return { extension: String(listed) }
  const gap = await firstGap(store, range, mark)
  if (gap === undefined) return undefined
  return { extension: String(gap), mark: markChange(range, gap + 1) }
}

async function lowestListed(store: Store, range: ExtensionRange): Promise<number | undefined> {
  for await (const number of numbersIn(store, freeQuery(range), freeExtensionKeys.numberIn)) {
    if (isInRange(range, number)) return number
  }
  return undefined
}

const freeQuery = (range: ExtensionRange): Query => ({
  partition: freeExtensionKeys.all,
  between: [freeExtensionKeys.place(range.from), freeExtensionKeys.place(range.to)],
  pageSize: 10,
})

/** Reads the taken numbers upwards until one is missing. */
async function firstGap(store: Store, range: ExtensionRange, from: number): Promise<number | undefined> {
  let candidate = nextInRange(range, from)
  if (candidate === undefined) return undefined
  const between = [extensionKeys.place(candidate), extensionKeys.lastNumber] as const
  for await (const taken of numbersIn(
    store,
    { partition: extensionKeys.all, between },
    extensionKeys.numberIn,
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
  const item: Item = (await store.get(extensionKeys.mark)) ?? {}
  return item['made_for'] === fingerprint(range) ? Number(item['mark']) : range.from
}

const fingerprint = ({ from, excluded }: ExtensionRange): string => [from, ...excluded].join(',')

const markChange = (range: ExtensionRange, mark: number): Change => ({
  put: { ...extensionKeys.mark, mark, made_for: fingerprint(range) },
})
