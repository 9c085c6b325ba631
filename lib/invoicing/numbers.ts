import type { Day } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { type CreditNote, listCreditNotes } from '#lib/billing/credit-note.ts'
import { type ListedInvoice, listInvoiceRows } from '#lib/billing/invoice.ts'
import { findNumberFormats, type NumberedKind, type NumberFormats } from '#lib/billing/number-formats.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Key } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import { ConditionFailed, repeating } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import {
  type NumberSeries,
  presentSeriesKey,
  readPresentSeries,
  readSeries,
  seriesKey,
  takeNumber,
} from './month-items.ts'

/** The numbers of an owner's documents, which remember the next one. */
export interface Numbers {
  readonly store: Store
  readonly formats: NumberFormats
  readonly owner_id: number
  readonly known: Map<string, NumberSeries>
}

/** A run keeps the formats of its begin. */
export const openNumbers = async (store: Store, settings: Settings, owner_id: number): Promise<Numbers> => ({
  store,
  formats: await findNumberFormats(store, settings, owner_id),
  owner_id,
  known: new Map(),
})

/** A series has its year, if the format names one, and the place of the number: `A-2026-{n}`. */
const seriesOf = ({ formats }: Numbers, kind: NumberedKind, day: Day): string =>
  formats[kind].replaceAll('{year}', day.slice(0, 4))

/** The changes that store a document of a number. `orderedId` is an id whose order is that of the numbers. */
type ChangesFor<T> = (
  number: string,
  orderedId: number,
) => { readonly changes: readonly Change[]; readonly document: T }

/**
 * Stores a document and takes its number in one transaction: a number exists only with its document. If
 * another document has taken the number, the next one is used. Throws ConditionFailed for all other reasons.
 */
export async function storeNumbered<T>(
  numbers: Numbers,
  kind: NumberedKind,
  day: Day,
  changesFor: ChangesFor<T>,
  lostRaces = 0,
): Promise<T> {
  let takes = 1
  const attempt = async () => {
    const { series, next, number, orderedId, taken } = await nextNumber(numbers, kind, day, lostRaces)
    const { changes, document } = changesFor(number, orderedId)
    numbers.known.delete(series)
    takes = taken.length
    await numbers.store.transact([...taken, ...changes])
    numbers.known.set(series, { ...next, next: next.next + 1 })
    return document
  }
  const isNumberLost = (error: Error) =>
    error instanceof ConditionFailed && error.failed.every((index) => index < takes)
  return repeating(numbers.store.meter, attempt, isNumberLost)
}

/** The next number of a series, the id that is in its order, and the changes that take it. */
export async function nextNumber(numbers: Numbers, kind: NumberedKind, day: Day, lostRaces: number) {
  const series = seriesOf(numbers, kind, day)
  const key = seriesKey(numbers.owner_id, series)
  const known = numbers.known.get(series)
  const { next, taken } = known
    ? { next: known, taken: [takeNumber(key, known)] }
    : await findSeries(numbers, kind, key, series)
  return {
    ...{ series, next, taken },
    number: series.replaceAll('{n}', String(next.next)),
    orderedId: idInOrder(`${numbers.owner_id} ${series}`, next.next, lostRaces),
  }
}

/** Ids of numbered documents lie above those of documentIdOf. */
const FIRST_ORDERED_ID = 500_000_000_000_000
const SERIES = 499_999
const NUMBERS_OF_A_SERIES = 1_000_000_000

/** Two series may share their ids, and an id may be taken: then the next attempts use others. */
const TRIES_IN_ORDER = 3

function idInOrder(series: string, count: number, lostRaces: number): number {
  const salt = lostRaces < TRIES_IN_ORDER ? '' : ` ${lostRaces}`
  const place = Number.parseInt(hexDigest(series + salt).slice(0, 8), 16) % SERIES
  return FIRST_ORDERED_ID + place * NUMBERS_OF_A_SERIES + count
}

/**
 * A series that is new, or was left for another format, continues after every document of the seller with a
 * number of its form: imported ones, and those of other formats (`A-1{n}` and `A-{n}` both give `A-11`). It
 * ends the former series of the kind, whose runs then come here, too.
 */
async function findSeries({ store, owner_id }: Numbers, kind: NumberedKind, key: Key, series: string) {
  const presentKey = presentSeriesKey(owner_id, kind)
  const [item, present] = await store.getMany([key, presentKey])
  const stored = readSeries(item)
  const former = readPresentSeries(present)
  if (stored && !stored.left && former === series) return { next: stored, taken: [takeNumber(key, stored)] }
  const next = Math.max(stored?.next ?? 1, (await lastNumber(store, owner_id, series)) + 1)
  const first = next - (stored ? stored.next - stored.first : 0)
  const taken: Change[] = [
    {
      update: key,
      to: { set: { first, next: next + 1, left: undefined } },
      when: stored ? { next: is(stored.next) } : { PK: absent },
    },
    { put: { ...presentKey, series }, when: former === undefined ? { PK: absent } : { series: is(former) } },
  ]
  if (former !== undefined && former !== series)
    taken.push({ update: seriesKey(owner_id, former), to: { set: { left: true } } })
  return { next: { first, next }, taken }
}

/** The last number of a series that a document of its seller has; 0 for none. */
async function lastNumber(store: Store, owner: number, series: string): Promise<number> {
  const [head = '', tail = ''] = series.toLowerCase().split('{n}')
  const lists: readonly AsyncIterable<readonly (ListedInvoice | CreditNote)[]>[] = [
    listInvoiceRows(store, { owner }),
    listCreditNotes(store, { owner }),
  ]
  let last = 0
  for (const list of lists)
    for await (const page of list)
      for (const { number } of page) last = Math.max(last, countIn(number.toLowerCase(), head, tail))
  return last
}

/** The number between these texts; 0 for a document of another series. */
function countIn(number: string, head: string, tail: string): number {
  if (!number.startsWith(head) || !number.endsWith(tail)) return 0
  const digits = number.slice(head.length, number.length - tail.length)
  return /^\d{1,15}$/.test(digits) ? Number(digits) : 0
}
