import { addDays, type Day, EVERY_DAY, secondsOf } from '#lib/base/calendar.ts'
import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import { openCallArchive } from '#lib/calls/archive/call-archive.ts'
import { createDaySums, type DaySums, NO_SUMS, talliesIn } from '#lib/calls/archive/day-sums.ts'
import { type Manifest, readManifest } from '#lib/calls/archive/manifest.ts'
import { type Call, identityName, isCall, readCall } from '#lib/calls/call.ts'
import { listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { isArchivedDay, type Retention } from '#lib/calls/retention.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { keyIn } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn } from '#lib/table/table-format.ts'
import { chargedTo } from './balance-rules.ts'
import { addsToDay, isLeaving } from './call-rules.ts'
import type { Circumstances, Expectation } from './expectation.ts'
import { expectationsOf } from './rules.ts'

/**
 * Yields a sentence for each damage: an item that another one needs is missing or differs, a name has two
 * owners, a counter differs from its total. `pages` are all items of the table, in any order; memory holds
 * one page, the counters and late calls. With the bucket, the manifest of an archived day counts as its
 * calls, or its files if some calls are late; without it, those days are not counted. Broken items are read
 * and checked a second time, since they may have been changed during the check. Counters may seem wrong while
 * the table is written to.
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
    bucket,
  }
  const totals = createTotals()
  const late: Call[] = []
  for await (const page of pages) {
    late.push(...lateCallsAmong(page, settings))
    const expected = expectedOf(page, circumstances)
    for (const { expectation } of expected) totals.take(expectation)
    yield* await damageOf(store, expected, circumstances)
  }
  const expected = bucket ? archiveExpectations(store, bucket, settings, late) : []
  for await (const expectation of expected) {
    if ('wrong' in expectation) yield expectation.wrong
    totals.take(expectation)
  }
  yield* totals.wrong()
}

interface Expected<E extends Expectation> {
  readonly item: Item
  readonly expectation: E
}

const expectedOf = (items: readonly Item[], circumstances: Circumstances): Expected<Expectation>[] =>
  items.flatMap((item) => expectationsOf(item, circumstances).map((expectation) => ({ item, expectation })))

/** The sentences about the items of a page that are still broken when they are read again. */
async function damageOf(
  store: Store,
  expected: readonly Expected<Expectation>[],
  circumstances: Circumstances,
): Promise<string[]> {
  const suspects = await findBroken(store, expected)
  const readAgain = await store.getMany([...suspects.keys()].map(keyIn))
  const existing = readAgain.filter((item) => item !== undefined)
  return [...(await findBroken(store, expectedOf(existing, circumstances))).values()].flat()
}

/** The broken items, each with the sentences of its damage. */
async function findBroken(store: Store, all: readonly Expected<Expectation>[]): Promise<Map<Item, string[]>> {
  const expected = all.filter(isTestable)
  const found = await store.getMany(
    expected.flatMap(({ expectation }) => ('at' in expectation ? [expectation.at] : [])),
  )
  const sentences = new Map<Item, string[]>()
  for (const { item, expectation } of expected) {
    const sentence = await sentenceOf(store, expectation, () => found.shift())
    if (sentence) sentences.set(item, [...(sentences.get(item) ?? []), sentence])
  }
  return sentences
}

type ExpectedItem = Extract<Expectation, { at: unknown }>

type Testable = ExpectedItem | Extract<Expectation, { wrong: string } | { wrongIf: unknown }>

const isTestable = (one: Expected<Expectation>): one is Expected<Testable> =>
  'at' in one.expectation || 'wrong' in one.expectation || 'wrongIf' in one.expectation

async function sentenceOf(
  store: Store,
  expectation: Testable,
  nextFound: () => Item | undefined,
): Promise<string | undefined> {
  if ('wrongIf' in expectation) return expectation.wrongIf(store)
  return 'wrong' in expectation ? expectation.wrong : unmet(expectation, nextFound())
}

/** `finds` throws for an item that cannot be read. The rule of that item reports the reason. */
function unmet({ finds, otherwise }: ExpectedItem, found: Item | undefined): string | undefined {
  try {
    return finds(found) ? undefined : otherwise
  } catch {
    return otherwise
  }
}

/** Collects expectations that only the whole table can meet. */
interface Totals {
  readonly take: (expectation: Expectation) => void
  /** Returns a sentence for each expectation that is not met. */
  readonly wrong: () => string[]
}

/** Totals, ids and needs. Their memory grows with the number of counters, not of items. */
export function createTotals(): Totals {
  const totals = [createSums(), createIds(), createNeeds()]
  return {
    take: (expectation) => {
      for (const total of totals) total.take(expectation)
    },
    wrong: () => totals.flatMap((total) => total.wrong()),
  }
}

interface Sum {
  readonly counted: Money
  readonly actual: Money
  readonly mayBeUncounted: boolean
}

const EMPTY: Sum = { counted: ZERO, actual: ZERO, mayBeUncounted: true }

function createSums(): Totals {
  const sums = new Map<string, Sum>()
  return {
    take: (expectation) => {
      if (!('total' in expectation)) return
      const { total } = expectation
      sums.set(total, addTo(sums.get(total) ?? EMPTY, expectation))
    },
    wrong: () =>
      [...sums]
        .filter(
          ([, { counted, actual, mayBeUncounted }]) => !mayBeUncounted && !isZero(subtract(counted, actual)),
        )
        .map(
          ([total, { counted, actual }]) =>
            `The counter of ${total} is ${counted}, but the total is ${actual}.`,
        ),
  }
}

function addTo(sum: Sum, expectation: Extract<Expectation, { total: string }>): Sum {
  if ('counts' in expectation)
    return { ...sum, counted: add(sum.counted, String(expectation.counts)), mayBeUncounted: false }
  const mayBeUncounted = sum.mayBeUncounted && expectation.mayBeUncounted === true
  return { ...sum, actual: add(sum.actual, String(expectation.adds)), mayBeUncounted }
}

function createIds(): Totals {
  const highest = { used: new Map<string, number>(), reached: new Map<string, number>() }
  const raise = (side: keyof typeof highest, kind: string, id: number) =>
    void highest[side].set(kind, Math.max(highest[side].get(kind) ?? 0, id))
  return {
    take: (expectation) => {
      if ('used' in expectation) raise('used', expectation.ids, expectation.used)
      if ('reached' in expectation) raise('reached', expectation.ids, expectation.reached)
    },
    wrong: () =>
      [...highest.used].flatMap(([kind, used]) => {
        const reached = highest.reached.get(kind) ?? 0
        return used > reached
          ? [`The counter of ${kind} ids is at ${reached}, but id ${used} is in use.`]
          : []
      }),
  }
}

function createNeeds(): Totals {
  const needs = new Map<string, string>()
  const given = new Set<string>()
  return {
    take: (expectation) => {
      if ('needs' in expectation) needs.set(expectation.needs, expectation.otherwise)
      if ('gives' in expectation) given.add(expectation.gives)
    },
    wrong: () => [...needs].flatMap(([need, otherwise]) => (given.has(need) ? [] : [otherwise])),
  }
}

/** Calls that arrived after their day was archived. The archive may have earlier versions of them. */
export const lateCallsAmong = (items: readonly Item[], settings: Retention): Call[] =>
  settings.archivedBefore === undefined
    ? []
    : items
        .filter((item) => isCall(item) && !isLeaving(item))
        .map(readCall)
        .filter(({ day }) => isArchivedDay(day, settings))

/** Archived days add up to their counters, together with the late calls of the table. */
export async function* archiveExpectations(
  store: Store,
  bucket: ArchiveBucket,
  { archivedBefore }: Retention,
  late: readonly Call[],
): AsyncGenerator<Expectation> {
  if (archivedBefore === undefined) return
  const lateOn = Map.groupBy(late, ({ day }) => day)
  const till = addDays(archivedBefore, -1)
  for (const { day } of await listDaysOfCalls(store, 'everyone', { from: EVERY_DAY.from, till })) {
    const stored = await readManifest(bucket, day)
    if (!stored) continue
    const lateCalls = lateOn.get(day) ?? []
    if (lateCalls.length === 0) yield* await filesOf(bucket, stored.manifest)
    yield* totalsOf(lateCalls.length === 0 ? stored.manifest : await sumsWithout(bucket, day, lateCalls), day)
  }
}

const totalsOf = (sums: DaySums, day: Day): Expectation[] => [
  ...addsToDay(talliesIn(sums), day),
  ...Object.entries(sums.charged).map(([account, adds]) => chargedTo(account, { adds })),
]

/**
 * The sums of the archived calls of a day, without the late ones, which count as the table has them. Files
 * tell them, not the manifest: a run that was killed or refused may have replaced files alone.
 */
async function sumsWithout(bucket: ArchiveBucket, day: Day, late: readonly Call[]): Promise<DaySums> {
  const names = new Set(late.map(identityName))
  const sums = createDaySums(NO_SUMS)
  for await (const items of openCallArchive(bucket).calls(day))
    for (const call of items.map(readCall)) if (!names.has(identityName(call))) sums.add(call)
  return sums.total()
}

/** A run that takes in late calls may end between the files and the manifest. The next one writes both. */
async function filesOf(bucket: ArchiveBucket, { day, files }: Manifest): Promise<Expectation[]> {
  const found = await Promise.all(
    files.map(async (file) => ({ ...file, object: await bucket.open(file.key) })),
  )
  const differing = found.filter(({ bytes, object }) => object?.bytes !== bytes)
  return differing.map(({ key, bytes, object }) => ({
    wrong: `${key} has ${object?.bytes ?? 'no'} bytes, but the manifest of ${day} says ${bytes}: run npx tollgate archive run.`,
  }))
}
