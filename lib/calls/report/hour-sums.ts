import { ALL_TIME, type Day, HOUR_SECONDS, type Period } from '#lib/base/calendar.ts'
import { INVALID } from '#lib/rates/origins/origins.ts'
import { isBelowCost } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { Call } from '../call.ts'
import { listCallDays, listCalls } from '../call-search.ts'
import { type DayOfCalls, hourOf, removeMark } from '../counters/call-stats.ts'
import { type HourGroups, putHour, storedHours } from '../counters/day-groups.ts'
import { unpricedReason } from '../rating/number-of-call.ts'
import type { LocateCalls } from './directory.ts'
import { type SumsBy, sumsUnder } from './measures.ts'

/** Whose calls are read, and how destinations are found. */
interface HourReading {
  readonly store: Store
  readonly settings: Settings
  readonly locate: LocateCalls
}

type GroupSums = ReturnType<typeof createGroups>

/** Sums up calls by ids of customers and names of destinations, all of which are in memory. */
function createGroups() {
  const sums: SumsBy<number | string> = new Map()
  let [belowCost, unpriced, invalidCallers] = [0, 0, 0]
  return {
    addCalls: async (calls: readonly Call[], { settings, locate }: HourReading): Promise<void> => {
      const destinationOf = await locate(calls)
      for (const call of calls) {
        sumsUnder(sums, call.user_id).add(call)
        sumsUnder(sums, destinationOf(call)?.destination ?? '').add(call)
        belowCost += Number(isBelowCost(call))
        unpriced += Number(unpricedReason(call, settings) !== undefined)
        invalidCallers += Number(isOfInvalidCaller(call))
      }
    },
    addHour: (hour: HourGroups): void => {
      for (const [key, figures] of hour.groups) sumsUnder(sums, key).addGroup(figures)
      belowCost += hour.belowCost
      unpriced += hour.unpriced
      invalidCallers += hour.invalidCallers
    },
    total: (): HourGroups => ({
      groups: [...sums].map(([key, one]) => [key, one.figures()]),
      belowCost,
      unpriced,
      invalidCallers,
    }),
  }
}

/** A missing number of the caller decided what the customer pays, or the carrier charges (wire.md 7.7). */
const isOfInvalidCaller = ({ origin = '', provider_origin = '' }: Call): boolean =>
  [origin, provider_origin].some((decided) => decided.split(' + ').includes(INVALID))

/** The sums of the hours of a day in these periods, ascending. Memory holds one hour. */
async function* readHours(reading: HourReading, day: Day, periods: readonly Period[]) {
  let current: readonly [hour: number, sums: GroupSums] | undefined
  for await (const [hour, calls] of callsByHour(reading, day, periods)) {
    if (current && current[0] !== hour) yield totalOf(current)
    current = current?.[0] === hour ? current : [hour, createGroups()]
    await current[1].addCalls(calls, reading)
  }
  if (current) yield totalOf(current)
}

async function* callsByHour({ store, settings }: HourReading, day: Day, periods: readonly Period[]) {
  const days = await listCallDays(store, ['everyone'], { from: day, till: day }, settings)
  for (const period of periods)
    for await (const batch of listCalls(store, days, period))
      yield* Map.groupBy(batch, ({ calldate }) => hourOf(calldate))
}

const totalOf = ([hour, sums]: readonly [number, GroupSums]) => [hour, sums.total()] as const

/** The sums of a day, all of whose calls are read. */
export async function readDay(reading: HourReading, day: Day): Promise<HourGroups> {
  const sums = createGroups()
  for await (const [, hour] of readHours(reading, day, [ALL_TIME])) sums.addHour(hour)
  return sums.total()
}

/**
 * Reads a day's marked hours again and returns the sums of all hours; `undefined` if time is up: the next run
 * continues. If calls are missing, the whole day is read: hours were never stored, or a list was late.
 */
export async function updateDay(
  reading: HourReading,
  counted: DayOfCalls,
  hasTime: () => boolean,
): Promise<HourGroups | undefined> {
  const marked = new Set(counted.hours.map(({ hour }) => hour))
  const sums = await updateHours(reading, counted, hasTime, periodsOf([...marked], counted.tally.calls))
  return sums === undefined || isWhole(sums, counted)
    ? sums
    : updateHours(reading, counted, hasTime, [ALL_TIME])
}

/** While calls are stored, the sums may have more of them than the counters that were read first. */
function isWhole({ groups }: HourGroups, { tally, hours }: DayOfCalls): boolean {
  const calls = groups.reduce((sum, [key, { attempts }]) => sum + (typeof key === 'number' ? attempts : 0), 0)
  return hours.length > 0 ? calls >= tally.calls : calls === tally.calls
}

const NO_CALLS: HourGroups = { groups: [], belowCost: 0, unpriced: 0, invalidCallers: 0 }

/** Below this number of calls, one query of some hours costs less than one of each. */
const FEW_CALLS = 20_000

/** The marked hours as periods. Hours between them are read, too, if the day has few calls. */
function periodsOf(hours: readonly number[], calls: number): Period[] {
  const gap = calls < FEW_CALLS ? Number.POSITIVE_INFINITY : HOUR_SECONDS
  const periods: { from: number; till: number }[] = []
  for (const hour of hours.toSorted((one, other) => one - other)) {
    const [from, last] = [hour * HOUR_SECONDS, periods.at(-1)]
    if (last && from - last.till <= gap) last.till = from + HOUR_SECONDS - 1
    else periods.push({ from, till: from + HOUR_SECONDS - 1 })
  }
  return periods
}

/** The hours of these periods are read, all others are taken as they are stored. */
async function updateHours(
  reading: HourReading,
  counted: DayOfCalls,
  hasTime: () => boolean,
  periods: readonly Period[],
): Promise<HourGroups | undefined> {
  const [sums, read] = [createGroups(), new Set<number>()]
  for await (const [hour, groups] of readHours(reading, counted.day, periods)) {
    if (read.size > 0 && !hasTime()) return undefined
    await keepHour(reading.store, counted, hour, groups)
    sums.addHour(groups)
    read.add(hour)
  }
  const isRead = (hour: number) => periods.some((period) => isWithin(hour, period))
  const stored = await storedHours(reading.store, counted.day)
  const known = [...counted.hours, ...stored].map(({ hour }) => hour)
  for (const hour of new Set(known.filter((one) => isRead(one) && !read.has(one))))
    await keepHour(reading.store, counted, hour, NO_CALLS)
  for (const one of stored.filter(({ hour }) => !isRead(hour))) sums.addHour(one)
  return sums.total()
}

const isWithin = (hour: number, { from, till }: Period): boolean =>
  from <= hour * HOUR_SECONDS && hour * HOUR_SECONDS <= till

/** An hour is stored before its marks are removed: a run that ends in between reads it again. */
async function keepHour(
  store: Store,
  { day, hours }: DayOfCalls,
  hour: number,
  groups: HourGroups,
): Promise<void> {
  await putHour(store, day, hour, groups)
  await Promise.all(hours.filter((one) => one.hour === hour).map((one) => removeMark(store, one)))
}
