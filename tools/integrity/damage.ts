import { secondsOf } from '#lib/domain/calendar.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import { keyIn } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { formatIn } from '#lib/store/table-format.ts'
import type { Circumstances, Expectation } from './expectation.ts'
import { expectationsOf } from './rules.ts'
import { createTotals } from './totals.ts'

/**
 * Yields a sentence for each damage: an item that another one needs is missing or differs, a name has two owners, a counter
 * differs from its total. `pages` are all items of the table, in any order; memory holds one page and the counters. Broken
 * items are read and checked a second time, since they may have been changed during the check. Counters may seem wrong
 * while the table is written to.
 */
export async function* findDamage(
  store: Store,
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  now: Date,
): AsyncGenerator<string> {
  const stored = await findSettings(store)
  const circumstances = { now: secondsOf(now), settings: readSettings(stored), format: formatIn(stored) }
  const totals = createTotals()
  for await (const page of pages) {
    for (const item of page)
      for (const expectation of expectationsOf(item, circumstances)) totals.take(expectation)
    const suspects = await findBroken(store, page, circumstances)
    const readAgain = await store.getMany([...suspects.keys()].map(keyIn))
    const existing = readAgain.filter((item) => item !== undefined)
    for (const sentences of (await findBroken(store, existing, circumstances)).values()) yield* sentences
  }
  yield* totals.wrong()
}

/** The broken items, each with the sentences of its damage. */
async function findBroken(
  store: Store,
  items: readonly Item[],
  circumstances: Circumstances,
): Promise<Map<Item, string[]>> {
  const expected = items.flatMap((item) =>
    expectationsOf(item, circumstances).flatMap((expectation) =>
      isTestable(expectation) ? [{ item, expectation }] : [],
    ),
  )
  const found = await store.getMany(
    expected.flatMap(({ expectation }) => ('at' in expectation ? [expectation.at] : [])),
  )
  const sentences = new Map<Item, string[]>()
  for (const { item, expectation } of expected) {
    const sentence = 'wrong' in expectation ? expectation.wrong : unmet(expectation, found.shift())
    if (sentence) sentences.set(item, [...(sentences.get(item) ?? []), sentence])
  }
  return sentences
}

type ExpectedItem = Extract<Expectation, { at: unknown }>

const isTestable = (
  expectation: Expectation,
): expectation is ExpectedItem | Extract<Expectation, { wrong: string }> =>
  'at' in expectation || 'wrong' in expectation

/** `finds` throws for an item that cannot be read. The rule of that item reports the reason. */
function unmet({ finds, otherwise }: ExpectedItem, found: Item | undefined): string | undefined {
  try {
    return finds(found) ? undefined : otherwise
  } catch {
    return otherwise
  }
}
