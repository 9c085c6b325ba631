import { randomUUID } from 'node:crypto'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { type FileReport, importDataset } from '#lib/dataset/import/import.ts'
import type { World } from '#test/world.ts'
import { type DatasetRows, filesOf } from './import-rows.ts'

type Imported = Pick<World, 'store' | 'now'>

/** Imports rows, of which some may be refused, and returns the report of each file. */
export function importInto(
  { store, now }: Imported,
  rows: DatasetRows,
  options: ImportOptions = {},
  name: string = randomUUID(),
): Promise<FileReport[]> {
  return importDataset({ store, clock: () => now }, name, filesOf(rows), options)
}

/** Imports rows of one file and returns its report. */
export async function importOne(
  world: Imported,
  file: FileName,
  rows: readonly Cells[],
  options?: ImportOptions,
): Promise<FileReport | undefined> {
  const [report] = await importInto(world, { [file]: rows }, options)
  return report
}

/** Imports rows and returns the reasons of those that are refused. */
export async function importRefusals(world: Imported, rows: DatasetRows): Promise<string[]> {
  const reports = await importInto(world, rows)
  return reports.flatMap(({ refused }) => [...refused.values()])
}
