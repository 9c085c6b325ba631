import * as v from 'valibot'
import { DAY_SECONDS, type Day, type Days, HOUR_SECONDS } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { ZERO } from '#lib/base/money.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { table } from '#lib/table/table.ts'
import { tallyEntries } from './call-stats.ts'
import type { Tally } from './statistics.ts'

/** The dimensions whose largest groups of calls are kept for each day. */
export const GROUPED_BY = ['customer', 'destination'] as const

export type GroupedBy = (typeof GROUPED_BY)[number]

/** The largest groups of a day. All of it can be computed again from the calls of the day. */
export const dayGroupsKey = keyForm('DAYGROUPS#<by>', '<day>')

/** Sums of a day's calls by the UTC hour they began in, in pages. Only changed hours are read again. */
export const hourGroupsKey = keyForm('DAYGROUPS#HOURS#<day>', '<hour>#<page>')

/** The names of the customers with the most calls of the newest day. */
export const busyNamesKey = keyForm('DAYGROUPS', 'NAMES')

const group = v.object({
  /** The id of the customer; null for a destination. */
  id: v.nullable(v.number()),
  name: v.string(),
  attempts: v.number(),
  answered: v.number(),
  seconds: v.number(),
  revenue: v.string(),
  cost: v.string(),
  /** The number of calls whose cost is unknown, and their revenue. Version 1.0 did not store them. */
  unknownCost: v.optional(v.number(), 0),
  unknownRevenue: v.optional(v.string(), ZERO),
})

export type GroupOfCalls = Readonly<v.InferOutput<typeof group>>

const GROUP_CELLS = v.keyof(group).options

/** An array instead of named values: a month of such items is one read of the console. */
const storedGroup = v.pipe(
  v.array(v.unknown()),
  v.transform((cells) => Object.fromEntries(GROUP_CELLS.map((name, index) => [name, cells[index]]))),
  group,
)

export const dayGroupsSchema = v.object({
  /** An ISO date-time. */
  at: v.string(),
  /** The counters of everyone before the calls were read. */
  ...tallyEntries,
  below_cost: v.number(),
  /** Answered calls without a price: dialled texts that are not phone numbers. 1.0 did not count them. */
  unpriced: v.optional(v.number(), 0),
  /** Calls that somebody charged as of a caller without a usable number; absent for none. */
  invalid_callers: v.optional(v.number(), 0),
  /** Everyone's counter of calls of unknown cost before the calls were read. Version 1.0 did not have it. */
  unknown_cost: v.optional(v.number(), 0),
  groups: v.pipe(v.string(), v.parseJson(), v.array(storedGroup)),
})

export interface DayGroups {
  readonly day: Day
  readonly by: GroupedBy
  /** An ISO date-time. */
  readonly at: string
  readonly tally: Tally
  readonly belowCost: number
  readonly unpriced: number
  readonly invalidCallers: number
  readonly unknownCost: number
  readonly groups: readonly GroupOfCalls[]
}

const itemOf = ({
  day,
  by,
  at,
  tally,
  belowCost,
  unpriced,
  invalidCallers,
  unknownCost,
  groups,
}: DayGroups) => ({
  ...dayGroupsKey(by, day),
  ...tally,
  at,
  below_cost: belowCost,
  unpriced,
  ...(invalidCallers > 0 && { invalid_callers: invalidCallers }),
  unknown_cost: unknownCost,
  groups: groupsText(groups),
})

export const groupsText = (groups: readonly GroupOfCalls[]): string =>
  JSON.stringify(groups.map((one) => cellsFor(one).map((name) => one[name])))

/** The last two cells of a group without calls of unknown cost are left out. */
const cellsFor = ({ unknownCost }: GroupOfCalls) => GROUP_CELLS.slice(0, unknownCost === 0 ? -2 : undefined)

/** The name of a customer that has no account, or wants to be forgotten. */
export const unnamed = (account: number): string => `account ${account}`

const hourRow = v.tuple([
  /** The id of a customer, or the name of a destination. */
  v.union([v.number(), v.string()]),
  v.object({
    attempts: v.number(),
    answered: v.number(),
    billsec: v.number(),
    revenue: v.string(),
    cost: v.string(),
    unknownCost: v.number(),
    unknownRevenue: v.string(),
  }),
])

