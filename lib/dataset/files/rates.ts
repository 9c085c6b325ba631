import type { GatheredFormat, Gathering } from '#lib/dataset/format/gathered-file.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import {
  completeLists,
  createReplacedList,
  type ListTarget,
  type ReplacedList,
  writeLists,
} from '#lib/dataset/format/replaced-list.ts'
import { fromLine, keyOfLine, toLine } from '#lib/store/rates/rate-line.ts'
import { findTariff, findTariffs, linesOfRates, replaceRates } from '#lib/store/rates/tariff.ts'
import { printedBytes } from '#lib/xml/views/rate-rows.ts'
import { type RateRow, rateColumns } from './rate-columns.ts'

/** Replaces each tariff it names, as a whole. */
export const rates: GatheredFormat<RateRow> = { columns: rateColumns, gather: gatherRates }

function gatherRates(world: ImportWorld): Gathering<RateRow> {
  const lists = new Map<number, ReplacedList>()
  const isKnown = createKnownTariffs(world)
  let lost = 0

  const listOf = (id: number): ReplacedList => {
    const list = lists.get(id) ?? createReplacedList(ratesOf(id, world))
    lists.set(id, list)
    return list
  }

  return {
    add: async (rows) => {
      await isKnown.ask(rows.map(({ row }) => row.tariff_id))
      return rows.map(({ line, row }) => {
        if (!isKnown.of(row.tariff_id)) return `tariff_id: there is no tariff ${row.tariff_id}`
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
  bytesOf: (line) => printedBytes(fromLine(line)),
  now: async function* () {
    yield* linesOfRates(store, { id }, (await findTariff(store, id))?.active)
  },
  replace: (lines) => replaceRates(store, id, lines),
})

/** Tariffs of this dataset or of the table; each is asked for once. */
function createKnownTariffs({ store, accepted }: ImportWorld) {
  const asked = new Map<number, boolean>()
  return {
    of: (id: number): boolean => asked.get(id) ?? accepted.tariffs.has(id),
    ask: async (ids: readonly number[]): Promise<void> => {
      const unknown = [...new Set(ids)].filter((id) => !accepted.tariffs.has(id) && !asked.has(id))
      if (unknown.length === 0) return
      for (const [position, tariff] of (await findTariffs(store, unknown)).entries()) {
        asked.set(unknown[position] ?? -1, tariff !== undefined)
      }
    },
  }
}
