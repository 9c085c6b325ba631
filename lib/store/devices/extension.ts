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

/** Every number of the range below the mark was handed out or stands in the free list. */
export const extensionMark = keyForm('EXTMARK', 'EXTMARK')()

// Access patterns

/** Why a device (`deviceId`; none yet for a new one) cannot have an extension; `undefined` when it can. */
export async function extensionRefusal(
  store: Store,
  settings: Settings,
  { extension, deviceId }: { extension: string; deviceId?: number },
): Promise<ExtensionRefusal | undefined> {
  if (!isExtension(extension)) return 'extension_format'
  const holders = await store.getMany([extensionKeys.item(extension), deviceNameKey(extension)])
  const isTaken = holders.some((holder) => holder !== undefined && holderOf(holder) !== deviceId)
  if (isTaken) return 'extension_taken'
  return emergencyNumbers(settings).has(extension) ? 'extension_emergency' : undefined
}

/** Those of the numbers that are the extension of a device. */
export async function findExtensions(store: Store, numbers: readonly string[]): Promise<string[]> {
  const possible = [...new Set(numbers)].filter(isExtension)
  const holders = await store.getMany(possible.map(extensionKeys.item))
  return possible.filter((_, position) => holders[position] !== undefined)
}

/** An extension that can be had, and where the mark belongs when it has fallen behind. */
export interface ChosenExtension {
  readonly extension: string
  readonly mark?: Mark
}

/** All numbers of the range below it were handed out once. */
interface Mark {
  readonly range: ExtensionRange
  readonly at: number
}

/** What is asked for, and how many of the free numbers are left to others who are looking at the same moment. */
interface Wish {
  readonly extension: string | undefined
  readonly leaving: number
}

/** The wanted extension, if it can be had; when none is wanted (or blank), the lowest free number of the range. */
export async function chooseExtension(
  store: Store,
  settings: Settings,
  wish: Wish,
): Promise<ChosenExtension | { refused: ExtensionRefusal | 'no_extension' }> {
  const extension = wish.extension?.trim()
  if (!extension)
    return (await findFreeExtension(store, extensionRange(settings), wish)) ?? { refused: 'no_extension' }
  const refused = await extensionRefusal(store, settings, { extension })
  return refused ? { refused } : { extension }
}

/**
 * The lowest free number of the range but for those that are left to others. Numbers below the mark were all handed out or
 * stand in the free list, so it is among the listed ones and the gaps from the mark on: reads do not grow with the number
 * of devices.
 */
async function findFreeExtension(
  store: Store,
  range: ExtensionRange,
  { leaving }: Wish,
): Promise<ChosenExtension | undefined> {
  if (range.from > range.to) return undefined
  const [listed, mark] = await Promise.all([
    take(leaving + 1, listedIn(store, range)),
    findMark(store, range),
  ])
  const below = listed.filter((number) => number < mark).at(-1)
  if (below !== undefined) return { extension: String(below) }
  const gaps = await take(leaving + 1, gapsIn(store, range, mark))
  const gap = gaps.at(-1)
  if (gap === undefined) return undefined
  const at = gaps.length > 1 ? (gaps[0] ?? gap) : gap + 1
  return { extension: String(gap), ...(at - mark >= MARK_STEP && { mark: { range, at } }) }
}

/** The first so many. */
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

/** Reads the taken numbers upwards: those between them, and then all that follow. */
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

/** The mark is moved this far at once: creations at the same moment need not meet at it. */
const MARK_STEP = 16

/**
 * A mark that another call sets meanwhile may be overwritten by a lower one: that is a longer way to read, never a wrong
 * number. So is a mark that stays behind, which is why a failure is nobody's.
 */
export async function moveExtensionMark(store: Store, { mark }: ChosenExtension): Promise<void> {
  if (mark) await writeMark(store, mark).catch(() => undefined)
}

/** Moves the mark up to the first gap, so that the next device does not read all the numbers an import has taken. */
export async function advanceExtensionMark(store: Store, range: ExtensionRange): Promise<void> {
  const mark = await findMark(store, range)
  const [gap = range.to + 1] = await take(1, gapsIn(store, range, mark))
  if (gap > mark) await writeMark(store, { range, at: gap })
}

/** The mark holds for the range and the exclusions it was made for; under others it starts again. */
async function findMark(store: Store, range: ExtensionRange): Promise<number> {
  const item: Item = (await store.get(extensionMark)) ?? {}
  return item['made_for'] === fingerprint(range) ? Number(item['mark']) : range.from
}

const fingerprint = ({ from, excluded }: ExtensionRange): string => [from, ...excluded].join(',')

const writeMark = (store: Store, { range, at }: Mark) =>
  store.update(extensionMark, { set: { mark: at, made_for: fingerprint(range) } })
