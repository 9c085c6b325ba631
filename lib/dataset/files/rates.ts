import { secondsOf } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { brokenRule, NO_ROWS, type RowProblem } from '#lib/base/row-refused.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import type { LineCells } from '#lib/dataset/format/line-cells.ts'
import type { ListFormat } from '#lib/dataset/format/list-file.ts'
import { references } from '#lib/dataset/format/references.ts'
import type { StoredList } from '#lib/dataset/format/replaced-list.ts'
import {
  DESTINATION_CELLS,
  type Destination,
  destinationLine,
  directoryList,
} from '#lib/rates/destination.ts'
import { changeOf, digestLines, mergeByKey } from '#lib/rates/lines.ts'
import { originChecker, originProblem, tiedOrigins } from '#lib/rates/origins/origins.ts'
import { prefixOfLine } from '#lib/rates/prefix-pages.ts'
import { linesBeside, readLines } from '#lib/rates/prefix-versions.ts'
import {
  destinationColumns,
  type RateRow,
  rateColumns,
  rateColumnsWith,
  rateProblem,
} from '#lib/rates/rate-columns.ts'
import { planTariff } from '#lib/rates/replacement.ts'
import { findTariff, fromLine, KEY_CELLS, keyOfLine, RATE_CELLS, ratesOf, toLine } from '#lib/rates/tariff.ts'
import { describeChange } from '#lib/rates/tariff-change.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { filledRow } from '#lib/table/columns.ts'
import { tariffKey } from '#lib/table/keys.ts'

/** The leading cells are the key of a rate. */
const CELLS: LineCells = {
  names: RATE_CELLS,
  keys: KEY_CELLS,
  blank: toLine(filledRow(rateColumns, {})).split('\t'),
  within: (line) => {
    const { daytype, origin, adds } = fromLine(line)
    return { daytype, origin, adds: adds ? '1' : '' }
  },
}

/** The tariff of a row that cannot be read. */
export const tariffIn = ({ tariff_id = '' }: Cells): number | undefined =>
  /^\s*\d{1,15}\s*$/.test(tariff_id) ? Number(tariff_id) : undefined

/** The origins of a tariff after the import of a dataset. */
async function originsNow({ store, newRows }: ImportContext, id: number): Promise<Iterable<string>> {
  const tariff = newRows.origins.has(id) ? undefined : await findTariff(store, id)
  return newRows.origins.get(id) ?? linesBeside(store, ratesOf(id), tariff?.active)
}

function originOfRateProblem(
  checker: ReturnType<typeof originChecker> | undefined,
  row: RateRow,
  line: number,
): RowProblem | undefined {
  if (!checker || row.origin === '') return undefined
  if (!checker.isKnown(row.origin))
    return brokenRule(
      'origin',
      `${JSON.stringify(row.origin)} is none of tariff ${row.tariff_id}: name it in origins.csv`,
    )
  const tie = checker.tieOf(row, line)
  return tie && brokenRule('origin', `contradicts line ${tie.line}: the rates ${tiedOrigins(row, tie)}`)
}

/** The file replaces all rates of each tariff that it names. */
export const ratesFile: ListFormat<RateRow> = {
  columns: rateColumns,
  columnsFor: ({ comma }) => rateColumnsWith(comma),
  keyColumns: ['tariff_id', 'prefix', 'tariff_rate'],
  requires: references({ tariff_id: tariffKey }),
  problem: rateProblem,
  lineOf: toLine,
  listOf: ({ tariff_id }) => tariff_id,
  listIn: tariffIn,
  brings: (lists) => ({ ratedTariffs: new Set(lists.keys()) }),
  further: ({ context }) => {
    const checkerOf = memoize(async (id: number) => originChecker(await originsNow(context, id)))
    return async (rows) => {
      const ofOrigins = rows.filter(({ origin }) => origin !== '')
      const checkers = new Map<number, ReturnType<typeof originChecker>>()
      for (const { tariff_id } of ofOrigins) checkers.set(tariff_id, await checkerOf(tariff_id))
      return (row, line) => originOfRateProblem(checkers.get(row.tariff_id), row, line)
    }
  },
  stored: (id, { options: { checkUse } }) => ({
    name: `tariff ${id}`,
    pages: ratesOf(id),
    cells: CELLS,
    keyOf: keyOfLine,
    writing: {
      digestIn: (version) => version?.digest,
      digestOf: (lines) => digestLines(lines).digest,
      read: (store, version) => readLines(store, ratesOf(id), version),
      listsWith: async ({ newRows }, _version, lines) => ({ lines, beside: newRows.origins.get(id) }),
    },
    compare: async (before, after, context) => {
      const { store, clock } = context
      const origins = await originsNow(context, id)
      const obstacle = originProblem(after, fromLine, origins)
      if (obstacle !== undefined) return { counts: NO_ROWS, remarks: [], obstacle }
      const tariff = await findTariff(store, id)
      const now = secondsOf(clock())
      const plan = await planTariff(store, tariff, { id, before, after, now, origins }, checkUse)
      const report = `tariff ${id}: ${describeChange(plan.change)}; customers on it: ${plan.customers}`
      const { removals, warnings } = plan
      return { counts: plan.change.rates, remarks: [report, ...warnings], removals }
    },
  }),
}

/** The changes of a list, by the keys of its lines. */
export function lineChanges(
  before: Iterable<string>,
  after: readonly string[],
  keyOf: (line: string) => string,
) {
  const counts = { ...NO_ROWS }
  for (const group of mergeByKey(before, after, keyOf)) counts[changeOf(group)] += 1
  return counts
}

const directory: StoredList = {
  name: 'the directory of destinations',
  pages: directoryList,
  cells: { names: DESTINATION_CELLS, keys: 1, blank: ['', '', ''] },
  keyOf: prefixOfLine,
  compare: async (before, after) => ({ counts: lineChanges(before, after, prefixOfLine), remarks: [] }),
}

/** The id of the only list of its kind. */
const THE_DIRECTORY = 0

/** The file replaces the whole directory of destinations. */
export const destinationsFile: ListFormat<Destination> = {
  columns: destinationColumns,
  keyColumns: ['prefix'],
  lineOf: destinationLine,
  listOf: () => THE_DIRECTORY,
  listIn: () => THE_DIRECTORY,
  stored: () => directory,
}
