import {
  type ExtensionRange,
  type ExtensionRefusal,
  emergencyNumbers,
  extensionRange,
  isExtension,
  nextInRange,
} from '#lib/domain/devices/extension.ts'
import type { Settings } from '#lib/domain/settings.ts'
import { idCounterKey } from '#lib/store/id-counter.ts'
import type { Item } from '#lib/store/items.ts'
import { merged, openLists } from '#lib/store/merge.ts'
import type { Store } from '#lib/store/store.ts'
import { isDialledElsewhere } from './device.ts'
import { findHolders, numberAt, takenNumbersFrom } from './dialled.ts'
import { listFreed } from './freed-extension.ts'

// Access patterns

/** The reason why a device cannot have an extension. A new device has no `deviceId`. */
export async function extensionRefusal(
  store: Store,
  settings: Settings,
  extension: string,
  deviceId?: number,
): Promise<ExtensionRefusal | undefined> {
  if (!isExtension(extension)) return 'extension_format'
  if (await isDialledElsewhere(store, extension, deviceId)) return 'extension_taken'
  return emergencyNumbers(settings).has(extension) ? 'extension_emergency' : undefined
}

/** The numbers that are the extension of a device. */
export async function findExtensions(store: Store, numbers: readonly string[]): Promise<string[]> {
  const possible = [...new Set(numbers)].filter(isExtension)
  const holders = await findHolders(store, possible)
  return possible.filter((number, position) => holders[position]?.extension === number)
}

/** An extension for a new device. */
export interface ChosenExtension {
  readonly extension: string
  /** It comes from the free list. */
  readonly isFreed: boolean
}

/** What was read to choose an extension. The id of the new device decides, so that parallel requests do not want the same. */
export interface ExtensionChoice {
  /** The attributes of the mark, if it has risen. They are noted with the next id. */
  readonly mark: Item
  readonly forId: (id: number) => ChosenExtension
}

/** The wanted extension, if it is free; if it is blank, a free number of the range. */
export async function chooseExtension(
  store: Store,
  settings: Settings,
  wanted: string | undefined,
): Promise<ExtensionChoice | { refused: ExtensionRefusal | 'no_extension' }> {
  const extension = wanted?.trim()
  if (!extension)
    return (await findFreeExtension(store, extensionRange(settings))) ?? { refused: 'no_extension' }
  const refused = await extensionRefusal(store, settings, extension)
  return refused ? { refused } : { mark: {}, forId: () => ({ extension, isFreed: false }) }
}

/** As many creations at the same moment get different numbers. */
const MAX_OFFERED_NUMBERS = 10

/**
 * The lowest free number of the range, unless others have got ids since it was read: each of those leaves one number to it. All
 * numbers below the mark were given out or are in the free list. So it reads that list and the gaps from the mark on, and
 * reads do not grow with the number of devices.
 */
async function findFreeExtension(store: Store, range: ExtensionRange): Promise<ExtensionChoice | undefined> {
  if (range.from > range.to) return undefined
  const [freed, counter] = await Promise.all([
    take(MAX_OFFERED_NUMBERS, listFreed(store, range)),
    findCounter(store),
  ])
  const mark = markIn(counter, range)
  const below = freed.filter((number) => number < mark)
  const offered = below.length > 0 ? below : await findGaps(store, range, mark)
  const [first] = offered
  if (first === undefined) return undefined
  const expectedId = Number(counter['last'] ?? 0) + 1
  return {
    mark: first > mark ? markAt(range, first) : {},
    forId: (id) => {
      const number = offered[(id - expectedId) % offered.length] ?? first
      return { extension: String(number), isFreed: freed.includes(number) }
    },
  }
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

/** After so many batches of taken numbers, one gap is enough: many imported devices may follow it. */
const BATCHES_FOR_MORE_GAPS = 3

/** The lowest numbers from `from` on that are not taken. */
async function findGaps(store: Store, range: ExtensionRange, from: number): Promise<number[]> {
  const gaps: number[] = []
  let batches = 0
  for await (const some of gapsFrom(store, range, from)) {
    gaps.push(...some)
    batches += 1
    if (gaps.length >= (batches < BATCHES_FOR_MORE_GAPS ? MAX_OFFERED_NUMBERS : 1)) break
  }
  return gaps.slice(0, MAX_OFFERED_NUMBERS)
}

/** The gaps between the taken numbers, batch by batch, then those above them. */
async function* gapsFrom(store: Store, range: ExtensionRange, from: number): AsyncGenerator<number[]> {
  let next = from
  for await (const taken of takenFrom(store, from)) {
    const last = taken.at(-1) ?? next
    yield freeNumbersIn({ ...range, from: next, to: Math.min(range.to, last) }, new Set(taken))
    next = last + 1
    if (next > range.to) return
  }
  yield freeNumbersIn({ ...range, from: next }, new Set())
}

/** The lowest numbers of the range that are not taken, at most as many as are offered. */
function freeNumbersIn(range: ExtensionRange, taken: ReadonlySet<number>): number[] {
  const free: number[] = []
  let number = nextInRange(range, range.from)
  while (number !== undefined && free.length < MAX_OFFERED_NUMBERS) {
    if (!taken.has(number)) free.push(number)
    number = nextInRange(range, number + 1)
  }
  return free
}

/** The taken numbers from `from` on, ascending, batch by batch. */
async function* takenFrom(store: Store, from: number): AsyncGenerator<number[]> {
  const lists = await openLists(takenNumbersFrom(from).map((query) => store.pages(query)))
  for await (const batch of merged(lists, numberAt)) yield batch.map(numberAt)
}

/** Moves the mark to the first gap after an import, so that the next device does not read all imported numbers. */
export async function advanceExtensionMark(store: Store, range: ExtensionRange): Promise<void> {
  const mark = markIn(await findCounter(store), range)
  const [gap = range.to + 1] = await findGaps(store, range, mark)
  if (gap > mark) await store.update(idCounterKey('device'), { set: markAt(range, gap) })
}

/** The counter of device ids, which also holds the mark. */
const findCounter = async (store: Store): Promise<Item> => (await store.get(idCounterKey('device'))) ?? {}

const markIn = (counter: Item, range: ExtensionRange): number =>
  counter['made_for'] === fingerprint(range) ? Number(counter['mark']) : range.from

/**
 * The mark: every number of the range below it was given out, or is in the free list. For another range or other
 * exclusions, it starts again. It is a part of the counter of device ids, which every creation writes: there it costs
 * nothing. A lower mark may overwrite that of a parallel request, which makes later
 * reads longer, never wrong.
 */
const markAt = (range: ExtensionRange, mark: number): Item => ({ mark, made_for: fingerprint(range) })

const fingerprint = ({ from, excluded }: ExtensionRange): string => [from, ...excluded].join(',')
