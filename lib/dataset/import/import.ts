import { NO_ROWS } from '#lib/base/row-refused.ts'
import type { CheckedFile, ImportOptions, ImportReport } from '#lib/dataset/format/dataset-file.ts'
import { addNewRows, contextWith, type ImportContext, onlyTable } from '#lib/dataset/format/import-context.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { RowSource } from '#lib/table/cells/row-source.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent } from '#lib/table/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { datasetFiles, type FileName, fileNames } from './files.ts'

/** The first import of a dataset, from which its relative dates count. */
export const datasetKey = keyForm('DATASET#<name>', 'DATASET')

export async function findFirstImport(store: Store, dataset: string): Promise<Date | undefined> {
  const item = await store.get(datasetKey(dataset))
  return item && new Date(String(item['first_import']))
}

/** Stores `now` as the first import, unless there is one already. */
export const rememberFirstImport = (store: Store, dataset: string, now: Date): Promise<unknown> =>
  store
    .update(datasetKey(dataset), { set: { first_import: now.toISOString() } }, { PK: absent })
    .catch(ignoreConditionFailed)

/** A file of a dataset, or a part of one, whose rows can be read. */
export interface OpenFile {
  readonly file: FileName
  readonly source: RowSource
}

export interface FileReport extends ImportReport, OpenFile {}

/**
 * Checks every row of every file before it writes the first row. Refused rows are left out. Importing the
 * same dataset again changes nothing, so an interrupted import is simply repeated. The table remembers the
 * first import of the dataset under the name. Only parts of a file must be in their order.
 */
export async function importDataset(
  services: Pick<ImportContext, 'store' | 'clock'>,
  name: string,
  files: readonly OpenFile[],
  options: ImportOptions = {},
): Promise<FileReport[]> {
  const before = await findFirstImport(services.store, name)
  const firstImport = before ?? services.clock()
  const stored = await findSettings(services.store)
  const checkedFiles: CheckedFiles[number][] = []
  let known = onlyTable(services.store)
  /** Settings come first, and their Timezone counts for later files. */
  const openContext = () => contextWith(known, stored, services.clock, firstImport)
  for (const { file, source } of fileNames.flatMap((of) => files.filter(({ file }) => file === of))) {
    const checked = await datasetFiles[file].check({ source, context: openContext(), options })
    checkedFiles.push({ file, source, checked })
    const files = [...known.newRows.files, file]
    known = { ...known, newRows: addNewRows(known.newRows, { ...checked.brings, files }) }
  }
  const context = openContext()
  for (const { checked } of checkedFiles) await checked.checkLast?.(context)
  if (!before && !options.dryRun) await rememberFirstImport(services.store, name, firstImport)
  const reports: FileReport[] = []
  const written = writeFiles(checkedFiles, context, reports)
  await written.finally(() => logImport(services, options, reports, checkedFiles.length))
  return reports
}

type CheckedFiles = readonly (OpenFile & { readonly checked: CheckedFile })[]

/** Writes one file after another, so that memory holds the rows of one. */
async function writeFiles(files: CheckedFiles, context: ImportContext, reports: FileReport[]): Promise<void> {
  for (const { checked, ...file } of files) {
    const report = await checked.write(context)
    const remarks = report.remarks ?? firstOf((await checked.remarks?.(context)) ?? [])
    const read = file.source.remark?.()
    const all = [...(read === undefined ? [] : [read]), ...remarks, ...firstOf(report.numbered ?? [])]
    reports.push({ ...file, ...report, remarks: all })
  }
}

/** Writes the entry of an import into the audit log, also of one that was interrupted. */
async function logImport(
  { store, clock }: Pick<ImportContext, 'store' | 'clock'>,
  { dryRun = false, logAs }: ImportOptions,
  reports: readonly FileReport[],
  files: number,
): Promise<void> {
  if (!logAs || dryRun) return
  const interrupted = reports.length < files ? ['interrupted'] : []
  const counts = [...reports.map(describeCounts), ...interrupted].join('; ')
  await store.transact([inAuditLog({ ...logAs, at: clock().toISOString(), counts })])
}

/** Such as `users: 1 new, 2 refused`. Counts of 0 are left out. */
function describeCounts({ source, counts = NO_ROWS, refused }: FileReport): string {
  const all = Object.entries({ ...counts, refused: refused.size }).filter(([, count]) => count > 0)
  return `${source.file}: ${all.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing'}`
}

const MAX_REMARKS = 20

function firstOf(all: readonly string[]): readonly string[] {
  const more = all.length - MAX_REMARKS
  return more > 0 ? [...all.slice(0, MAX_REMARKS), `and ${more} more like these`] : all
}
