import { findCallers } from '#lib/accounts/account.ts'
import { refuseReversed } from '#lib/acts/inputs.ts'
import { type FiguresOfDay, TRAFFIC_DIMENSIONS } from '#lib/api/console/answers/calls.ts'
import { visibleCustomer } from '#lib/api/console/customer-scope.ts'
import { forbidden, invalidValue } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { dayValue, oneWord, wholeNumber } from '#lib/api/console/values.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import {
  addDays,
  countOfDays,
  type Day,
  type Days,
  daysBefore,
  formatIso,
  today,
} from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { type Scope, seesEveryone, widestScope } from '#lib/base/scope.ts'
import { type DayOfCalls, listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { GROUPED_BY, type GroupedBy } from '#lib/calls/counters/day-groups.ts'
import { NO_FURTHER, NOTHING } from '#lib/calls/counters/statistics.ts'
import { callsReport } from '#lib/calls/report/calls-report.ts'
import { GROUPED_DAYS, groupRange, type RangeToGroup } from '#lib/calls/report/day-groups.ts'
import type { ReportRow } from '#lib/calls/report/report.ts'

const params = {
  from: dayValue,
  till: dayValue,
  customer: wholeNumber,
  by: oneWord(...TRAFFIC_DIMENSIONS),
}

type TrafficRequest = ConsoleRequest<typeof params>

/** The counters of a year are a few dozen pages. */
const MOST_DAYS = 366

/** Fresh customers and destinations are summed up from at most this many calls, about 20 units. */
const MOST_FRESH_CALLS = 500

/** Other dimensions have no counters: up to this number the calls themselves are summed up. */
const MOST_SUMMED_CALLS = 5000

const MOST_GROUPS = 100

export const resource = defineResource({
  name: 'traffic',
  access: 'read',
  operations: [
    operation('GET', '/traffic', {
      summary:
        'The sums of whole days and of the days before them, from the counters. The operator also sees the largest groups: customers and destinations of at most 62 days, as the hourly run has summed them up; another dimension if the range has at most 5,000 calls.',
      callers: ACCOUNT_TYPES,
      params,
      run: async (request) => {
        const { settings, store } = request
        const days = daysOf(request)
        const before = daysBefore(days)
        const scope = await scopeOf(request)
        const isByDay = (request.params.by ?? 'day') === 'day'
        const { from } = isByDay ? before : days
        const counted = await listDaysOfCalls(store, scope, { from, till: days.till }, settings.shards)
        const byDay = new Map(counted.map((one) => [one.day, one]))
        return {
          currency: settings.Default_Currency,
          ...days,
          hasMoney: !(scope !== 'everyone' && 'user' in scope),
          days: figuresOf(days, byDay),
          before: isByDay ? figuresOf(before, byDay) : [],
          ...(await groupsOf(request, days, counted)),
        }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

function daysOf({ params, clock, settings }: TrafficRequest): Days {
  const day = today(clock(), settings.Timezone)
  const { till = day, from = till } = params
  refuseReversed({ from, till })
  if (countOfDays({ from, till }) > MOST_DAYS) throw invalidValue(`The range has more than ${MOST_DAYS} days`)
  return { from, till }
}

/** A customer's counters have no money: what a call earns counts for its owner. */
async function scopeOf(request: TrafficRequest): Promise<Scope> {
  const { params, caller } = request
  if (params.customer === undefined) return widestScope(caller)
  const { id } = await visibleCustomer(request, params.customer)
  return { user: id }
}

function figuresOf(
  days: Days,
  byDay: ReadonlyMap<Day, Pick<DayOfCalls, 'tally' | 'further'>>,
): FiguresOfDay[] {
  return Array.from({ length: countOfDays(days) }, (_, index) => {
    const day = addDays(days.from, index)
    const { tally, further } = byDay.get(day) ?? { tally: NOTHING, further: NO_FURTHER }
    const { calls, answered, billsec, revenue, self_cost } = tally
    return {
      day,
      attempts: calls,
      answered,
      seconds: billsec,
      revenue,
      cost: self_cost,
      unknownCost: further.unknown_cost,
      unknownRevenue: further.unknown_cost_revenue,
    }
  })
}

async function groupsOf(request: TrafficRequest, days: Days, counted: readonly DayOfCalls[]) {
  const { params, caller } = request
  const { by = 'day' } = params
  if (by === 'day') return { groups: [], grouped: null }
  if (!seesEveryone(caller)) throw forbidden(`Sums by ${by} are for the operator`)
  return isGroupedBy(by) && params.customer === undefined
    ? groupsOfEveryone(request, { by, days, counted, mostCalls: MOST_FRESH_CALLS })
    : { groups: await reportedGroups(request, days, counted), grouped: null }
}

const isGroupedBy = (by: string): by is GroupedBy => GROUPED_BY.some((one) => one === by)

async function groupsOfEveryone({ store, settings, link }: TrafficRequest, wanted: RangeToGroup) {
  if (countOfDays(wanted.days) > GROUPED_DAYS)
    throw invalidValue(`Sums by ${wanted.by} are for at most ${GROUPED_DAYS} days: choose fewer`)
  const { groups, at, ...counts } = await groupRange(store, settings, wanted)
  const calls = wanted.counted.reduce((sum, { tally }) => sum + tally.calls, 0)
  const linkOf = await link(groups.flatMap(({ id, name }) => (name === '' && id !== null ? [id] : [])))
  return {
    groups: groups.map((group) =>
      group.name === '' && group.id !== null ? { ...group, name: linkOf(group.id).name } : group,
    ),
    grouped: { at: at === undefined ? null : formatIso(at, settings.Timezone), ...counts, calls },
  }
}

async function reportedGroups(request: TrafficRequest, days: Days, counted: readonly DayOfCalls[]) {
  const { params, store } = request
  const { by = 'day' } = params
  const calls = counted.reduce((sum, { tally }) => sum + tally.calls, 0)
  if (calls > MOST_SUMMED_CALLS) throw tooManyCalls(calls, by)
  const report = await callsReport(store, {
    days,
    by: [by],
    groups: undefined,
    filters: new Map(),
    customers: params.customer === undefined ? undefined : [params.customer],
    measures: ['attempts', 'answered', 'billsec', 'revenue', 'cost', 'unknown_cost', 'unknown_cost_revenue'],
  })
  const largest = (await Array.fromAsync(report.rows))
    .sort((one, other) => Number(other['revenue']) - Number(one['revenue']))
    .slice(0, MOST_GROUPS)
  const ids = by === 'customer' ? await idsOf(request, largest) : new Map<string, number>()
  return largest.map((row) => groupIn(row, by, ids))
}

const tooManyCalls = (calls: number, by: string) =>
  new Refusal('too_many_calls', { calls, most: MOST_SUMMED_CALLS, by })

const groupIn = (row: ReportRow, by: string, ids: ReadonlyMap<string, number>) => {
  const name = String(row[by] ?? '')
  return {
    name,
    id: ids.get(name) ?? null,
    attempts: Number(row['attempts']),
    answered: Number(row['answered']),
    seconds: Number(row['billsec']),
    revenue: String(row['revenue']),
    cost: String(row['cost']),
    unknownCost: Number(row['unknown_cost']),
    unknownRevenue: String(row['unknown_cost_revenue']),
  }
}

async function idsOf({ store }: TrafficRequest, rows: readonly ReportRow[]): Promise<Map<string, number>> {
  const usernames = rows.map(({ customer }) => String(customer))
  const found = await findCallers(store, usernames)
  return new Map(found.flatMap((account) => (account ? [[account.username, account.id]] : [])))
}
