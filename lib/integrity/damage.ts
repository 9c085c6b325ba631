import { secondsOf } from '#lib/domain/calendar.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import { keyIn } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { statementsOf } from './rules.ts'
import type { Circumstances, Statement } from './statement.ts'
import { createTotals } from './totals.ts'

/**
 * What is wrong with the data, a sentence each: an item that another one needs and that is not there or differs, a name
 * with two owners, a counter that does not equal what it counts. `pages` are all items of the table, in any order; one
 * page and the counters are in memory, never the table. An item that was changed while it was looked at is looked at
 * once more. Counters of a table that is written to meanwhile may seem wrong.
 */
export async function* damageOf(
  store: Store,
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  now: Date,
): AsyncGenerator<string> {
  const { Default_Currency: defaultCurrency } = readSettings(await findSettings(store))
  const circumstances = { now: secondsOf(now), defaultCurrency }
  const totals = createTotals()
  for await (const page of pages) {
    for (const item of page) for (const statement of statementsOf(item, circumstances)) totals.take(statement)
    const suspects = await brokenOf(store, page, circumstances)
    const present = await store.getMany([...suspects.keys()].map(keyIn))
    const still = present.filter((item) => item !== undefined)
    for (const sentences of (await brokenOf(store, still, circumstances)).values()) yield* sentences
  }
  yield* totals.wrong()
}

/** The items that something is wrong with, each with what. */
async function brokenOf(
  store: Store,
  items: readonly Item[],
  circumstances: Circumstances,
): Promise<Map<Item, string[]>> {
  const said = items.flatMap((item) =>
    statementsOf(item, circumstances).flatMap((statement) =>
      isTestable(statement) ? [{ item, statement }] : [],
    ),
  )
  const found = await store.getMany(
    said.flatMap(({ statement }) => ('at' in statement ? [statement.at] : [])),
  )
  const sentences = new Map<Item, string[]>()
  for (const { item, statement } of said) {
    const sentence = 'wrong' in statement ? statement.wrong : brokenPointer(statement, found.shift())
    if (sentence) sentences.set(item, [...(sentences.get(item) ?? []), sentence])
  }
  return sentences
}

type Pointer = Extract<Statement, { at: unknown }>

const isTestable = (statement: Statement): statement is Pointer | Extract<Statement, { wrong: string }> =>
  'at' in statement || 'wrong' in statement

/** What is found but cannot be read says so itself; here it is not what was looked for. */
function brokenPointer({ finds, otherwise }: Pointer, found: Item | undefined): string | undefined {
  try {
    return finds(found) ? undefined : otherwise
  } catch {
    return otherwise
  }
}