const hourPage = v.object({
  pages: v.number(),
  below_cost: v.number(),
  unpriced: v.number(),
  invalid_callers: v.optional(v.number(), 0),
  groups: v.pipe(v.string(), v.parseJson(), v.array(hourRow)),
})

/** All customers and destinations with calls in an hour of a day. */
export interface HourGroups {
  readonly groups: readonly v.InferOutput<typeof hourRow>[]
  readonly belowCost: number
  readonly unpriced: number
  readonly invalidCallers: number
}

/** At most 360 KB of groups: the longest name of a destination has 60 characters. */
const GROUPS_IN_ONE_PAGE = 1500

/** A day is read again only if calls of it change, so its hours may leave the table. */
const HOURS_STAY_SECONDS = 100 * DAY_SECONDS

export async function putHour(store: Store, day: Day, hour: number, sums: HourGroups): Promise<void> {
  const pages = [...slices(sums.groups, GROUPS_IN_ONE_PAGE)]
  for (const [page, groups] of pages.length === 0 ? [[0, []] as const] : pages.entries()) {
    const cells = {
      pages: pages.length,
      below_cost: page === 0 ? sums.belowCost : 0,
      unpriced: page === 0 ? sums.unpriced : 0,
      ...(page === 0 && sums.invalidCallers > 0 && { invalid_callers: sums.invalidCallers }),
      groups: JSON.stringify(groups),
      [table.timeToLive]: hour * HOUR_SECONDS + HOURS_STAY_SECONDS,
    }
    await store.transact([{ put: { ...hourGroupsKey(day, String(hour), String(page)), ...cells } }])
  }
}

/** The stored hours of a day, page by page. An hour that has become smaller leaves pages behind. */
export async function storedHours(store: Store, day: Day): Promise<(HourGroups & { hour: number })[]> {
  const items = await store.list({ partition: hourGroupsKey.partition(day) })
  const stored = items.map((item) => {
    const [hour = 0, page = 0] = String(item['SK']).split('#').map(Number)
    const { pages, below_cost: belowCost, invalid_callers: invalidCallers, ...rest } = v.parse(hourPage, item)
    return { hour, page, pages, belowCost, invalidCallers, ...rest }
  })
  const pages = new Map(stored.flatMap((one) => (one.page === 0 ? [[one.hour, one.pages]] : [])))
  return stored.filter(({ hour, page }) => page < (pages.get(hour) ?? 0))
}

/** The groups of a dimension on the days of a range that are summed up, by day. Read eventually. */
export async function listDayGroups(
  store: Store,
  by: GroupedBy,
  { from, till }: Days,
): Promise<ReadonlyMap<Day, DayGroups>> {
  const partition = dayGroupsKey.partition(by)
  const items = await store.list({ partition, between: [from, till], eventual: true })
  return new Map(
    items.map((item) => {
      const stored = v.parse(dayGroupsSchema, item)
      const { at, groups, unpriced, ...sums } = stored
      const { below_cost: belowCost, invalid_callers: invalidCallers, ...counted } = sums
      const { unknown_cost: unknownCost, ...tally } = counted
      const day = String(item['SK'])
      return [day, { day, by, at, tally, belowCost, unpriced, invalidCallers, unknownCost, groups }]
    }),
  )
}

export const putDayGroups = (store: Store, groups: readonly DayGroups[]): Promise<void> =>
  store.transact(groups.map((one) => ({ put: itemOf(one) })))

/** Customers by id. A name is at most this long, so that a thousand fit into an item. */
export type BusyNames = ReadonlyMap<number, string>

const MAX_NAME_LENGTH = 60

export const busyNamesSchema = v.pipe(v.string(), v.parseJson(), v.array(v.tuple([v.number(), v.string()])))

export const putBusyNames = (store: Store, names: BusyNames): Promise<void> => {
  const short = [...names].filter(([, name]) => name.length <= MAX_NAME_LENGTH)
  const sorted = short.sort(([one], [other]) => one - other)
  return store.transact([{ put: { ...busyNamesKey(), names: JSON.stringify(sorted) } }])
}

export async function findBusyNames(store: Store): Promise<BusyNames> {
  const [item] = await store.getMany([busyNamesKey()], 'eventual')
  return new Map(item ? v.parse(busyNamesSchema, item['names']) : [])
}
