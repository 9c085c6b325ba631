import { mkdir, readdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { withoutNoValue } from '#lib/dataset/cells/no-value.ts'
import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import type { ExportedRows } from '#lib/dataset/format/row-format.ts'
import { datasetFiles, type FileName } from '#lib/dataset/import/files.ts'
import type { Columns } from '#lib/store/columns.ts'
import type { Item } from '#lib/store/items.ts'
import { keyIn } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { cellOf } from './cells.ts'
import { type WrittenFile, writtenCsv, writtenOpenEnded } from './written-file.ts'

/** Where an export comes from: the table, and all that is in it, in any order. */
export interface ExportedTable {
  readonly store: Store
  readonly pages: AsyncIterable<readonly Item[]>
}

export interface ExportWish {
  /** It is made where it is not there. */
  readonly folder: string
  readonly files: readonly FileName[]
  readonly withSecrets: boolean
  /** Takes what could not be exported as it is, a sentence each. */
  readonly warn: (sentence: string) => void
}

export interface ExportedFile {
  readonly file: FileName
  readonly path: string
  readonly rows: number
  /** Secrets that rows have and the file has not, and in how many of them. */
  readonly leftOut: ReadonlyMap<string, number>
}

/**
 * Writes a table in the format that an import takes; files without rows are not written. A page of items is in memory, whatever
 * the table holds. Throws DatasetError when one of the files is there already; what could not be completed is removed.
 */
export async function exportDataset(table: ExportedTable, wish: ExportWish): Promise<ExportedFile[]> {
  await makeFolder(wish)
  const exports = wish.files.map((file) => createExport(file, wish))
  try {
    await takeAll(table, exports)
  } catch (error) {
    for (const one of exports) await one.drop()
    throw error
  }
  const kept: ExportedFile[] = []
  for (const one of exports) kept.push(...(await one.keep()))
  return kept
}

async function takeAll({ pages, store }: ExportedTable, exports: readonly Export[]): Promise<void> {
  for await (const page of pages) {
    for (const item of page) for (const one of exports) await one.take(item, store)
  }
}

type Export = ReturnType<typeof createExport>

async function makeFolder({ folder, files }: ExportWish): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const there = (await readdir(folder)).find((name) => files.some((file) => file === parse(name).name))
  if (there !== undefined)
    throw new DatasetError(`${join(folder, there)} is there already: name another folder`)
}

function createExport(file: FileName, wish: ExportWish) {
  const { exported }: DatasetFile = datasetFiles[file]
  const plan = planOf(file, wish)
  const leftOut = new Map<string, number>()
  let written: WrittenFile | undefined
  let rows = 0

  const add = async (row: Item, item: Item) => {
    for (const secret of secretsIn(row, plan)) leftOut.set(secret, (leftOut.get(secret) ?? 0) + 1)
    if (plan.leavesOut(row)) return
    written ??= await plan.open()
    rows += 1
    const cells = plan.columns.map((name) => cellOf(row[name], plan.declared[name] ?? {}))
    warnOfNoValues(cells, item, wish)
    await written.add({ cells, further: exported.further?.(item) ?? [] })
  }

  return {
    take: async (item: Item, store: Store) => {
      if (!exported.holds(item)) return
      for await (const batch of readable(exported, item, store, wish))
        for (const row of batch) await add(row as Item, item)
    },
    keep: async (): Promise<ExportedFile[]> =>
      written || leftOut.size > 0 ? [{ file, path: (await written?.keep()) ?? '', rows, leftOut }] : [],
    drop: async () => written?.drop(),
  }
}

/** What is written of the rows of a file. */
interface Plan {
  readonly declared: Columns
  readonly columns: readonly string[]
  /** Columns that are left out. */
  readonly secrets: readonly string[]
  leavesOut(row: Item): boolean
  open(): Promise<WrittenFile>
}

function planOf(file: FileName, { folder, withSecrets }: ExportWish): Plan {
  const { secrets = [], takesFurtherColumns, exported, ...format }: DatasetFile = datasetFiles[file]
  const { columns = format.columns, isSecret } = exported
  const left = withSecrets || isSecret ? [] : secrets
  const written = Object.keys(columns).filter((name) => !left.includes(name))
  const open = takesFurtherColumns ? writtenOpenEnded : writtenCsv
  return {
    declared: columns,
    columns: written,
    secrets: left,
    leavesOut: (row) => !withSecrets && (isSecret?.(row) ?? false),
    open: () => open(join(folder, file), written),
  }
}

/** The names of the secrets of a row that are left out. */
const secretsIn = (row: Item, { secrets, leavesOut }: Plan): string[] =>
  leavesOut(row)
    ? [String(row['name'])]
    : secrets.filter((name) => row[name] !== undefined && row[name] !== '')

/** One item that cannot be read must not keep the others from being saved. */
async function* readable({ read, rows }: ExportedRows, item: Item, store: Store, wish: ExportWish) {
  try {
    if (read) yield [read(item)]
    if (rows) yield* rows(item, store)
  } catch (error) {
    const { PK, SK } = keyIn(item)
    wish.warn(
      `${PK} ${SK} cannot be read, and is left out: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** A text that stands for no value in MySQL's exports cannot be told from that (docs/datasets.md). */
function warnOfNoValues(cells: readonly string[], item: Item, { warn }: ExportWish): void {
  const odd = cells.find((cell) => cell !== '' && withoutNoValue(cell) === '')
  if (odd !== undefined) warn(`${keyIn(item).PK}: an import will take the text ${odd} for no value`)
}
