import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { fileRefused } from '#lib/base/row-refused.ts'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { type FileReport, importDataset, type OpenFile } from '#lib/dataset/import/import.ts'
import type { Cells, RowSource } from '#lib/table/cells/row-source.ts'

/** Rows in memory, by the name of their file. */
export type DatasetRows = Partial<Record<FileName, readonly Cells[]>>

export const inMemory = (file: string, rows: readonly Cells[]): RowSource => ({
  file,
  async *rows() {
    for (const [index, cells] of rows.entries()) yield { line: index + 1, cells }
  },
})

export const filesOf = (rows: DatasetRows): OpenFile[] =>
  Object.entries(rows).map(([file, cells]) => ({ file: file as FileName, source: inMemory(file, cells) }))

/** Imports rows of which none may be refused. Throws refused_file with all reasons. */
export async function importRows(
  services: Pick<ImportContext, 'store' | 'clock'>,
  rows: DatasetRows,
): Promise<void> {
  const reports = await importDataset(services, 'rows', filesOf(rows), { allowRemovals: true, rename: true })
  const reasons = reports.flatMap(({ file, refused }) =>
    [...refused].map(([line, reason]) => `${file}, row ${line}: ${reason}`),
  )
  if (reasons.length > 0) throw fileRefused(reasons.join('\n'))
}

type Imported = Pick<ImportContext, 'store'> & { readonly now: Date }

/** Imports rows and returns the report of each file. A dry run before it must refuse the same rows. */
export async function importInto(
  { store, now }: Imported,
  rows: DatasetRows,
  { unforeseen = false, ...options }: ImportOptions & { readonly unforeseen?: boolean } = {},
  name: string = randomUUID(),
): Promise<FileReport[]> {
  const imported = (dryRun: boolean) =>
    importDataset({ store, clock: () => now }, name, filesOf(rows), { ...options, dryRun })
  const foreseen = unforeseen || options.dryRun ? undefined : refusedIn(await imported(true))
  const reports = await imported(options.dryRun ?? false)
  if (foreseen) expect(foreseen).toEqual(refusedIn(reports))
  return reports
}

const refusedIn = (reports: readonly FileReport[]) =>
  reports.map(({ file, refused }) => [file, [...refused].sort(([one], [other]) => one - other)])

/** Imports rows of one file and returns its report. */
export async function importOne(
  world: Imported,
  file: FileName,
  rows: readonly Cells[],
  options?: Parameters<typeof importInto>[2],
): Promise<FileReport | undefined> {
  const [report] = await importInto(world, { [file]: rows }, options)
  return report
}

/** Imports rows and returns the reasons of those that are refused. */
export async function importRefusals(world: Imported, rows: DatasetRows): Promise<string[]> {
  const reports = await importInto(world, rows)
  return reports.flatMap(({ refused }) => [...refused.values()])
}
