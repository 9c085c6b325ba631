import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { createInterface } from 'node:readline'
import { formatDateTime } from '#lib/base/calendar.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { ndjsonLine } from '#lib/base/text.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import { csvLine } from '#lib/csv/writer.ts'
import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { datasetFiles, type FileName } from '#lib/dataset/import/files.ts'
import { BOOKS } from '#lib/dataset/import/folder.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { cellOf, withoutNoValue } from '#lib/table/cells/row-source.ts'
import { type Columns, secretsAmong } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { keyIn } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { hideFromGit } from '../../machine/data-folder.ts'
import { createBooks } from './books.ts'
import { type ExportedRows, exportedRows, rowsOfItem } from './exported-rows.ts'

export interface ExportOptions {
  /** The folder is created if it is missing. */
  readonly folder: string
  readonly files: readonly FileName[]
  readonly withSecrets: boolean
  /** The archive, if the books are also exported (books.ts). */
  readonly booksFrom?: (() => ArchiveBucket) | undefined
  /** Called with a sentence for each item that could not be exported faithfully. */
  readonly warn: (sentence: string) => void
}

export interface ExportedFile {
  readonly file: FileName
  readonly path: string
  readonly rows: number
  /** Secrets that were left out, with the number of rows that have them. */
  readonly leftOut: ReadonlyMap<string, number>
}

/**
 * Writes a table as a dataset; files without rows are left out. `pages` are all items, in any order, of which
 * one page is in memory. Throws refused_file if a file already exists. Incomplete files are removed.
 */
export async function exportDataset(
  store: Store,
  pages: AsyncIterable<readonly Item[]>,
  options: ExportOptions,
): Promise<ExportedFile[]> {
  await makeFolder(options)
  const { Timezone } = await settingsOf(store)
  const exports = options.files.map((file) => createExport(file, { ...options, zone: Timezone }))
  const books = options.booksFrom && (await createBooks(options.folder, options.booksFrom))
  try {
    for await (const page of pages) {
      await addItems(page, exports, store)
      for (const item of page) await books?.add(item)
    }
  } catch (error) {
    for (const one of [...exports, ...(books ? [books] : [])]) await one.discard()
    throw error
  }
  await books?.keep()
  const kept: ExportedFile[] = []
  for (const one of exports) kept.push(...(await one.keep()))
  return kept
}

type Export = ReturnType<typeof createExport>

async function addItems(items: readonly Item[], exports: readonly Export[], store: Store): Promise<void> {
  for (const item of items) for (const one of exports) await one.add(item, store)
}

async function makeFolder({ folder, files }: ExportOptions): Promise<void> {
  const created = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (created !== undefined) await hideFromGit(folder)
  const taken: readonly string[] = [BOOKS, ...files]
  const existing = (await readdir(folder)).find((name) => taken.includes(parse(name).name))
  if (existing !== undefined)
    throw fileRefused(`${join(folder, existing)} already exists: choose another folder`)
}

function createExport(file: FileName, options: ExportOptions & { readonly zone: string }) {
  const exported = exportedRows[file]
  const plan = planOf(file, options)
  const leftOut = new Map<string, number>()
  const local = (moment: number) => formatDateTime(moment, options.zone)
  let written: WrittenFile | undefined
  let rows = 0

  const addRow = async (row: Item, item: Item) => {
    for (const secret of secretsIn(row, plan)) leftOut.set(secret, (leftOut.get(secret) ?? 0) + 1)
    if (plan.leavesOut(row)) return
    written ??= await plan.open()
    rows += 1
    const cells = plan.columns.map((name) => {
      const column = plan.declared[name]
      return cellOf(row[name], column ?? {}, column?.isLocal ? local : utc)
    })
    warnOfNoValues(cells, item, options)
    await written.add({ cells, further: exported.further?.(item) ?? [] })
  }

  return {
    add: async (item: Item, store: Store) => {
      if (!exported.holds(item)) return
      for await (const batch of readRows(exported, item, store, options))
        for (const row of batch) await addRow(row as Item, item)
    },
    keep: async (): Promise<ExportedFile[]> =>
      written || leftOut.size > 0 ? [{ file, path: (await written?.keep()) ?? '', rows, leftOut }] : [],
    discard: async () => written?.discard(),
  }
}

interface FilePlan {
  readonly declared: Columns
  readonly columns: readonly string[]
  readonly secrets: readonly string[]
  leavesOut(row: Item): boolean
  open(): Promise<WrittenFile>
}

