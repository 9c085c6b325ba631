import type { Day } from './calendar.ts'
import { memoize } from './collections.ts'
import { isDay } from './day.ts'
import { hexDigest } from './digest.ts'
import type { ScopeKind } from './scope.ts'

/**
 * The partitions of the calls in progress and of the counters of a day. DynamoDB limits a partition's writes,
 * and a list queries each: a busy table needs many, and a small one answers sooner with few.
 */
export interface Shards {
  /** Writers spread over this number. */
  readonly written: number
  /** Readers ask for these: every number that was ever written, ascending, and one that is about to be. */
  readonly asked: readonly number[]
}

/** Possible numbers of shards. Each divides the next, so that lists of both share partitions. */
export const SHARD_COUNTS = [2, 4, 8, 16, 32, 64] as const

/** The numbers that were written, the present one last, and the one that the table grows to. */
export const SHARDS = 'shards'
export const NEXT_SHARDS = 'shards_next'

/** A new table begins with the smallest number. */
export const SHARDS_OF_NEW_TABLE = [SHARD_COUNTS[0]]

/** Tables of earlier releases do not name their number. */
const SHARDS_OF_OLD_TABLE = [16]

/** The numbers of a table, from the item of its settings. */
export function shardsIn(stored: Readonly<Record<string, unknown>>): Shards {
  const written = (stored[SHARDS] ?? SHARDS_OF_OLD_TABLE) as readonly number[]
  const next = stored[NEXT_SHARDS] as number | undefined
  return { written: largestOf(written), asked: next === undefined ? written : [...written, next] }
}

const largestOf = (numbers: readonly number[]): number => Math.max(...numbers)

/** Lists of calls in progress: each of these partitions has some of them. */
export const listShards = ({ asked }: Shards): number => largestOf(asked)

/** The calls in progress of one account are in few partitions, so that its list asks no more of them. */
const MOST_SHARDS_OF_USER = 4

/** The partitions with the calls in progress of an account, out of `shards`. */
export function shardsOfUser(user: number, written: number): number[] {
  const own = Math.min(MOST_SHARDS_OF_USER, Math.max(1, written / MOST_SHARDS_OF_USER))
  const first = (user % (written / own)) * own
  return Array.from({ length: own }, (_, index) => first + index)
}

/** The same for a reader: its calls were written when there were fewer, too. */
export const askedShardsOfUser = (user: number, { asked }: Shards): number[] => [
  ...new Set(asked.flatMap((number) => shardsOfUser(user, number))),
]

/**
 * The most items that share the counting of one day: as many batches can be stored at once without a
 * conflict. A count costs two units, and DynamoDB writes 1,000 units a second to a partition key.
 */
export const MOST_COUNTERS: Readonly<Record<ScopeKind, number>> = { user: 2, owner: 4, everyone: 8 }

const FEWEST_COUNTERS = 2

/** The busiest list and the counters of everyone reach their full numbers together, at 16. */
const SHARDS_OF_MOST_COUNTERS = 16

/** The items that share the counting of one day while a table has this number of shards. */
export const countersOf = (kind: ScopeKind, shards: number): number =>
  Math.min(
    MOST_COUNTERS[kind],
    Math.max(FEWEST_COUNTERS, (shards * MOST_COUNTERS[kind]) / SHARDS_OF_MOST_COUNTERS),
  )

/**
 * A wholesale customer's day has as many partitions as an owner's. DynamoDB does not split a partition key
 * whose sort keys ever increase (AWS Database Blog, Scaling DynamoDB, part 2, split for heat), so that one
 * takes 1,000 calls a second.
 */
export const PARTS_OF_DAY = 4

/** Each makes the item of the settings larger, which every request reads. */
const MOST_WHOLESALE_CUSTOMERS = 10

/** `10:2026-12-01,12:2026-12-24`: ids of customers, and the first day that has several partitions. */
export const isWholesaleList = (text: string): boolean =>
  text.split(',').length <= MOST_WHOLESALE_CUSTOMERS &&
  text.split(',').every((one) => /^\d{1,15}:/.test(one) && isDay(one.replace(/^\d+:/, ''))) &&
  firstDays(text).size === text.split(',').length

const firstDays = memoize(
  (text: string): ReadonlyMap<number, Day> =>
    new Map(
      text.split(',').map((one): [number, Day] => {
        const [customer, day = ''] = one.split(':')
        return [Number(customer), day]
      }),
    ),
)

/** The settings that decide which partitions list a customer's calls. */
export interface CallLists {
  readonly Wholesale_Customers: string
  /** The first day whose calls are listed by month; blank for all days, `~` for none. */
  readonly byMonthFrom: Day
}

/** An attribute of the settings' item. New tables list all calls by month, earlier ones from a day on. */
export const BY_MONTH_FROM = 'calls_by_month_from'

/** A table without lists of months, or an item that no list shows. */
export const LISTED_BY_DAY: CallLists = { Wholesale_Customers: '', byMonthFrom: '~' }

/** The number of partitions that a customer's day has by the list of wholesale customers. */
export const partsOfDay = (
  { Wholesale_Customers: wholesale }: CallLists,
  customer: number,
  day: Day,
): number => (wholesale !== '' && day >= (firstDays(wholesale).get(customer) ?? '~') ? PARTS_OF_DAY : 1)

/** Whether one partition lists the calls of the customer's month: one query then reads all its days. */
export const isListedByMonth = (lists: CallLists, customer: number, day: Day): boolean =>
  day >= lists.byMonthFrom && partsOfDay(lists, customer, day) === 1

/** The partition of a call, out of those of its customer's day. */
export const partOfId = (uniqueid: string, parts: number): number =>
  parts === 1 ? 0 : Number.parseInt(hexDigest(uniqueid).slice(0, 8), 16) % parts
