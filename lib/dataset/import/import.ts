import type { CheckedFile, ImportOptions, ImportReport } from '#lib/dataset/format/dataset-file.ts'
import { addBrought, type ImportWorld, onlyTable, worldWith } from '#lib/dataset/format/import-world.ts'
import { findFirstImport, rememberFirstImport } from '#lib/settings/dataset.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { RowSource } from '#lib/table/cells/row-source.ts'
import { datasetFiles, type FileName, fileNames } from './files.ts'

/** A file of a dataset, or a part of one, whose rows can be read. */
export interface OpenFile {
  readonly file: FileName
  readonly source: RowSource
}

export interface FileReport extends ImportReport, OpenFile {}

/**
 * Checks every row of every file before it writes the first row. Refused rows are left out. Importing the same dataset again
 * changes nothing, so an interrupted import is simply repeated. The table remembers the first import of the dataset under the
 * name. Only parts of a file must be in their order.
 */
export async function importDataset(
  services: Pick<ImportWorld, 'store' | 'clock'>,
  name: string,
  files: readonly OpenFile[],
  options: ImportOptions = {},
): Promise<FileReport[]> {
  const before = await findFirstImport(services.store, name)
  const firstImport = before ?? services.clock()
  const stored = await findSettings(services.store)
  const checkedFiles: (OpenFile & { readonly checked: CheckedFile })[] = []
  let known = onlyTable(services.store)
  /** Settings come first, and their Timezone counts for later files. */
  const openWorld = () => worldWith(known, stored, services.clock, firstImport)
  for (const { file, source } of fileNames.flatMap((of) => files.filter(({ file }) => file === of))) {
    const checked = await datasetFiles[file].check({ source, world: openWorld(), options })
    checkedFiles.push({ file, source, checked })
    known = { ...known, brought: addBrought(known.brought, checked.brings ?? {}) }
  }
  const world = openWorld()
  for (const { checked } of checkedFiles) await checked.checkLast?.(world)
  if (!before && !options.dryRun) await rememberFirstImport(services.store, name, firstImport)
  const reports: FileReport[] = []
  // One file after another, so that memory holds rows of one.
  for (const { checked, ...file } of checkedFiles) {
    const report = await checked.write(world)
    const remarks = report.remarks ?? (await remarksOf(checked, world))
    reports.push({ ...file, ...report, remarks })
  }
  return reports
}

const MAX_REMARKS = 20

async function remarksOf(checked: CheckedFile, world: ImportWorld): Promise<readonly string[]> {
  const all = (await checked.remarks?.(world)) ?? []
  const more = all.length - MAX_REMARKS
  return more > 0 ? [...all.slice(0, MAX_REMARKS), `and ${more} more like these`] : all
}