function planOf(file: FileName, { folder, withSecrets }: ExportOptions): FilePlan {
  const { furtherProblem, ...format }: DatasetFile = datasetFiles[file]
  const { columns = format.columns, isSecret } = exportedRows[file]
  const left = withSecrets || isSecret ? [] : secretsAmong(format.columns)
  const written = Object.keys(columns).filter((name) => !left.includes(name))
  const open = furtherProblem ? createOpenEndedFile : createCsvFile
  return {
    declared: columns,
    columns: written,
    secrets: left,
    leavesOut: (row) => !withSecrets && (isSecret?.(row) ?? false),
    open: () => open(join(folder, file), written),
  }
}

const secretsIn = (row: Item, { secrets, leavesOut }: FilePlan): string[] =>
  leavesOut(row)
    ? [String(row['name'])]
    : secrets.filter((name) => row[name] !== undefined && row[name] !== '')

/** Reads an item's rows. An unreadable item is left out with a warning: the others are saved. */
async function* readRows(exported: ExportedRows, item: Item, store: Store, options: ExportOptions) {
  try {
    yield* rowsOfItem(exported, item, store)
  } catch (error) {
    const { PK, SK } = keyIn(item)
    options.warn(
      `${PK} ${SK} cannot be read and is left out: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** An import cannot tell such a text from the "no value" of MySQL exports (docs/datasets.md). */
function warnOfNoValues(cells: readonly string[], item: Item, { warn }: ExportOptions): void {
  const odd = cells.find((cell) => cell !== '' && withoutNoValue(cell) === '')
  if (odd !== undefined) warn(`${keyIn(item).PK}: an import reads the text ${odd} as no value`)
}

/** In UTC with a Z: unambiguous in every zone, and in the hour that clocks repeat. */
const utc = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')}Z`

/** The cells of a row, in the order of the columns, and those beyond the known columns. */
export interface WrittenRow {
  readonly cells: readonly string[]
  readonly further: readonly (readonly [name: string, value: string])[]
}

/** A file of a dataset while it is written. It has a temporary name until `keep`. */
export interface WrittenFile {
  add(row: WrittenRow): Promise<void>
  /** Gives the file its final path and returns it. */
  keep(): Promise<string>
  discard(): Promise<void>
}

const OWNER_ONLY_MODE = 0o600
const BUFFER_CHARACTERS = 65_536

/** Creates a CSV file whose columns are all known. `path` has no ending. */
export async function createCsvFile(path: string, columns: readonly string[]): Promise<WrittenFile> {
  const part = await createPart(path)
  await part.write(csvLine(columns))
  return {
    add: ({ cells }) => part.write(csvLine(cells)),
    keep: () => part.keep(`${path}.csv`),
    discard: part.discard,
  }
}

/**
 * Creates a file whose rows may differ in further columns: CSV if all have the same ones, otherwise NDJSON,
 * in which a missing column differs from a blank one. `path` has no ending.
 */
export async function createOpenEndedFile(path: string, columns: readonly string[]): Promise<WrittenFile> {
  const part = await createPart(path)
  const headers = new Set<string>()
  return {
    add: ({ cells, further }) => {
      const pairs = [...columns.map((name, index) => [name, cells[index]]), ...further]
      headers.add(JSON.stringify(pairs.map(([name]) => name)))
      return part.write(ndjsonLine(Object.fromEntries(pairs)))
    },
    keep: async () => {
      const kept = await part.keep(`${path}.ndjson`)
      const [header] = headers
      return headers.size === 1 && header ? asCsv(kept, path, JSON.parse(header)) : kept
    },
    discard: part.discard,
  }
}

async function asCsv(ndjson: string, path: string, columns: readonly string[]): Promise<string> {
  const part = await createPart(path)
  await part.write(csvLine(columns))
  const file = await open(ndjson)
  for await (const line of createInterface({ input: file.createReadStream() })) {
    const cells: Record<string, string> = JSON.parse(line)
    await part.write(csvLine(columns.map((name) => cells[name] ?? '')))
  }
  await rm(ndjson)
  return part.keep(`${path}.csv`)
}

/** Throws if the file already exists. */
async function createPart(path: string) {
  const name = `${path}.part`
  const file = await open(name, 'wx', OWNER_ONLY_MODE)
  let buffer = ''
  const flush = async () => {
    const text = buffer
    buffer = ''
    await file.appendFile(text)
  }
  return {
    write: async (line: string) => {
      buffer += line
      if (buffer.length >= BUFFER_CHARACTERS) await flush()
    },
    keep: async (as: string) => {
      await flush()
      // A reported file must survive a power failure, so it is on the disk first.
      await file.sync()
      await file.close()
      await rename(name, as)
      return as
    },
    discard: async () => {
      await file.close()
      await rm(name, { force: true })
    },
  }
}
