import * as v from 'valibot'
import type { Day, Days } from '#lib/base/calendar.ts'
import { ZERO } from '#lib/base/money.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { tallyEntries } from './call-stats.ts'
import type { Tally } from './statistics.ts'

/** The dimensions whose largest groups of calls are kept for each day. */
export const GROUPED_BY = ['customer', 'destination'] as const

export type GroupedBy = (typeof GROUPED_BY)[number]

// Keys

/** The largest groups of a day. All of it can be computed again from the calls of the day. */
export const dayGroupsKey = keyForm('DAYGROUPS#<by>', '<day>')

/** The names of the customers with the most calls of the newest day. */
export const busyNamesKey = keyForm('DAYGROUPS', 'NAMES')

// Shape

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
  /** Answered calls without a price: dialled texts that are no phone numbers. 1.0 did not count them. */
  unpriced: v.optional(v.number(), 0),
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
  readonly unknownCost: number
  readonly groups: readonly GroupOfCalls[]
}

const itemOf = ({ day, by, at, tally, belowCost, unpriced, unknownCost, groups }: DayGroups) => ({
  ...dayGroupsKey(by, day),
  ...tally,
  at,
  below_cost: belowCost,
  unpriced,
  unknown_cost: unknownCost,
  groups: groupsText(groups),
})

export const groupsText = (groups: readonly GroupOfCalls[]): string =>
  JSON.stringify(groups.map((one) => cellsFor(one).map((name) => one[name])))

/** The last two cells of a group without calls of unknown cost are left out. */
const cellsFor = ({ unknownCost }: GroupOfCalls) => GROUP_CELLS.slice(0, unknownCost === 0 ? -2 : undefined)

/** The name of a customer that has no account, or wants to be forgotten. */
export const unnamed = (account: number): string => `account ${account}`

// Access patterns

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
      const { at, below_cost: belowCost, unpriced, unknown_cost: unknownCost, groups, ...tally } = stored
      const day = String(item['SK'])
      return [day, { day, by, at, tally, belowCost, unpriced, unknownCost, groups }]
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
