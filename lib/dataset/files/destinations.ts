import type { GatheredFormat, Gathering } from '#lib/dataset/format/gathered-file.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import {
  addLine,
  completeLists,
  createReplacedList,
  type ListTarget,
  writeLists,
} from '#lib/dataset/format/replaced-list.ts'
import type { Item } from '#lib/store/items.ts'
import { isSameKey, keyIn } from '#lib/store/keys.ts'
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
import type { Store } from '#lib/store/store.ts'
import { destinationColumns } from './rate-columns.ts'

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
