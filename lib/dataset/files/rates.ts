import type { GatheredFormat, Gathering } from '#lib/dataset/format/gathered-file.ts'
import { acceptedIds, type ImportWorld } from '#lib/dataset/format/import-world.ts'
import type { LineCells } from '#lib/dataset/format/list-lines.ts'
import {
  addLine,
  completeLists,
  createReplacedList,
  type ListTarget,
  type ReplacedList,
  writeLists,
} from '#lib/dataset/format/replaced-list.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import type { Rate } from '#lib/domain/rates/rating.ts'
import { missingReference } from '#lib/domain/row-refused.ts'
import { countAccountsWithTariff } from '#lib/store/accounts/account.ts'
import { blankRow } from '#lib/store/columns.ts'
import { createLookup } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { isSameKey, isUnder, keyIn, tariffKey } from '#lib/store/keys.ts'
import {
  DESTINATION_CELLS,
  type Destination,
  destinationLine,
  directoryKey,
  findDirectory,
  linesOfDirectory,
  readDirectory,
  replaceDirectory,
  toDirectory,
} from '#lib/store/rates/destination.ts'
import { prefixOfLine } from '#lib/store/rates/prefix-pages.ts'
import { KEY_CELLS, keyOfLine, RATE_CELLS, toLine } from '#lib/store/rates/rate-line.ts'
import {
  findTariff,
  findTariffs,
  pagesOfRates,
  readRates,
  replaceRates,
  toTariff,
} from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'
import { checkCallUse, describeCallUse } from '#lib/tariffs/call-use.ts'
import { describeBelowCost } from '#lib/tariffs/sold-below-cost.ts'
import { compareRates, describeChange, removalsOf } from '#lib/tariffs/tariff-change.ts'
import { destinationColumns, type RateRow, rateColumns, rateColumnsWith } from './rate-columns.ts'

/** The file replaces all rates of each tariff that it names. */
export const ratesFile: GatheredFormat<RateRow> = {
  columns: rateColumns,
  columnsFor: ({ comma }) => rateColumnsWith(comma),
  keyColumns: ['tariff_id', 'prefix', 'tariff_rate'],
  exported: { holds: isUnder(tariffKey), rows: ratesInForce },
  gather: gatherRates,
}

async function* ratesInForce(item: Item, store: Store) {
  const tariff = toTariff(item)
  if (!tariff) return
  for await (const page of pagesOfRates(store, tariff, tariff.active))
    yield page.map((rate) => ({ tariff_id: tariff.id, ...rate }))
}

function gatherRates(world: ImportWorld): Gathering<RateRow> {
  const lists = new Map<number, ReplacedList>()
  const storedTariffs = createLookup((ids) => findTariffs(world.store, ids))
  let unassigned = 0

  const listOf = (id: number): ReplacedList => {
    const list = lists.get(id) ?? createReplacedList(ratesOf(id, world))
    lists.set(id, list)
    return list
  }

  return {
    add: async (rows) => {
      const tariffs = acceptedIds(world.accepted, tariffKey)
      const others = rows.map(({ row }) => row.tariff_id).filter((id) => !tariffs.has(id))
      const stored = await storedTariffs(others)
      return rows.map(({ row, ...read }) => {
        const isKnown = tariffs.has(row.tariff_id) || stored.has(row.tariff_id)
        if (!isKnown) return missingReference('tariff_id', 'tariff', row.tariff_id)
        addLine(listOf(row.tariff_id), toLine(row), read)
        return undefined
      })
    },
    noteUnreadable: ({ tariff_id = '' }) => {
      if (/^\s*\d{1,15}\s*$/.test(tariff_id)) listOf(Number(tariff_id)).refused += 1
      else unassigned += 1
    },
    complete: () => completeLists(lists.values()),
    write: (writing) => writeLists(lists.values(), { ...writing, unassigned, at: world.clock() }),
  }
}

/** The leading cells are the key of a rate. */
const CELLS: LineCells = {
  names: RATE_CELLS,
  keys: KEY_CELLS,
  blank: toLine(blankRow(rateColumns) as Rate).split('\t'),
}

const ratesOf = (id: number, { store, clock }: ImportWorld): ListTarget => ({
  name: `tariff ${id}`,
  keyOf: keyOfLine,
  cells: CELLS,
  stored: async () => readRates(store, { id }, (await findTariff(store, id))?.active),
  digest: async () => (await findTariff(store, id))?.active?.digest,
  compare: async (before, after, { checkUse: days }) => {
    const now = secondsOf(clock())
    const change = compareRates(before, after, now)
    const tariff = await findTariff(store, id)
    const customers = tariff ? await countAccountsWithTariff(store, tariff) : 0
    return {
      report: `${describeChange(change)}; customers on it: ${customers}`,
      more: [
        ...(tariff ? await describeBelowCost(store, { tariff, lines: after, now }) : []),
        ...(days === undefined
          ? []
          : describeCallUse(await checkCallUse(store, { id, before, after, days, now }))),
      ],
      removals: removalsOf(change),
    }
  },
  replace: (lines) => replaceRates(store, id, lines),
})

/** The file replaces the whole directory of destinations. */
export const destinationsFile: GatheredFormat<Destination> = {
  columns: destinationColumns,
  keyColumns: ['prefix'],
  exported: { holds: (item) => isSameKey(keyIn(item), directoryKey), rows: storedDestinations },
  gather: gatherDestinations,
}

async function* storedDestinations(item: Item, store: Store) {
  for await (const page of linesOfDirectory(store, toDirectory(item))) yield page.map(destinationIn)
}

function destinationIn(line: string): Item {
  const cells = line.split('\t')
  return Object.fromEntries(DESTINATION_CELLS.map((name, place) => [name, cells[place] ?? '']))
}

function gatherDestinations({ store, clock }: ImportWorld): Gathering<Destination> {
  const list = createReplacedList(directory(store))
  return {
    add: async (rows) =>
      rows.map(({ row, ...read }) => {
        addLine(list, destinationLine(row), read)
        return undefined
      }),
    noteUnreadable: () => {
      list.refused += 1
    },
    complete: () => completeLists([list]),
    write: (writing) => writeLists([list], { ...writing, unassigned: 0, at: clock() }),
  }
}

const directory = (store: Store): ListTarget => ({
  name: 'the directory of destinations',
  keyOf: prefixOfLine,
  cells: { names: DESTINATION_CELLS, keys: 1, blank: ['', '', ''] },
  stored: async () => readDirectory(store, await findDirectory(store)),
  digest: async () => (await findDirectory(store))?.digest,
  replace: (lines) => replaceDirectory(store, lines),
})
