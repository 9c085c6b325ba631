import { ALL_TIME, type Days } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { niceDigits } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { Call } from '../call.ts'
import { type CallPlaces, listCallDays, listCalls } from '../call-search.ts'
import { refuseArchivedDays } from '../retention.ts'
import {
  type Dimension,
  type DimensionOptions,
  type Label,
  type Labeller,
  openDimensions,
} from './dimensions.ts'
import { createCallSums, type Measure, MONEY_MEASURES, measuresOf } from './measures.ts'
import type { Report, ReportRow } from './report.ts'

export interface CallSelection {
  /** Both days are included. */
  readonly days: Days
  /** The ids of the only customers; `undefined` for all. */
  readonly customers: readonly number[] | undefined
  /** The labels that a call may have, in lower case, by dimension. */
  readonly filters: ReadonlyMap<Dimension, ReadonlySet<string>>
}

export interface CallsReportOptions extends CallSelection, DimensionOptions {
  /** The dimensions of the rows, at least one. */
  readonly by: readonly Dimension[]
  readonly measures: readonly Measure[]
}

/** A report that holds more groups of calls would need too much memory. */
const MAX_GROUPS = 500_000

/**
 * Sums up calls by dimensions. Rows ascend by their dimensions. Calls are read in the order of time, and a
 * report by day first holds the groups of one day only.
 */
export async function callsReport(
  store: Store,
  options: CallsReportOptions,
): Promise<Report & Required<Pick<Report, 'total'>>> {
  const settings = await settingsOf(store)
  refuseArchivedDays(options.days, settings)
  const decimals = niceDigits(settings)
  const labellers = await openDimensions(
    store,
    settings,
    options,
    new Set([...options.by, ...options.filters.keys()]),
  )
  const total = createCallSums()

  async function* rows(): AsyncGenerator<ReportRow> {
    for await (const groups of completeGroups({ store, settings }, options, labellers)) {
      for (const { labels, sums } of groups.sort(inOrderOf(options.by))) {
        const figures = sums.figures()
        total.addGroup(figures)
        const cells = options.by.map((dimension, index) => [dimension, labels[index] || undefined])
        yield { ...Object.fromEntries(cells), ...measuresOf(figures, options.measures, decimals) }
      }
    }
  }

  const { from, till } = options.days
  return {
    title: `Calls from ${from} to ${till} (${settings.Timezone})`,
    columns: {
      ...Object.fromEntries(options.by.map((dimension) => [dimension, kindOf(dimension)])),
      ...Object.fromEntries(options.measures.map((measure) => [measure, 'number' as const])),
    },
    rows: rows(),
    ...(options.measures.some((measure) => MONEY_MEASURES.includes(measure)) && {
      currency: settings.Default_Currency,
    }),
    total: () => measuresOf(total.figures(), options.measures, decimals),
  }
}

const kindOf = (dimension: Dimension) => (dimension === 'hangupcause' ? 'number' : 'text')

interface Group {
  readonly labels: readonly string[]
  readonly sums: ReturnType<typeof createCallSums>
}

const inOrderOf =
  (by: readonly Dimension[]) =>
  ({ labels: one }: Group, { labels: other }: Group): number => {
    const index = one.findIndex((label, index) => label !== other[index])
    const [first = '', second = ''] = [one[index], other[index]]
    const isNumber = by[index] === 'hangupcause'
    return isNumber ? Number(first) - Number(second) : ascending(first, second)
  }

type Labellers = ReadonlyMap<Dimension, Labeller>

interface CallSource {
  readonly store: Store
  readonly settings: CallPlaces
}

/** Yields groups that are complete: after each day if the day comes first, otherwise at the end. */
async function* completeGroups(
  source: CallSource,
  options: CallsReportOptions,
  labellers: Labellers,
): AsyncGenerator<Group[]> {
  const partOf = options.by[0] === 'day' ? ({ day }: Call) => day : () => ''
  let current = createGroups('')
  for await (const { calls, labels } of selectedCalls(source, options, labellers)) {
    for (const [part, callsOfPart] of Map.groupBy(calls, partOf)) {
      if (part !== current.part) {
        yield current.list()
        current = createGroups(part)
      }
      current.add(callsOfPart, labels)
    }
  }
  yield current.list()
}

function createGroups(part: string) {
  const groups = new Map<string, Group>()
  const groupOf = (labels: readonly string[]): Group => {
    const name = labels.join('\0')
    const known = groups.get(name)
    if (known) return known
    if (groups.size === MAX_GROUPS) throw new Refusal('too_many_groups', { most: MAX_GROUPS })
    const group = { labels, sums: createCallSums() }
    groups.set(name, group)
    return group
  }
  return {
    part,
    add: (calls: readonly Call[], by: readonly Label[]): void => {
      for (const call of calls) groupOf(by.map((label) => label(call))).sums.add(call)
    },
    list: (): Group[] => [...groups.values()],
  }
}

/** The selected calls by batch, in the order of time, with their labels in the rows' dimensions. */
async function* selectedCalls(
  { store, settings }: CallSource,
  { by, days, customers, filters, groups }: CallsReportOptions,
  labellers: Labellers,
) {
  const scopes = customers?.map((user) => ({ user })) ?? (['everyone'] as const)
  const found = await listCallDays(store, scopes, days, settings)
  const labelsOf = (dimensions: Iterable<Dimension>, calls: readonly Call[]): Promise<Label[]> =>
    Promise.all([...dimensions].map((name) => (labellers.get(name) as Labeller)(calls)))
  const allowed = [...filters.values()]
  for await (const batch of listCalls(store, found, ALL_TIME)) {
    const inGroups = groups ? batch.filter(({ device_id = -1 }) => groups.has(device_id)) : batch
    const filtering = await labelsOf(filters.keys(), inGroups)
    const isSelected = (call: Call): boolean =>
      filtering.every((label, index) => allowed[index]?.has(label(call).toLowerCase()))
    const calls = filtering.length > 0 ? inGroups.filter(isSelected) : inGroups
    yield { calls, labels: await labelsOf(by, calls) }
  }
}
