import type { Cells, SourceRow } from '#lib/dataset/cells/source.ts'
import { inBatches } from '#lib/domain/collections.ts'
import type { Reasons } from '#lib/domain/row-refused.ts'
import { reasonIn } from '#lib/domain/row-refused.ts'
import type { CheckedFile, DatasetFile, Report } from './dataset-file.ts'
import type { ImportWorld } from './import-world.ts'
import { type FileJob, type ImportOptions, ROWS_AT_ONCE } from './job.ts'
import type { RowColumns } from './row-format.ts'
import { createRowParser } from './row-parser.ts'

/** The format of a file that replaces as a whole what it names: its rows are gathered, and written together. */
export interface GatheredFormat<R>
  extends Pick<RowColumns, 'columns'>,
    Pick<DatasetFile, 'keyColumns' | 'exported'> {
  /** The columns as an import is told to read them. */
  columnsFor?(options: ImportOptions): RowColumns['columns']
  /** Called before the first row of an import. */
  gather(world: ImportWorld): Gathering<R>
}

export interface ReadRow<R> {
  readonly line: number
  readonly row: R
  /** Columns that the row does not have: their values are those of a new row. */
  readonly missing: readonly string[]
}

export interface Gathering<R> {
  /** Takes a batch of rows in; answers why it does not take one, by position. */
  add(rows: readonly ReadRow<R>[]): Promise<Reasons>
  /** Notes a row that could not be read. Perhaps its cells do not even tell what it belongs to. */
  miss(cells: Cells): void
  /** Called after the last row: refuses what only all rows together show; reasons by line. */
  complete(): ReadonlyMap<number, string>
  write(options: GatheredWriting): Promise<GatheredOutcome>
}

export interface GatheredWriting
  extends Pick<
    ImportOptions,
    'merge' | 'acceptRejected' | 'allowRemovals' | 'mayRemove' | 'checkUse' | 'dryRun' | 'who' | 'signal'
  > {
  readonly onProgress: (done: number) => void
}

export type GatheredOutcome = Pick<Report, 'written' | 'unchanged'> &
  Required<Pick<Report, 'counts' | 'remarks' | 'stays' | 'needsLeave'>>

/** A dataset file that is read once. */
export const gatheredFile = <R>(format: GatheredFormat<R>): DatasetFile => ({
  columns: format.columns,
  keyColumns: format.keyColumns,
  exported: format.exported,
  check: (job) => gatherRows(format, job),
})

async function gatherRows<R>(format: GatheredFormat<R>, job: FileJob): Promise<CheckedFile> {
  const { source, world, options } = job
  const gathering = format.gather(world)
  const columns = format.columnsFor?.(options) ?? format.columns
  const read = createReader<R>({ columns }, world)
  const refused = new Map<number, string>()
  const sound = (row: SourceRow): ReadRow<R>[] => {
    const rowOrReason = read(row)
    if (typeof rowOrReason !== 'string') return [rowOrReason]
    refused.set(row.line, rowOrReason)
    gathering.miss(row.cells)
    return []
  }

  let rows = 0
  for await (const batch of inBatches(source.rows(), ROWS_AT_ONCE)) {
    options.signal?.throwIfAborted()
    const read = batch.flatMap(sound)
    note(refused, read, await gathering.add(read))
    rows += batch.length
    options.onProgress?.({ file: source.file, phase: 'check', done: rows })
  }
  for (const [line, reason] of gathering.complete()) refused.set(line, reason)
  const write = () => writeGathered(gathering, job, { rows, refused })
  return { rows, refused, write, ...(options.dryRun && { preview: write }) }
}

function note(
  refused: Map<number, string>,
  rows: readonly { readonly line: number }[],
  reasons: Reasons,
): void {
  for (const [position, { line }] of rows.entries()) {
    const reason = reasons[position]
    if (reason !== undefined) refused.set(line, reason)
  }
}

/** Reads rows whose cells repeat themselves. Answers the row, or why it cannot be read. */
function createReader<R>(
  format: Pick<RowColumns, 'columns'>,
  { calendar }: ImportWorld,
): (row: SourceRow) => ReadRow<R> | string {
  const parse = createRowParser(format, calendar)
  const names = Object.keys(format.columns)
  return ({ line, cells, problem }) => {
    if (problem !== undefined) return problem
    try {
      return { line, row: parse(cells) as R, missing: names.filter((name) => !Object.hasOwn(cells, name)) }
    } catch (error) {
      return reasonIn(error)
    }
  }
}

async function writeGathered<R>(
  gathering: Gathering<R>,
  { source, options }: FileJob,
  { rows, refused }: Pick<CheckedFile, 'rows' | 'refused'>,
): Promise<Report> {
  const total = rows - refused.size
  const onProgress = (done: number) =>
    options.onProgress?.({ file: source.file, phase: 'write', done, total })
  return { rows, refused, ...(await gathering.write({ ...options, onProgress })) }
}
