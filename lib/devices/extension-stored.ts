import type { Settings } from '#lib/settings/settings.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import type { Store } from '#lib/table/store.ts'
import { isTakenWord } from './device-stored.ts'
import { listFreed, numberAt, takenNumbersFrom } from './dialled.ts'
import {
  type ExtensionRange,
  type ExtensionRefusal,
  emergencyNumbers,
  extensionRange,
  isExtension,
  nextInRange,
} from './extension.ts'
import { findNamesakes } from './taken-name.ts'

/** The reason why a device cannot have an extension. A new device has no id. */
export async function extensionRefusal(
  store: Store,
  settings: Settings,
  extension: string,
  device: Parameters<typeof isTakenWord>[2],
): Promise<ExtensionRefusal | undefined> {
  if (!isExtension(extension)) return 'extension_format'
  if (await isTakenWord(store, extension, device)) return 'extension_taken'
  return emergencyNumbers(settings).has(extension) ? 'extension_emergency' : undefined
}

export interface ChosenExtension {
  readonly extension: string
  /** It comes from the free list. */
  readonly isFreed: boolean
  /** The attributes of the mark, if it has risen. */
  readonly mark: Item
}

/**
 * The wanted extension, if it is free; if it is blank, the lowest free number of the range. `skipped` free
 * numbers are left to parallel requests.
 */
export async function chooseExtension(
  store: Store,
  settings: Settings,
  wanted: { readonly extension: string | undefined; readonly user_id?: number },
  skipped: number,
): Promise<ChosenExtension | { refused: ExtensionRefusal | 'no_extension' }> {
  const extension = wanted.extension?.trim()
  if (!extension)
    return (await findFreeExtension(store, extensionRange(settings), skipped)) ?? { refused: 'no_extension' }
  const refused = await extensionRefusal(store, settings, extension, { user_id: wanted.user_id })
  return refused ? { refused } : { extension, isFreed: false, mark: {} }
}

/**
 * The lowest free number of the range after the skipped ones. All numbers below the mark were given out or
 * are in the free list: only that list and the gaps from the mark on are read.
 */
async function findFreeExtension(
  store: Store,
  range: ExtensionRange,
  skipped: number,
): Promise<ChosenExtension | undefined> {
  if (range.from > range.to) return undefined
  const [freed, mark] = await Promise.all([
    take(skipped + 1, withoutUsernames(store, listFreed(store, range))),
    findMark(store, range),
  ])
  const below = freed.filter((number) => number < mark).at(-1)
  if (below !== undefined) return { extension: String(below), isFreed: true, mark: {} }
  const gaps = await take(skipped + 1, withoutUsernames(store, gapsIn(store, range, mark)))
  const [first, gap] = [gaps.at(0), gaps.at(-1)]
  if (first === undefined || gap === undefined) return undefined
  const risen = first > mark ? markAt(range, first) : {}
  return { extension: String(gap), isFreed: freed.includes(gap), mark: risen }
}

async function take(count: number, numbers: AsyncIterable<number>): Promise<number[]> {
  const taken: number[] = []
  for await (const number of numbers) {
    taken.push(number)
    if (taken.length === count) break
  }
  return taken
}

/** A customer may register under the next number. Each look-up doubles the numbers that were looked up. */
async function* withoutUsernames(store: Store, numbers: AsyncIterable<number>): AsyncGenerator<number> {
  let [batch, size]: [number[], number] = [[], 1]
  const free = async () => {
    const namesakes = await findNamesakes(store, batch.map(String))
    return batch.filter((_, index) => namesakes[index] === undefined)
  }
  for await (const number of numbers) {
    batch.push(number)
    if (batch.length < size) continue
    yield* await free()
    ;[batch, size] = [[], Math.min(2 * size, MOST_NAMES_AT_ONCE)]
  }
  if (batch.length > 0) yield* await free()
}

const MOST_NAMES_AT_ONCE = 64

/** The numbers between the taken ones, then all numbers above them. */
async function* gapsIn(store: Store, range: ExtensionRange, from: number): AsyncGenerator<number> {
  let candidate = nextInRange(range, from)
  if (candidate === undefined) return
  for await (const taken of takenFrom(store, candidate)) {
    for (; candidate !== undefined && candidate < taken; candidate = nextInRange(range, candidate + 1)) {
      yield candidate
    }
    if (candidate === taken) candidate = nextInRange(range, candidate + 1)
  }
  for (; candidate !== undefined; candidate = nextInRange(range, candidate + 1)) yield candidate
}

async function* takenFrom(store: Store, from: number): AsyncGenerator<number> {
  const lists = await openLists(takenNumbersFrom(from).map((query) => store.pages(query)))
  for await (const batch of merged(lists, numberAt)) yield* batch.map(numberAt)
}

/** Moves the mark to the first gap after an import: the next device need not read all imported numbers. */
export async function advanceExtensionMark(store: Store, range: ExtensionRange): Promise<void> {
  const mark = await findMark(store, range)
  const [gap = range.to + 1] = await take(1, gapsIn(store, range, mark))
  if (gap > mark) await store.update(idCounterKey('device'), { set: markAt(range, gap) })
}

async function findMark(store: Store, range: ExtensionRange): Promise<number> {
  const item: Item = (await store.get(idCounterKey('device'))) ?? {}
  return item['made_for'] === fingerprint(range) ? Number(item['mark']) : range.from
}

/**
 * The mark: every number of the range below it was given out, or is in the free list. For another range or
 * other exclusions, it starts again. It is a part of the counter of device ids, which every creation writes:
 * there it costs nothing. A lower mark may overwrite that of a parallel request, which makes later reads
 * longer, never wrong.
 */
const markAt = (range: ExtensionRange, mark: number): Item => ({ mark, made_for: fingerprint(range) })

const fingerprint = ({ from, excluded }: ExtensionRange): string => [from, ...excluded].join(',')
