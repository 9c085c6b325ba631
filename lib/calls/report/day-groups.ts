import { accountNames } from '#lib/accounts/account.ts'
import { companyOrPerson } from '#lib/base/account-types.ts'
import { addDays, type Day, type Days, today } from '#lib/base/calendar.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { RowLookup } from '#lib/table/entity.ts'
import { invocation, type TimeLeft } from '#lib/table/invocation.ts'
import type { Store, TableServices } from '#lib/table/store.ts'
import { type DayOfCalls, listDaysOfCalls } from '../counters/call-stats.ts'
import {
  type DayGroups,
  type GroupedBy,
  type GroupOfCalls,
  type HourGroups,
  listDayGroups,
  putBusyNames,
  putDayGroups,
  unnamed,
} from '../counters/day-groups.ts'
import { isSameTally } from '../counters/statistics.ts'
import { daysInTable } from '../retention.ts'
import { openDirectory } from './directory.ts'
import { readDay, updateDay } from './hour-sums.ts'
import { type SumsBy, sumsUnder } from './measures.ts'

/** The number of days that are summed up, today included. */
export const GROUPED_DAYS = 62

/** A day keeps this number of groups of each dimension: those with the largest revenue. */
const MOST_GROUPS = 100

/** About 25 KB, three units of an eventual read. */
const MOST_NAMES = 1000

interface GroupingRun {
  readonly store: Store
  readonly settings: Settings
  readonly now: Date
  /** No day is begun once this is false. The next run continues. */
  readonly hasTime: () => boolean
}

/**
 * Sums up the days whose counters have changed since the last time, newest first, and returns them. The
 * hours of such a day are read whose calls have changed.
 */
export async function sumUpDays(run: GroupingRun): Promise<Day[]> {
  const { store, settings, hasTime } = run
  const changed = await changedDays(run)
  if (changed.length === 0) return []
  const locate = await openDirectory(store, settings)
  const namesOf = accountNames(store, 'eventual', companyOrPerson)
  const done: Day[] = []
  for (const counted of changed) {
    if (!hasTime()) break
    const sums = await updateDay({ store, settings, locate }, counted, hasTime)
    if (!sums) break
    if (done.length === 0) await putBusyNames(store, await namesOf(busiestCustomers(sums)))
    await writeDay(run, counted, largestIn(sums), namesOf)
    done.push(counted.day)
  }
  return done
}

async function changedDays({ store, settings, now }: GroupingRun): Promise<DayOfCalls[]> {
  const till = today(now, settings.Timezone)
  const days = daysInTable({ from: addDays(till, 1 - GROUPED_DAYS), till }, settings)
  const [counted, known] = await Promise.all([
    listDaysOfCalls(store, 'everyone', days),
    listDayGroups(store, 'customer', days),
  ])
  return changedAmong(counted, known).reverse()
}

/** The days whose counters are others than those that were summed up, or that have marks. */
const changedAmong = <D extends Omit<DayOfCalls, 'late'>>(
  counted: readonly D[],
  known: ReadonlyMap<Day, DayGroups>,
): D[] =>
  counted.filter(({ day, tally, further, hours }) => {
    const groups = known.get(day)
    return (
      hours.length > 0 || !isSameTally(groups?.tally, tally) || groups?.unknownCost !== further.unknown_cost
    )
  })

type DaySums = ReturnType<typeof largestIn>

function largestIn({ groups, ...counts }: HourGroups) {
  const [customers, destinations]: [SumsBy<number>, SumsBy<string>] = [new Map(), new Map()]
  for (const [key, figures] of groups) {
    if (typeof key === 'number') sumsUnder(customers, key).addGroup(figures)
    else sumsUnder(destinations, key).addGroup(figures)
  }
  return { ...counts, customers: largestOf(customers), destinations: largestOf(destinations) }
}

const busiestCustomers = ({ groups }: HourGroups): number[] =>
  groups
    .flatMap(([key, { attempts }]) => (typeof key === 'number' ? [[key, attempts] as const] : []))
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_NAMES)
    .map(([id]) => id)

const largestOf = <K>(sums: SumsBy<K>) =>
  [...sums]
    .map(([key, one]) => {
      const { billsec, unknownSeconds: _, ...figures } = one.figures()
      return { key, seconds: billsec, ...figures }
    })
    .sort((one, other) => Number(other.revenue) - Number(one.revenue) || other.attempts - one.attempts)
    .slice(0, MOST_GROUPS)

