import {
  type CheckedFile,
  DatasetError,
  type ImportOptions,
  type Report,
} from '#lib/dataset/format/dataset-file.ts'
import { type ImportWorld, nothingAccepted } from '#lib/dataset/format/import-world.ts'
import { type Cells, inMemory, type RowSource } from '#lib/dataset/format/row-source.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findFirstImport, rememberFirstImport } from '#lib/store/installation/dataset.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { datasetFiles, type FileName, fileNames } from './files.ts'

export interface Dataset {
  /** The name under which the table remembers the first import of the dataset. */
  readonly name: string
  /** A file in several parts has a list of them, in the order of their import. */
  readonly sources: Partial<Record<FileName, RowSource | readonly RowSource[]>>
}

export interface FileReport extends Report {
  readonly file: FileName
  /** The name of the file, or of a part of it. */
  readonly source: string
}

/**
 * Checks every row of every file before it writes the first row. Refused rows are left out. Importing the same dataset again
 * changes nothing, so an interrupted import is simply repeated.
 */
export async function importDataset(
  services: Pick<ImportWorld, 'store' | 'clock'>,
  { name, sources }: Dataset,
  options: ImportOptions = {},
): Promise<FileReport[]> {
  const known = await findFirstImport(services.store, name)
  const firstImport = known ?? services.clock()
  const { acceptRejected } = options
  const worldOf = await createWorlds({ ...services, acceptRejected }, firstImport)
  const checked: (CheckedFile & Pick<FileReport, 'file' | 'source'>)[] = []
  for (const [file, source] of inOrder(sources)) {
    const job = { source, world: worldOf(), options }
    checked.push({ file, source: source.file, ...(await datasetFiles[file].check(job)) })
  }
  for (const file of checked) await file.checkLast?.()
  if (options.dryRun) return Promise.all(checked.map(checkedReport))
  if (!known) await rememberFirstImport(services.store, name, firstImport)
  const reports: FileReport[] = []
  for (const { file, source, write } of checked) reports.push({ file, source, ...(await write()) })
  return reports
}

const inOrder = (sources: Dataset['sources']): [FileName, RowSource][] =>
  fileNames.flatMap((file) =>
    [sources[file] ?? []].flat().map((source): [FileName, RowSource] => [file, source]),
  )

/** Returns a function that makes the world of the next file. Settings come first, and their Timezone counts for later files. */
async function createWorlds(
  services: Pick<ImportWorld, 'store' | 'clock' | 'acceptRejected'>,
  firstImport: Date,
): Promise<() => ImportWorld> {
  const { Timezone } = readSettings(await findSettings(services.store))
  const accepted = nothingAccepted()
  return () => {
    const zone = accepted.settings.get('Timezone')?.value ?? Timezone
    return { ...services, accepted, calendar: { firstImport, zone } }
  }
}

/** The report of a dry run. Refusals that only writing shows are missing. */
const checkedReport = async ({
  file,
  source,
  rows,
  refused,
  preview,
}: CheckedFile & Pick<FileReport, 'file' | 'source'>): Promise<FileReport> => ({
  ...(await preview?.()),
  file,
  source,
  rows,
  refused,
  written: 0,
  unchanged: 0,
})

/** Rows in memory, by the name of their file. */
export type DatasetRows = Partial<Record<FileName, readonly Cells[]>>

/** Imports rows of which none may be refused. Throws DatasetError with all reasons. */
export async function importRows(
  services: Pick<ImportWorld, 'store' | 'clock'>,
  rows: DatasetRows,
): Promise<void> {
  const sources = Object.fromEntries(
    Object.entries(rows).map(([file, cells]) => [file, inMemory(file, cells)]),
  )
  const reports = await importDataset(services, { name: 'rows', sources }, { allowRemovals: true })
  const reasons = reports.flatMap(({ file, refused }) =>
    [...refused].map(([line, reason]) => `${file}, row ${line}: ${reason}`),
  )
  if (reasons.length > 0) throw new DatasetError(reasons.join('\n'))
}
