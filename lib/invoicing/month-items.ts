import * as v from 'valibot'
import { integer, requiredText } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyForm } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import { ROW } from '#lib/table/table.ts'
import { type BilledMonth, type ByTraffic, type CallSums, NOTHING_BILLED } from './billed.ts'
import type { Month } from './month.ts'

/** The claim of an account's document for a month: there is at most one. */
export const billRunKey = keyForm('BILLRUN#<month>', '<account_id>')

/** The next number of a series of an owner's documents. */
export const seriesKey = keyForm('INVOICESERIES#<owner_id>#<series>', 'SERIES')

/** The series that gives an owner's documents of a kind their numbers. */
export const presentSeriesKey = keyForm('INVOICESERIES#<owner_id>#<kind>', 'PRESENT')

export const billedKey = keyForm('BILLED#<account_id>', '<month>')

const outcomes = ['invoice', 'credit_note', 'empty'] as const

const runSchema = v.object({
  outcome: v.picklist(outcomes),
  /** The id of the document; absent for an empty month. */
  id: v.optional(v.number()),
  number: v.optional(v.string()),
})

export type BillRun = v.InferOutput<typeof runSchema>

export const readBillRun = (item: Item | undefined): BillRun | undefined => item && v.parse(runSchema, item)

export const claimMonth = (month: Month, accountId: number, run: BillRun): Change => ({
  put: { ...billRunKey(month, accountId), ...run },
  when: { PK: absent },
})

const seriesSchema = v.object({
  first: integer().schema,
  next: integer().schema,
  left: v.optional(v.boolean()),
})

/**
 * The first number that was given out here, and the next one. The counters of a seller's other formats may
 * have passed the next number of a series that was left: it is looked for again.
 */
export type NumberSeries = v.InferOutput<typeof seriesSchema>

export const readSeries = (item: Item | undefined): NumberSeries | undefined =>
  item && v.parse(seriesSchema, item)

const presentSchema = v.object({ series: requiredText.schema })

export const readPresentSeries = (item: Item | undefined): string | undefined =>
  item && v.parse(presentSchema, item).series

/** Takes the next number of a series. It fails if another document has taken it, or the series was left. */
export const takeNumber = (key: Key, { first, next }: NumberSeries): Change => ({
  update: key,
  to: { set: { first, next: next + 1 } },
  when: { next: is(next), left: absent },
})

const sums = v.strictTuple([v.number(), v.number(), v.string()])

/** The days of a month are keys of two digits. */
const byDay = <S extends v.GenericSchema>(value: S) => v.record(v.pipe(v.string(), v.regex(/^\d\d$/)), value)

const traffic = <S extends v.GenericSchema>(value: S) => v.object({ own: byDay(value), resold: byDay(value) })

const partSchema = v.object({
  number: requiredText.schema,
  calls: traffic(sums),
  charges: v.record(v.string(), v.string()),
  minimum: v.string(),
})

const billedSchema = v.object({
  parts: v.record(v.string(), partSchema),
  seen: traffic(v.number()),
  minimum: v.string(),
  credited: v.array(v.number()),
})

/** A month as it was read; version 0 if nothing was billed of it. */
export interface StoredBilled {
  readonly month: Month
  readonly billed: BilledMonth
  readonly version: number
}

export function readBilled(month: Month, item: Item | undefined): StoredBilled {
  if (!item) return { month, billed: NOTHING_BILLED, version: 0 }
  const { parts, seen, ...others } = v.parse(billedSchema, JSON.parse(String(item[ROW])))
  const inMonth = <T>(days: Readonly<Record<string, T>>) => renamed(days, (day) => `${month}-${day}`)
  const billed = {
    ...others,
    parts: Object.fromEntries(
      Object.entries(parts).map(([id, part]) => [
        id,
        { ...part, calls: eachTraffic(part.calls, (days) => mapped(inMonth(days), fromTuple)) },
      ]),
    ),
    seen: eachTraffic(seen, inMonth),
  }
  return { month, billed, version: Number(item['version']) }
}

/** Replaces the billed sums of a month. Fails if another document has changed them meanwhile. */
export function replaceBilled(
  accountId: number,
  { month, version }: Pick<StoredBilled, 'month' | 'version'>,
  { parts, seen, minimum, credited }: BilledMonth,
): Change {
  const shortDays = <T>(days: Readonly<Record<string, T>>) => renamed(days, (day) => day.slice(-2))
  const row = {
    parts: mapped(parts, (part) => ({
      ...part,
      calls: eachTraffic(part.calls, (days) => mapped(shortDays(days), toTuple)),
    })),
    seen: eachTraffic(seen, shortDays),
    minimum,
    credited,
  }
  return {
    put: { ...billedKey(accountId, month), [ROW]: JSON.stringify(row), version: version + 1 },
    when: version === 0 ? { PK: absent } : { version: is(version) },
  }
}

type Named<T> = Readonly<Record<string, T>>

const mapped = <T, U>(values: Named<T>, change: (value: T) => U): Named<U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

const renamed = <T>(values: Named<T>, rename: (name: string) => string): Named<T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]))

const eachTraffic = <T, U>({ own, resold }: ByTraffic<T>, change: (value: T) => U): ByTraffic<U> => ({
  own: change(own),
  resold: change(resold),
})

const toTuple = ({ calls, seconds, amount }: CallSums) => [calls, seconds, amount] as const

type SumsTuple = ReturnType<typeof toTuple>

const fromTuple = ([calls, seconds, amount]: SumsTuple): CallSums => ({ calls, seconds, amount })
