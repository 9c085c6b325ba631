import { type ExtensionRange, isInRange, isPlainNumber } from '#lib/domain/devices/extension.ts'
import { type Key, keyForm } from '#lib/store/keys.ts'
import { type Change, present } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { claimKey, type Dialled, findHolders, numberAt, placeOfNumber, wordsOf } from './dialled.ts'

// Keys

export const freedKey = keyForm('EXTFREE', '<place>')

/**
 * The free list: numbers that a device gave up. A number stays in it when a device takes it without being offered it, and
 * leaves it as soon as a request comes upon it.
 */
export const freedExtensionKey = (number: number): Key => freedKey(placeOfNumber(number))

// Access patterns

/** The changes by which the numbers that a device gives up join the free list. */
export function freeNumbers(before: Dialled, after: Dialled | undefined): Change[] {
  const kept = after ? wordsOf(after) : []
  const freed = wordsOf(before).filter((word) => isPlainNumber(word) && !kept.includes(word))
  return freed.map((number): Change => ({ put: freedExtensionKey(Number(number)) }))
}

const NUMBERS_IN_ONE_PAGE = 10

/** The numbers of a range that are in the free list and that no device has, ascending. */
export async function* listFreed(store: Store, { from, to, ...range }: ExtensionRange) {
  const between = [placeOfNumber(from), placeOfNumber(to)] as const
  const query = { partition: freedKey.partition(), between, pageSize: NUMBERS_IN_ONE_PAGE }
  for await (const page of store.pages(query)) {
    const numbers = page.map(numberAt).filter((number) => isInRange({ from, to, ...range }, number))
    const holders = await findHolders(store, numbers.map(String))
    await Promise.all(numbers.filter((_, index) => holders[index]).map((number) => dropTaken(store, number)))
    yield* numbers.filter((_, index) => !holders[index])
  }
}

/** Best effort: a number that stays is dropped by the next request. Nothing changes if it was freed again meanwhile. */
const dropTaken = (store: Store, number: number): Promise<void> =>
  store
    .transact([
      { remove: freedExtensionKey(number) },
      { check: claimKey(String(number)), when: { PK: present } },
    ])
    .catch(() => undefined)
