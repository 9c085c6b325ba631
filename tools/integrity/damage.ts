import { secondsOf } from '#lib/base/calendar.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import type { Call } from '#lib/calls/call.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { keyIn } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn } from '#lib/table/table-format.ts'
import { archiveExpectations, lateCallsAmong } from './archive-rules.ts'
import type { Circumstances, Expectation } from './expectation.ts'
import { expectationsOf } from './rules.ts'
import { createTotals } from './totals.ts'

/**
 * Yields a sentence for each damage: an item that another one needs is missing or differs, a name has two
 * owners, a counter differs from its total. `pages` are all items of the table, in any order; memory holds
 * one page, the counters and late calls. With the bucket, the manifests of archived days count as their
 * calls; without it, those days are not counted. Broken items are read and checked a second time, since they
 * may have been changed during the check. Counters may seem wrong while the table is written to.
 */
export async function* findDamage(
  store: Store,
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  now: Date,
  bucket?: ArchiveBucket,
): AsyncGenerator<string> {
  const stored = await findSettings(store)
  const settings = readSettings(stored)
  const circumstances = {
    now: secondsOf(now),
    settings,
    format: formatIn(stored),
    knowsArchive: bucket !== undefined,
  }
  const totals = createTotals()
  const late: Call[] = []
  for await (const page of pages) {
    late.push(...lateCallsAmong(page, settings))
    for (const expectation of page.flatMap((item) => expectationsOf(item, circumstances)))
      totals.take(expectation)
    yield* await damageOf(store, page, circumstances)
  }
  const expected = bucket ? archiveExpectations(store, bucket, settings, late) : []
  for await (const expectation of expected) {
    if ('wrong' in expectation) yield expectation.wrong
    totals.take(expectation)
  }
  yield* totals.wrong()
}

/** The sentences about the items of a page that are still broken when they are read again. */
async function damageOf(
  store: Store,
  page: readonly Item[],
  circumstances: Circumstances,
): Promise<string[]> {
  const suspects = await findBroken(store, page, circumstances)
  const readAgain = await store.getMany([...suspects.keys()].map(keyIn))
  const existing = readAgain.filter((item) => item !== undefined)
  return [...(await findBroken(store, existing, circumstances)).values()].flat()
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
