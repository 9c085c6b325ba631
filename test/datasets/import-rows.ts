import { DatasetError } from '#lib/dataset/format/dataset-file.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import type { Cells, RowSource } from '#lib/dataset/format/row-source.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { importDataset, type OpenFile } from '#lib/dataset/import/import.ts'

/** Imports rows of which none may be refused. Throws DatasetError with all reasons. */
export async function importRows(
  services: Pick<ImportWorld, 'store' | 'clock'>,
  rows: DatasetRows,
): Promise<void> {
  const reports = await importDataset(services, 'rows', filesOf(rows), { allowRemovals: true })
  const reasons = reports.flatMap(({ file, refused }) =>
    [...refused].map(([line, reason]) => `${file}, row ${line}: ${reason}`),
  )
  if (reasons.length > 0) throw new DatasetError(reasons.join('\n'))
}

export const filesOf = (rows: DatasetRows): OpenFile[] =>
  Object.entries(rows).map(([file, cells]) => ({ file: file as FileName, source: inMemory(file, cells) }))

export const inMemory = (file: string, rows: readonly Cells[]): RowSource => ({
  file,
  async *rows() {
    for (const [index, cells] of rows.entries()) yield { line: index + 1, cells }
  },
})

/** Rows in memory, by the name of their file. */
export type DatasetRows = Partial<Record<FileName, readonly Cells[]>>
