import { digestOf } from '#lib/dataset/format/digest.ts'
import type { DatasetFile, Entry } from '#lib/dataset/format/file.ts'
import { parseRow } from '#lib/dataset/format/row-parser.ts'
import type { SourceRow } from '#lib/dataset/format/source.ts'
import { isWhole, type WholeFile } from '#lib/dataset/format/whole-file.ts'
import { RowRefused } from '#lib/domain/row-refused.ts'
import { datasetFiles } from './files.ts'
import type { FileJob } from './job.ts'

export const anyFormatOf = ({ file }: Pick<FileJob, 'file'>): DatasetFile | WholeFile => datasetFiles[file]

/** Of a file whose rows are written one by one. */
export function formatOf(job: Pick<FileJob, 'file'>): DatasetFile {
  const format = anyFormatOf(job)
  if (isWhole(format)) throw new TypeError(`${job.file} is written as a whole`)
  return format
}

/** The row as an entry, or why it is none. */
export function readEntry(job: FileJob, { line, cells, problem }: SourceRow): Entry | string {
  if (problem !== undefined) return problem
  const format = formatOf(job)
  try {
    return { line, cells, row: parseRow(format, cells, job.calendar), digest: digestOf(format, cells) }
  } catch (error) {
    if (error instanceof RowRefused) return error.message
    throw error
  }
}
