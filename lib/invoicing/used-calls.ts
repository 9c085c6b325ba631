import pMap from 'p-map'
import { ALL_TIME, type Day, monthOf, type Period } from '#lib/base/calendar.ts'
import { createSum, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { type CallLists, isListedByMonth } from '#lib/base/shards.ts'
import { type Call, callsOfScopeOn, identityName, readCall } from '#lib/calls/call.ts'
import { listCalls } from '#lib/calls/call-search.ts'
import type { DayOfCalls } from '#lib/calls/counters/call-stats.ts'
import { isConnected } from '#lib/calls/counters/statistics.ts'
import { hasFurtherSums, isArchivedDay, type Retention } from '#lib/calls/retention.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { knownArchive } from '#lib/table/call-archive.ts'
import type { Store } from '#lib/table/store.ts'
import type { CallSums, TrafficKind } from './billed.ts'
import type { LabelledCalls } from './draft.ts'

/** Finds the rows of an invoice that calls belong to. Calls of equal rows are summed up together. */
export type LabelCalls = (calls: readonly Call[]) => Promise<LabelCall>

type LabelCall = (call: Call) => Omit<LabelledCalls, 'sums'> & { readonly row: string }

/** The source of the calls, and the labels of their rows. */
export interface CallSource {
  readonly store: Store
  readonly settings: Retention & CallLists & Pick<Settings, 'countedFrom'>
  readonly labels: LabelCalls
}

/** The calls of some days: sums by day and row, and the counter `changes` of days read whole. */
export interface UsedCalls {
  readonly now: Readonly<Record<Day, CallSums>>
  readonly seen: Readonly<Record<Day, number>>
  readonly labelled: readonly LabelledCalls[]
}

const LISTS_AT_ONCE = 4

/**
 * Reads the calls of an account on these days once, page by page. Memory holds the sums. Between the days of
 * a stretch, no other one has calls.
 */
export async function readUsedCalls(
  source: CallSource,
  traffic: TrafficKind,
  accountId: number,
  stretches: readonly (readonly DayOfCalls[])[],
): Promise<UsedCalls> {
  const rows = new Map<string, ReturnType<typeof createRow>>()
  const read = stretches.flat().map((counted) => ({ counted, ofDay: createCallSums() }))
  const sumsOf = new Map(read.map(({ counted, ofDay }) => [counted.day, ofDay]))
  const readList = async (days: readonly Day[]) => {
    for await (const calls of callsOfList(source, traffic, accountId, days)) {
      const rowOf = await source.labels(calls)
      for (const call of calls) {
        const price = priceOfTraffic(traffic, call)
        const { row: id, ...label } = rowOf(call)
        const row = rows.get(id) ?? createRow(label)
        rows.set(id, row)
        sumsOf.get(call.day)?.add(call, price)
        row.add(call, price, label.prefix)
      }
    }
  }
  const daysOf = (stretch: readonly DayOfCalls[]) => stretch.map(({ day }) => day)
  const lists = stretches.flatMap((stretch) => inLists(source, traffic, accountId, daysOf(stretch)))
  await pMap(lists, readList, { concurrency: LISTS_AT_ONCE })
  const whole = read.filter(({ counted, ofDay }) => isWhole(counted, ofDay, source))
  return {
    now: Object.fromEntries(read.map(({ counted, ofDay }) => [counted.day, ofDay.sums()])),
    seen: Object.fromEntries(whole.map(({ counted }) => [counted.day, counted.further.changes])),
    labelled: [...rows.values()].map((row) => row.labelled()),
  }
}

const priceOfTraffic = (traffic: TrafficKind, { user_price = ZERO, reseller_price = ZERO }: Call): Money =>
  traffic === 'own' ? user_price : reseller_price

/** A row of calls. Its prefix is the common beginning of their prefixes. */
function createRow({ kind, destination, origin, prefix: first }: Omit<LabelledCalls, 'sums'>) {
  const sums = createCallSums()
  let prefix = first
  return {
    add: (call: Call, price: Money, other: string): void => {
      sums.add(call, price)
      while (!other.startsWith(prefix)) prefix = prefix.slice(0, -1)
    },
    labelled: (): LabelledCalls => ({ kind, destination, origin, prefix, sums: sums.sums() }),
  }
}

function createCallSums() {
  const amount = createSum()
  let [calls, seconds, all] = [0, 0, 0]
  return {
    add: (call: Call, price: Money): void => {
      all += 1
      amount.add(price)
      if (!isConnected(call.disposition)) return
      calls += 1
      seconds += call.billsec
    },
    sums: (): CallSums => ({ calls, seconds, amount: amount.total() }),
    all: () => all,
  }
}

/** A list that lags behind its counters lacks calls, or has old versions: the day is read again next time. */
const isWhole = (
  { day, tally, further }: DayOfCalls,
  read: ReturnType<typeof createCallSums>,
  { settings }: CallSource,
): boolean =>
  tally.calls === read.all() &&
  (!hasFurtherSums(day, settings) || isZero(subtract(further.charged, read.sums().amount)))

type StoredCalls = Omit<CallSource, 'labels'>

/** The calls of a customer on these days, which ascend, day by day. */
export async function* callsDuring(
  source: StoredCalls,
  customer: number,
  days: readonly Day[],
): AsyncGenerator<Call[]> {
  for (const some of inLists(source, 'own', customer, days)) yield* callsOfList(source, 'own', customer, some)
}

/** The days by the list that has their calls: those of a month are one list, or each day is. */
function inLists({ settings }: StoredCalls, traffic: TrafficKind, accountId: number, days: readonly Day[]) {
  const isOfMonth = (day: Day): boolean =>
    traffic === 'own' && !isArchivedDay(day, settings) && isListedByMonth(settings, accountId, day)
  return [...Map.groupBy(days, (day) => (isOfMonth(day) ? monthOf(day) : day)).values()]
}

/** The calls of an account in a list: those in the table, and those of an archived day that have left it. */
async function* callsOfList(
  source: StoredCalls,
  traffic: TrafficKind,
  accountId: number,
  days: readonly Day[],
): AsyncGenerator<Call[]> {
  const isWanted = ({ user_id, owner_id, direct, day }: Call) =>
    days.includes(day) && (traffic === 'own' ? user_id === accountId : owner_id === accountId && !direct)
  const scope: LimitedScope = traffic === 'own' ? { user: accountId } : { owner: accountId }
  const [day = ''] = days
  const inTable = isArchivedDay(day, source.settings) ? new Set<string>() : undefined
  for await (const calls of storedCalls(source, scope, days)) {
    for (const call of calls) inTable?.add(identityName(call))
    yield calls.filter(isWanted)
  }
  if (!inTable) return
  for await (const calls of archivedCalls(source, day))
    yield calls.filter((call) => isWanted(call) && !inTable.has(identityName(call)))
}

/** In time order, as itemised calls are. */
const storedCalls = (
  { store, settings: lists }: Pick<CallSource, 'store' | 'settings'>,
  scope: LimitedScope,
  days: readonly Day[],
): AsyncGenerator<Call[]> => {
  const queriesOn = (day: Day) => (period: Period) => callsOfScopeOn(scope, day, period, { lists })
  return listCalls(
    store,
    days.map((day) => ({ day, calls: 0, queries: queriesOn(day) })),
    ALL_TIME,
  )
}

async function* archivedCalls({ store }: Pick<CallSource, 'store'>, day: Day): AsyncGenerator<Call[]> {
  for await (const items of knownArchive(store, day).calls(day)) yield items.map(readCall)
}
