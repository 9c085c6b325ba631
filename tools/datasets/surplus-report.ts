import { openListFile } from '#lib/csv/list-file.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { openDataset } from '#lib/dataset/import/folder.ts'
import type { Item } from '#lib/table/items.ts'
import type { Store } from '#lib/table/store.ts'
import { agreesTo, CommandError, countOf, printLine } from '#tools/machine/terminal.ts'
import { findSurplus, type Surplus, type SurplusRow } from './surplus.ts'
import { removeSurplus } from './surplus-removal.ts'

export interface SurplusOptions {
  readonly list: string
  readonly remove?: true | undefined
  readonly acceptRejected?: true | undefined
  readonly yes?: true | undefined
}

const NOTHING_LEFT = 0
const ROWS_LEFT = 1

/** Lists what a table has beyond a dataset, and removes it if approved. Returns the exit code. */
export async function reportSurplus(
  store: Store,
  pages: AsyncIterable<readonly Item[]>,
  folder: string,
  { list, remove, acceptRejected, yes }: SurplusOptions,
): Promise<number> {
  const { files } = await openDataset(folder)
  const surplus = await findSurplus(files, pages)
  await printList(surplus.rows, list)
  if (surplus.rows.length === 0) return NOTHING_LEFT
  if (!remove || surplus.removable.length === 0) return ROWS_LEFT
  if (!acceptRejected) refuseIncomplete(surplus)
  if (!(yes || (await agreesTo(`Remove ${countOf(surplus.removable.length, 'row')}?`)))) {
    printLine('Nothing was removed: agree at a terminal, or pass --yes')
    return ROWS_LEFT
  }
  const staying = await removeSurplus(store, surplus.removable)
  printLine(`${countOf(surplus.removable.length - staying.length, 'row')} removed`)
  for (const { file, id, stays } of staying) printLine(`${file} ${id} stays: ${stays}`)
  return surplus.rows.length > surplus.removable.length - staying.length ? ROWS_LEFT : NOTHING_LEFT
}

async function printList(rows: readonly SurplusRow[], list: string): Promise<void> {
  for (const [file, ofFile] of Map.groupBy(rows, (row) => row.file)) {
    const staying = ofFile.filter(({ stays }) => stays !== '').length
    printLine(`${file}: ${countOf(ofFile.length, 'surplus row')}, ${ofFile.length - staying} can be removed`)
  }
  if (rows.length === 0) return printLine('The table has no row that the dataset lacks')
  const file = await openListFile(list)
  const lines = rows.map(({ file: of, id, name, stays }) => csvLine([of, id, name, stays]))
  await file.writeFile([csvLine(['file', 'id', 'name', 'stays']), ...lines].join(''))
  await file.close()
  printLine(`All of them: ${list}`)
}

/** A row is only removed once those that take its place are stored. */
function refuseIncomplete({ missing }: Surplus): void {
  const lacking = [...missing].filter(([, count]) => count > 0)
  if (lacking.length === 0) return
  const files = lacking.map(([file, count]) => `${countOf(count, 'row')} of ${file}`).join(', ')
  throw new CommandError(
    `The table lacks ${files}: import the dataset first, or pass --accept-rejected if the import refuses them`,
  )
}
