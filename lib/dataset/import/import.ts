import type { CheckedFile, ImportOptions, ImportReport } from '#lib/dataset/format/dataset-file.ts'
import { addBrought, type ImportWorld, onlyTable, worldWith } from '#lib/dataset/format/import-world.ts'
import type { RowSource } from '#lib/dataset/format/row-source.ts'
import { findFirstImport, rememberFirstImport } from '#lib/store/installation/dataset.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { datasetFiles, type FileName, fileNames } from './files.ts'

export interface Dataset {
  /** The name under which the table remembers the first import of the dataset. */
  readonly name: string
  /** A file in several parts has a list of them, in the order of their import. */
  readonly sources: Partial<Record<FileName, RowSource | readonly RowSource[]>>
}

export interface FileReport extends ImportReport {
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
  const before = await findFirstImport(services.store, name)
  const firstImport = before ?? services.clock()
  const stored = await findSettings(services.store)
  const files: CheckedSource[] = []
  let known = onlyTable(services.store)
  /** Settings come first, and their Timezone counts for later files. */
  const openWorld = () => worldWith(known, stored, services.clock, firstImport)
  for (const [file, source] of inOrder(sources)) {
    const checked = await datasetFiles[file].check({ source, world: openWorld(), options })
    files.push({ file, source: source.file, checked })
    known = { ...known, brought: addBrought(known.brought, checked.brings ?? {}) }
  }
  const world = openWorld()
  for (const { checked } of files) await checked.checkLast?.(world)
  if (!before && !options.dryRun) await rememberFirstImport(services.store, name, firstImport)
  const reports: FileReport[] = []
  // One file after another, so that memory holds rows of one.
  for (const file of files) reports.push(await reportOf(file, world, options.dryRun ?? false))
  return reports
}

const inOrder = (sources: Dataset['sources']): [FileName, RowSource][] =>
  fileNames.flatMap((file) =>
    [sources[file] ?? []].flat().map((source): [FileName, RowSource] => [file, source]),
  )

interface CheckedSource extends Pick<FileReport, 'file' | 'source'> {
  readonly checked: CheckedFile
}

/** In a dry run, refusals that only writing shows are missing. */
async function reportOf(
  { file, source, checked }: CheckedSource,
  world: ImportWorld,
  dryRun: boolean,
): Promise<FileReport> {
  const report = await checked.write(world)
  const remarks = report.remarks ?? (await remarksOf(checked, world))
  return { file, source, ...report, remarks, ...(dryRun ? { written: 0, unchanged: 0 } : {}) }
}

const MAX_REMARKS = 20

async function remarksOf(checked: CheckedFile, world: ImportWorld): Promise<readonly string[]> {
  const all = (await checked.remarks?.(world)) ?? []
  const more = all.length - MAX_REMARKS
  return more > 0 ? [...all.slice(0, MAX_REMARKS), `and ${more} more like these`] : all
}
