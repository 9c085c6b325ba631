import type { CheckedFile } from '#lib/dataset/import/check.ts'
import { type FileJob, type ImportOptions, ROWS_AT_ONCE } from '#lib/dataset/import/job.ts'
import { inBatches } from '#lib/domain/collections.ts'
import { RowRefused } from '#lib/domain/row-refused.ts'
import type { DatasetFile, ImportWorld, Reasons } from './file.ts'
import { createRowParser } from './row-parser.ts'
import type { Cells, SourceRow } from './source.ts'

/** A file that replaces what it names as a whole: its rows are read once, gathered, and written together. */
export interface WholeFile<R = unknown> extends Pick<DatasetFile, 'columns'> {
  /** Before the first row of an import. */
  gather(world: ImportWorld): Gathering<R>
}

export interface ReadRow<R = unknown> {
  readonly line: number
  readonly row: R
}

export interface Gathering<R = unknown> {
  /** Takes rows in, batch by batch; the reason for each that it does not take. */
  add(rows: readonly ReadRow<R>[]): Promise<Reasons>
  /** A row that could not be read, of what nobody may know for sure. */
  miss(cells: Cells): void
  /** After the last row: what only all of them show, reasons by line. */
  complete(): ReadonlyMap<number, string>
  write(options: WholeWriting): Promise<WholeOutcome>
}

export interface WholeWriting extends Pick<ImportOptions, 'merge' | 'acceptRejected' | 'signal'> {
  readonly onProgress: (done: number) => void
}

export interface WholeOutcome {
  readonly written: number
  readonly unchanged: number
  /** What was left as it was, and why, in sentences. */
  readonly remarks: readonly string[]
}

export const isWhole = (format: DatasetFile | WholeFile): format is WholeFile => 'gather' in format

/** The only pass over the rows. Nothing is written before `write`. */
export async function gatherFile(job: FileJob, format: WholeFile): Promise<CheckedFile> {
  const { file, source, world, options } = job
  const gathering = format.gather(world)
  const parse = createRowParser(format, job.calendar)
  const refused = new Map<number, string>()
  const refuse = (row: SourceRow, reason: string): [] => {
    refused.set(row.line, reason)
    gathering.miss(row.cells)
    return []
  }
  const read = (row: SourceRow): ReadRow[] => {
    if (row.problem !== undefined) return refuse(row, row.problem)
    try {
      return [{ line: row.line, row: parse(row.cells) }]
    } catch (error) {
      if (error instanceof RowRefused) return refuse(row, error.message)
      throw error
    }
  }

  let rows = 0
  for await (const batch of inBatches(source.rows(), ROWS_AT_ONCE)) {
    options.signal?.throwIfAborted()
    const entries = batch.flatMap(read)
    const reasons = await gathering.add(entries)
    for (const [position, { line }] of entries.entries()) {
      const reason = reasons[position]
      if (reason !== undefined) refused.set(line, reason)
    }
    rows += batch.length
    options.onProgress?.({ file, phase: 'check', done: rows })
  }
  for (const [line, reason] of gathering.complete()) refused.set(line, reason)
  return { ...job, rows, refused, highestId: -1, gathering }
}

/** Writes what was gathered. */
export async function writeGathered({ file, rows, refused, options }: CheckedFile, gathering: Gathering) {
  const total = rows - refused.size
  const onProgress = (done: number) => options.onProgress?.({ file, phase: 'write', done, total })
  const outcome = await gathering.write({ ...options, onProgress })
  return { file, rows, refused, ...outcome }
}
