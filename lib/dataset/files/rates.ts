import { DatasetError } from '#lib/dataset/format/dataset-file.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import { missingReference, NO_ROWS } from '#lib/domain/row-refused.ts'
import { filledRow } from '#lib/store/columns.ts'
import { batchedLookup } from '#lib/store/entity.ts'
import { tariffKey } from '#lib/store/keys.ts'
import {
  DESTINATION_CELLS,
  type Destination,
  destinationLine,
  findDirectory,
  readDirectory,
  replaceDirectory,
} from '#lib/store/rates/destination.ts'
import { changeOf, mergeByKey } from '#lib/store/rates/lines.ts'
import { prefixOfLine } from '#lib/store/rates/prefix-pages.ts'
import { KEY_CELLS, keyOfLine, RATE_CELLS, toLine } from '#lib/store/rates/rate-line.ts'
import { findTariff, findTariffs, readRates, replaceRates } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'
import type { LineCells } from '#lib/tariffs/line-cells.ts'
import type { StoredList } from '#lib/tariffs/replaced-list.ts'
import { orRaced, planTariff } from '#lib/tariffs/replacement.ts'
import { describeChange } from '#lib/tariffs/tariff-change.ts'
import type { ListFormat } from './list-file.ts'
import { destinationColumns, type RateRow, rateColumns, rateColumnsWith } from './rate-columns.ts'

/** The file replaces all rates of each tariff that it names. */
export const ratesFile: ListFormat<RateRow> = {
  columns: rateColumns,
  columnsFor: ({ comma }) => rateColumnsWith(comma),
  keyColumns: ['tariff_id', 'prefix', 'tariff_rate'],
  lineOf: toLine,
  listOf: ({ tariff_id }) => tariff_id,
  listIn: ({ tariff_id = '' }) => (/^\s*\d{1,15}\s*$/.test(tariff_id) ? Number(tariff_id) : undefined),
  createCheck: createTariffCheck,
  stored: ratesOf,
}

function createTariffCheck({ store, brought: { rows } }: ImportWorld) {
  const brought = rows.get(tariffKey) ?? new Map()
  const findStored = batchedLookup((ids) => findTariffs(store, ids))
  return async (ids: readonly number[]) => {
    const stored = await findStored(ids.filter((id) => !brought.has(id)))
    return (id: number) =>
      brought.has(id) || stored.has(id) ? undefined : missingReference('tariff_id', 'tariff', id)
  }
}

/** The leading cells are the key of a rate. */
const CELLS: LineCells = {
  names: RATE_CELLS,
  keys: KEY_CELLS,
  blank: toLine(filledRow(rateColumns, {})).split('\t'),
}

function ratesOf(id: number, { store, clock }: ImportWorld): StoredList {
  return {
    name: `tariff ${id}`,
    keyOf: keyOfLine,
    cells: CELLS,
    stored: async () => readRates(store, { id }, (await findTariff(store, id))?.active),
    digest: async () => (await findTariff(store, id))?.active?.digest,
    compare: async (before, after, { checkUse }) => {
      const tariff = await findTariff(store, id)
      const now = secondsOf(clock())
      const plan = await planTariff(store, { id, tariff, before, after, now, checkUse })
      const report = `tariff ${id}: ${describeChange(plan.change)}; customers on it: ${plan.customers}`
      const { removals, warnings } = plan
      return { counts: plan.change.rates, remarks: [report, ...warnings], removals }
    },
    replace: (lines) => unlessRaced(`tariff ${id}`, replaceRates(store, id, lines)),
  }
}

/** The file replaces the whole directory of destinations. */
export const destinationsFile: ListFormat<Destination> = {
  columns: destinationColumns,
  keyColumns: ['prefix'],
  lineOf: destinationLine,
  listOf: () => THE_DIRECTORY,
  listIn: () => THE_DIRECTORY,
  stored: (_, { store }) => directory(store),
}
/** The id of the only list of its kind. */
const THE_DIRECTORY = 0

const directory = (store: Store): StoredList => ({
  name: 'the directory of destinations',
  keyOf: prefixOfLine,
  cells: { names: DESTINATION_CELLS, keys: 1, blank: ['', '', ''] },
  stored: async () => readDirectory(store, await findDirectory(store)),
  digest: async () => (await findDirectory(store))?.digest,
  compare: async (before, after) => {
    const counts = { ...NO_ROWS }
    for (const group of mergeByKey(before, after, prefixOfLine)) counts[changeOf(group)] += 1
    return { counts, remarks: [] }
  },
  replace: (lines) => unlessRaced('the directory of destinations', replaceDirectory(store, lines)),
})

async function unlessRaced(
  name: string,
  replacing: Promise<'written' | 'unchanged'>,
): Promise<'written' | 'unchanged'> {
  const outcome = await orRaced(replacing)
  if (outcome === 'raced')
    throw new DatasetError(`${name} was deleted or changed during the import: import it again`)
  return outcome
}