async function writeDay(
  { store, now }: GroupingRun,
  { day, tally, further }: DayOfCalls,
  sums: DaySums,
  namesOf: RowLookup<string>,
): Promise<void> {
  const { customers, destinations, ...counts } = sums
  const names = await namesOf(customers.map(({ key }) => key))
  const about = { day, at: now.toISOString(), tally, ...counts, unknownCost: further.unknown_cost }
  await putDayGroups(store, [
    {
      ...about,
      by: 'customer',
      groups: customers.map(({ key, ...group }) => ({
        ...group,
        id: key,
        name: names.get(key) ?? unnamed(key),
      })),
    },
    { ...about, by: 'destination', groups: destinations.map(asDestination) },
  ])
}

const asDestination = ({ key, ...group }: DaySums['destinations'][number]): GroupOfCalls => ({
  ...group,
  id: null,
  name: key,
})

export interface RangeToGroup {
  readonly by: GroupedBy
  readonly days: Days
  readonly counted: readonly Omit<DayOfCalls, 'late'>[]
  /** Outdated days are summed up on the spot if they have at most this many calls together. */
  readonly mostCalls: number
}

/**
 * The days' largest groups, from the hourly run. Customers summed up on the spot have no name. `at` is the
 * ISO time of the oldest sums, unless all equal the counters; `missing` days are not summed up yet.
 */
export async function groupRange(
  store: Store,
  settings: Settings,
  { by, days, counted, mostCalls }: RangeToGroup,
) {
  const known = await listDayGroups(store, by, days)
  const changed = changedAmong(counted, known)
  if (changed.reduce((sum, { tally }) => sum + tally.calls, 0) > mostCalls) {
    const old = changed.flatMap(({ day }) => known.get(day)?.at ?? [])
    return { ...groupsOfDays([...known.values()]), at: old.sort()[0], missing: changed.length - old.length }
  }
  const locate =
    by === 'destination' && changed.length > 0
      ? await openDirectory(store, settings)
      : async () => () => undefined
  const reading = { store, settings, locate }
  const fresh = await Promise.all(changed.map(async ({ day }) => largestIn(await readDay(reading, day))))
  const rest = [...known.values()].filter(({ day }) => changed.every((one) => one.day !== day))
  return { ...groupsOfDays([...rest, ...fresh.map((sums) => groupsIn(sums, by))]), at: undefined, missing: 0 }
}

const groupsIn = ({ customers, destinations, ...counts }: DaySums, by: GroupedBy): SummedDay => ({
  ...counts,
  groups:
    by === 'customer'
      ? customers.map(({ key, ...group }) => ({ ...group, id: key, name: '' }))
      : destinations.map(asDestination),
})

type SummedDay = Pick<DayGroups, 'groups' | 'belowCost' | 'unpriced' | 'invalidCallers'>

/** Groups of several days, largest revenue first. A group counts on the days that kept it. */
function groupsOfDays(days: readonly SummedDay[]): SummedDay {
  const sums: SumsBy<string> = new Map()
  const latest = new Map<string, GroupOfCalls>()
  for (const { groups } of days) {
    for (const group of groups) {
      const key = String(group.id ?? group.name)
      sumsUnder(sums, key).addGroup({ ...group, billsec: group.seconds })
      latest.set(key, group)
    }
  }
  return {
    groups: largestOf(sums).map(({ key, ...group }) => ({
      id: latest.get(key)?.id ?? null,
      name: latest.get(key)?.name ?? '',
      ...group,
    })),
    belowCost: days.reduce((sum, { belowCost }) => sum + belowCost, 0),
    unpriced: days.reduce((sum, { unpriced }) => sum + unpriced, 0),
    invalidCallers: days.reduce((sum, { invalidCallers }) => sum + invalidCallers, 0),
  }
}

/** No day and no further hour is begun with less time left. */
const DAY_RESERVE_MS = 420_000

/** Sums up the days that have changed, and writes a line of the log. */
export const hourlySums =
  (services: TableServices) =>
  async (_event: unknown, context: TimeLeft): Promise<void> => {
    await invocation(services, 'sum_up_days', async ({ store, startedAt }) => {
      const settings = await settingsOf(store)
      const hasTime = () => context.getRemainingTimeInMillis() >= DAY_RESERVE_MS
      const days = await sumUpDays({ store, settings, now: startedAt, hasTime })
      return { outcome: 'summed up', days: days.length }
    })
  }
