import type { GatheredFormat, Gathering } from '#lib/dataset/format/gathered-file.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import {
  completeLists,
  createReplacedList,
  type ListTarget,
  type ReplacedList,
  writeLists,
} from '#lib/dataset/format/replaced-list.ts'
import { missingReference } from '#lib/domain/row-refused.ts'
import { createLookup } from '#lib/store/lookup.ts'
import { keyOfLine, toLine } from '#lib/store/rates/rate-line.ts'
import { findTariff, findTariffs, linesOfRates, replaceRates } from '#lib/store/rates/tariff.ts'
import { type RateRow, rateColumns } from './rate-columns.ts'

/** The file replaces each tariff that it names, as a whole. */
export const rates: GatheredFormat<RateRow> = { columns: rateColumns, gather: gatherRates }

function gatherRates(world: ImportWorld): Gathering<RateRow> {
  const lists = new Map<number, ReplacedList>()
  const storedTariffs = createLookup((ids) => findTariffs(world.store, ids))
  let lost = 0

  const listOf = (id: number): ReplacedList => {
    const list = lists.get(id) ?? createReplacedList(ratesOf(id, world))
    lists.set(id, list)
    return list
  }

  return {
    add: async (rows) => {
      const { tariffs } = world.accepted
      const others = rows.map(({ row }) => row.tariff_id).filter((id) => !tariffs.has(id))
      const stored = await storedTariffs(others)
      return rows.map(({ line, row }) => {
        const isKnown = tariffs.has(row.tariff_id) || stored.has(row.tariff_id)
        if (!isKnown) return missingReference('tariff_id', 'tariff', row.tariff_id)
        listOf(row.tariff_id).sorted.add(toLine(row), line)
        return undefined
      })
    },
    miss: ({ tariff_id = '' }) => {
      if (/^\s*\d{1,15}\s*$/.test(tariff_id)) listOf(Number(tariff_id)).refused += 1
      else lost += 1
    },
    complete: () => completeLists(lists.values()),
    write: (writing) => writeLists(lists.values(), { ...writing, lost, at: world.clock() }),
  }
}

const ratesOf = (id: number, { store }: ImportWorld): ListTarget => ({
  name: `tariff ${id}`,
  keyOf: keyOfLine,
  now: async function* () {
    yield* linesOfRates(store, { id }, (await findTariff(store, id))?.active)
  },
  replace: (lines) => replaceRates(store, id, lines),
})
