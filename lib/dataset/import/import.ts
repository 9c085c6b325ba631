import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import { type ImportWorld, nothingAccepted } from '#lib/dataset/format/file.ts'
import type { Calendar } from '#lib/dataset/format/moments.ts'
import { type Cells, inMemory, type Source } from '#lib/dataset/format/source.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findFirstImport, rememberFirstImport } from '#lib/store/installation/dataset.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'
import { type CheckedFile, checkFile, checkLast } from './check.ts'
import { type FileName, fileNames } from './files.ts'
import type { ImportOptions } from './job.ts'
import { checkedReport, type FileReport, writeFile } from './write.ts'

export interface ImportServices {
  readonly store: Store
  readonly clock: () => Date
}

export interface Dataset {
  /** By this name the table remembers when the dataset was first imported. */
  readonly name: string
  readonly sources: Partial<Record<FileName, Source>>
}

/**
 * Checks every row of every file before it writes the first one; refused rows are left out. The same dataset again
 * changes nothing, so an interrupted import is simply repeated.
 */
export async function importDataset(
  services: ImportServices,
  { name, sources }: Dataset,
  options: ImportOptions = {},
): Promise<FileReport[]> {
  const world: ImportWorld = { ...services, accepted: nothingAccepted() }
  const known = await findFirstImport(services.store, name)
  const firstImport = known ?? services.clock()
  const calendar = await calendarOf(world, firstImport)
  const checked: CheckedFile[] = []
  for (const [file, source] of inOrder(sources)) {
    checked.push(await checkFile({ file, source, world, calendar: calendar(), options }))
  }
  for (const file of checked) await checkLast(file)
  if (options.dryRun) return checked.map(checkedReport)
  if (!known) await rememberFirstImport(services.store, name, firstImport)
  const reports: FileReport[] = []
  for (const file of checked) reports.push(await writeFile(file))
  return reports
}

const inOrder = (sources: Dataset['sources']): [FileName, Source][] =>
  fileNames.flatMap((file): [FileName, Source][] => (sources[file] ? [[file, sources[file]]] : []))

/** The zone is that of the dataset's own settings, where they name one; they are checked first. */
async function calendarOf({ store, accepted }: ImportWorld, firstImport: Date): Promise<() => Calendar> {
  const { Timezone } = readSettings(await findSettings(store))
  return () => ({ firstImport, zone: accepted.settings.get('Timezone') ?? Timezone })
}

/** Rows by file name, as cells; what a test or a script has in memory. */
export type Rows = Partial<Record<FileName, readonly Cells[]>>

/** Imports rows that all must be right. Throws DatasetError with the reasons when one is refused. */
export async function importRows(services: ImportServices, rows: Rows): Promise<void> {
  const sources = Object.fromEntries(
    Object.entries(rows).map(([file, cells]) => [file, inMemory(file, cells)]),
  )
  const reports = await importDataset(services, { name: 'rows', sources })
  const reasons = reports.flatMap(({ file, refused }) =>
    [...refused].map(([line, reason]) => `${file}, row ${line}: ${reason}`),
  )
  if (reasons.length > 0) throw new DatasetError(reasons.join('\n'))
}
