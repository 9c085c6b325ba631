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
import { deviceNameKey, extensionKeys, holderOf } from '#lib/store/devices/device.ts'
import { freeExtensionKeys } from '#lib/store/devices/device-claims.ts'
import type { Item } from '#lib/store/items.ts'
import { keyForm } from '#lib/store/keys.ts'
import type { Query } from '#lib/store/requests/query.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

/** The mark: every number of the range below it was given out, or is in the free list. */
export const extensionMark = keyForm('EXTMARK', 'EXTMARK')()

// Access patterns

/** The reason why a device cannot have an extension. A new device has no `deviceId`. */
export async function extensionRefusal(
  store: Store,
  settings: Settings,
  extension: string,
  deviceId?: number,
): Promise<ExtensionRefusal | undefined> {
  if (!isExtension(extension)) return 'extension_format'
  const holders = await store.getMany([extensionKeys.item(extension), deviceNameKey(extension)])
  const isTaken = holders.some((holder) => holder !== undefined && holderOf(holder) !== deviceId)
  if (isTaken) return 'extension_taken'
  return emergencyNumbers(settings).has(extension) ? 'extension_emergency' : undefined
}

/** The numbers that are the extension of a device. */
export async function findExtensions(store: Store, numbers: readonly string[]): Promise<string[]> {
  const possible = [...new Set(numbers)].filter(isExtension)
  const holders = await store.getMany(possible.map(extensionKeys.item))
  return possible.filter((_, position) => holders[position] !== undefined)
}

/** A free extension, and the new mark if it has fallen behind. */
export interface ChosenExtension {
  readonly extension: string
  readonly mark?: Mark
}

/** All numbers of the range below `at` were given out once. */
interface Mark {
  readonly range: ExtensionRange
  readonly at: number
}

/**
 * The wanted extension, if it is free; if it is blank, the lowest free number of the range. `skipped` free numbers are left
 * to parallel requests.
 */
export async function chooseExtension(
  store: Store,
  settings: Settings,
  wanted: string | undefined,
  skipped: number,
): Promise<ChosenExtension | { refused: ExtensionRefusal | 'no_extension' }> {
  const extension = wanted?.trim()
  if (!extension)
    return (await findFreeExtension(store, extensionRange(settings), skipped)) ?? { refused: 'no_extension' }
  const refused = await extensionRefusal(store, settings, extension)
  return refused ? { refused } : { extension }
}

/**
 * The lowest free number of the range after the skipped ones. All numbers below the mark were given out or are in the free
 * list. So it reads that list and the gaps from the mark on, and reads do not grow with the number of devices.
 */
async function findFreeExtension(
  store: Store,
  range: ExtensionRange,
  skipped: number,
): Promise<ChosenExtension | undefined> {
  if (range.from > range.to) return undefined
  const [listed, mark] = await Promise.all([
    take(skipped + 1, listedIn(store, range)),
    findMark(store, range),
  ])
  const below = listed.filter((number) => number < mark).at(-1)
  if (below !== undefined) return { extension: String(below) }
  const gaps = await take(skipped + 1, gapsIn(store, range, mark))
  const gap = gaps.at(-1)
  if (gap === undefined) return undefined
  const at = gaps.length > 1 ? (gaps[0] ?? gap) : gap + 1
  return { extension: String(gap), ...(at - mark >= MARK_STEP && { mark: { range, at } }) }
}

/** The first `count` numbers. */
async function take(count: number, numbers: AsyncIterable<number>): Promise<number[]> {
  const taken: number[] = []
  for await (const number of numbers) {
    taken.push(number)
    if (taken.length === count) break
  }
  return taken
}

async function* listedIn(store: Store, range: ExtensionRange) {
  for await (const number of numbersIn(store, freeQuery(range), freeExtensionKeys.numberIn)) {
    if (isInRange(range, number)) yield number
  }
}

const freeQuery = (range: ExtensionRange): Query => ({
  partition: freeExtensionKeys.all,
  between: [extensionKeys.place(range.from), extensionKeys.place(range.to)],
  pageSize: 10,
})

/** The numbers between the taken ones, then all numbers above them. */
async function* gapsIn(store: Store, range: ExtensionRange, from: number): AsyncGenerator<number> {
  let candidate = nextInRange(range, from)
  if (candidate === undefined) return
  const between = [extensionKeys.place(candidate), extensionKeys.lastNumber] as const
  const query = { partition: extensionKeys.all, between }
  for await (const taken of numbersIn(store, query, extensionKeys.numberIn)) {
    for (; candidate !== undefined && candidate < taken; candidate = nextInRange(range, candidate + 1)) {
      yield candidate
    }
    if (candidate === taken) candidate = nextInRange(range, candidate + 1)
  }
  for (; candidate !== undefined; candidate = nextInRange(range, candidate + 1)) yield candidate
}

async function* numbersIn(store: Store, query: Query, numberIn: (sortKey: string) => number) {
  for await (const page of store.pages(query)) {
    for (const { SK } of page) yield numberIn(String(SK))
  }
}

/** The mark moves in steps, so that parallel creations rarely write it. */
const MARK_STEP = 16

/**
 * Best effort: a mark that stays too low makes later reads longer, never wrong. The same is true of a lower mark that
 * overwrites the one of a parallel request.
 */
export async function moveExtensionMark(store: Store, { mark }: ChosenExtension): Promise<void> {
  if (mark) await writeMark(store, mark).catch(() => undefined)
}

/** Moves the mark to the first gap after an import, so that the next device does not read all imported numbers. */
export async function advanceExtensionMark(store: Store, range: ExtensionRange): Promise<void> {
  const mark = await findMark(store, range)
  const [gap = range.to + 1] = await take(1, gapsIn(store, range, mark))
  if (gap > mark) await writeMark(store, { range, at: gap })
}

/** A mark is valid for its range and exclusions. For others, it starts again. */
async function findMark(store: Store, range: ExtensionRange): Promise<number> {
  const item: Item = (await store.get(extensionMark)) ?? {}
  return item['made_for'] === fingerprint(range) ? Number(item['mark']) : range.from
}

const fingerprint = ({ from, excluded }: ExtensionRange): string => [from, ...excluded].join(',')

const writeMark = (store: Store, { range, at }: Mark) =>
  store.update(extensionMark, { set: { mark: at, made_for: fingerprint(range) } })
