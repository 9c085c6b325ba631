import type { Item } from '#lib/table/items.ts'
import { isUnder, type Key, keyForm } from '#lib/table/keys.ts'
import { type Change, present } from '#lib/table/requests/changes.ts'
import type { Query } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import { type ExtensionRange, isInRange, isPlainNumber } from './extension.ts'

/** Both words of a device can be dialled, so no other device has one of them as its name or extension. */
export interface Dialled {
  readonly name: string
  readonly extension: string
}

/**
 * The claim of a name or extension. Plain numbers are in numeric order in a few partitions. An account notes
 * its username here until a device of its own takes the word: the item then has `account_id` and no `id`.
 */
export const dialledKey = keyForm('DIALLED#<part>', '<place>')

const isClaim = isUnder(dialledKey)

/** An account notes its username at the claim of that word. */
export const isUsernameNote = (item: Item): boolean => isClaim(item) && item['id'] === undefined

/** New devices have consecutive numbers: a claim costs two units, so two partitions take 1,000 a second. */
const NUMBER_PARTS = 2
const NUMBER_DIGITS = 15
const LAST_NUMBER = 'N~'

const partOf = (number: number): string => `N${number % NUMBER_PARTS}`
const placeOfNumber = (number: number): string => `N${String(number).padStart(NUMBER_DIGITS, '0')}`
export const numberAt = ({ SK }: Item): number => Number(String(SK).slice(1))

const placed = (word: string): { readonly part: string; readonly place: string } =>
  isPlainNumber(word)
    ? { part: partOf(Number(word)), place: placeOfNumber(Number(word)) }
    : { part: `T${word}`, place: 'T' }

/** The claims of a device: one if its name is its extension. */
export const placesOfWords = ({ name, extension }: Dialled) => dialledWords({ name, extension }).map(placed)

export const dialledWords = ({ name, extension }: Dialled): string[] =>
  [...new Set([name, extension])].filter((word) => word !== '')

export const claimKey = (word: string): Key => dialledKey.of(placed(word))

export const freedKey = keyForm('EXTFREE', '<place>')

/**
 * The free list: numbers that a device gave up. A number stays in it when a device takes it without being
 * offered it, and leaves it as soon as a request comes upon it.
 */
export const freedExtensionKey = (number: number): Key => freedKey(placeOfNumber(number))

/** The holder of a word. */
interface Holder extends Dialled {
  readonly id: number
}

/** Undefined for the note of an account. */
export const readHolder = (claim: Item | undefined): Holder | undefined =>
  claim?.['id'] === undefined
    ? undefined
    : { id: Number(claim['id']), name: String(claim['name']), extension: String(claim['extension']) }

/** The devices that have these words as name or extension, in the order of the words. */
export const findHolders = async (store: Store, words: readonly string[]): Promise<(Holder | undefined)[]> =>
  (await store.getMany(words.map(claimKey))).map(readHolder)

/** Longer pages would read numbers far above the first gap. */
const NUMBERS_IN_ONE_PAGE = 32

/** The queries for the taken numbers from `from` on, each ascending. */
export const takenNumbersFrom = (from: number): Query[] =>
  Array.from({ length: NUMBER_PARTS }, (_, part) => ({
    partition: dialledKey.partition(partOf(part)),
    pageSize: NUMBERS_IN_ONE_PAGE,
    between: [placeOfNumber(from), LAST_NUMBER],
  }))

/** The changes by which the numbers that a device gives up join the free list. */
export function freeNumbers(before: Dialled, after: Dialled | undefined): Change[] {
  const kept = after ? dialledWords(after) : []
  const freed = dialledWords(before).filter((word) => isPlainNumber(word) && !kept.includes(word))
  return freed.map((number): Change => ({ put: freedExtensionKey(Number(number)) }))
}

const FREED_IN_ONE_PAGE = 10

/** The numbers of a range that are in the free list and that no device has, ascending. */
export async function* listFreed(store: Store, { from, to, ...range }: ExtensionRange) {
  const between = [placeOfNumber(from), placeOfNumber(to)] as const
  const query = { partition: freedKey.partition(), between, pageSize: FREED_IN_ONE_PAGE }
  for await (const page of store.pages(query)) {
    const numbers = page.map(numberAt).filter((number) => isInRange({ from, to, ...range }, number))
    const holders = await findHolders(store, numbers.map(String))
    await Promise.all(numbers.filter((_, index) => holders[index]).map((number) => dropTaken(store, number)))
    yield* numbers.filter((_, index) => !holders[index])
  }
}

/** Best effort: the next request drops a number that stays. Nothing changes if it was freed meanwhile. */
const dropTaken = (store: Store, number: number): Promise<void> =>
  store
    .transact([
      { remove: freedExtensionKey(number) },
      { check: claimKey(String(number)), when: { PK: present } },
    ])
    .catch(() => undefined)
