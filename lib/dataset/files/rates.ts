import { secondsOf } from '#lib/base/calendar.ts'
import { NO_ROWS } from '#lib/base/row-refused.ts'
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
import { changeOf, mergeByKey } from '#lib/rates/lines.ts'
import { prefixOfLine } from '#lib/rates/prefix-pages.ts'
import {
  destinationColumns,
  type RateRow,
  rateColumns,
  rateColumnsWith,
  rateProblem,
} from '#lib/rates/rate-columns.ts'
import { planTariff } from '#lib/rates/replacement.ts'
import { findTariff, KEY_CELLS, keyOfLine, RATE_CELLS, ratesOf, toLine } from '#lib/rates/tariff.ts'
import { describeChange } from '#lib/rates/tariff-change.ts'
import { filledRow } from '#lib/table/columns.ts'
import { tariffKey } from '#lib/table/keys.ts'

/** The leading cells are the key of a rate. */
const CELLS: LineCells = {
  names: RATE_CELLS,
  keys: KEY_CELLS,
  blank: toLine(filledRow(rateColumns, {})).split('\t'),
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
  listIn: ({ tariff_id = '' }) => (/^\s*\d{1,15}\s*$/.test(tariff_id) ? Number(tariff_id) : undefined),
  stored: (id, { context: { store, clock }, options: { checkUse } }) => ({
    name: `tariff ${id}`,
    pages: ratesOf(id),
    cells: CELLS,
    keyOf: keyOfLine,
    compare: async (before, after) => {
      const tariff = await findTariff(store, id)
      const now = secondsOf(clock())
      const plan = await planTariff(store, tariff, { id, before, after, now }, checkUse)
      const report = `tariff ${id}: ${describeChange(plan.change)}; customers on it: ${plan.customers}`
      const { removals, warnings } = plan
      return { counts: plan.change.rates, remarks: [report, ...warnings], removals }
    },
  }),
}

const directory: StoredList = {
  name: 'the directory of destinations',
  pages: directoryList,
  cells: { names: DESTINATION_CELLS, keys: 1, blank: ['', '', ''] },
  keyOf: prefixOfLine,
  compare: async (before, after) => {
    const counts = { ...NO_ROWS }
    for (const group of mergeByKey(before, after, prefixOfLine)) counts[changeOf(group)] += 1
    return { counts, remarks: [] }
  },
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
