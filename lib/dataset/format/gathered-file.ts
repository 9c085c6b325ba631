import { inBatches } from '#lib/domain/collections.ts'
import { type Reasons, reasonIn } from '#lib/domain/row-refused.ts'
import {
  type CheckedFile,
  type DatasetFile,
  type FileJob,
  type ImportOptions,
  type Report,
  ROWS_PER_BATCH,
} from './dataset-file.ts'
import type { ImportWorld } from './import-world.ts'
import type { RowColumns } from './row-format.ts'
import { createRowParser } from './row-parser.ts'
import type { Cells, SourceRow } from './row-source.ts'

/** The format of a file that replaces whole lists: its rows are gathered and written together. */
export interface GatheredFormat<R> extends Pick<DatasetFile, 'columns' | 'keyColumns' | 'exported'> {
  /** The columns for the options of an import. */
  columnsFor?(options: ImportOptions): RowColumns['columns']
  /** Called before the first row of an import. */
  gather(world: ImportWorld): Gathering<R>
}

export interface ReadRow<R> {
  readonly line: number
  readonly row: R
  /** Columns that the row lacks. Their values are the defaults of a new row. */
  readonly missing: readonly string[]
}

export interface Gathering<R> {
  /** Adds a batch of rows. Returns the reasons to refuse rows, by position. */
  add(rows: readonly ReadRow<R>[]): Promise<Reasons>
  /** Notes a row that cannot be read. Its cells may not even tell what it belongs to. */
  noteUnreadable(cells: Cells): void
  /** Called after the last row. Refuses rows for reasons that only all rows show; reasons by line. */
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
  Required<Pick<Report, 'counts' | 'remarks' | 'notReplaced' | 'needsPermission'>>

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
  const unlessRefused = (row: SourceRow): ReadRow<R>[] => {
    const rowOrReason = read(row)
    if (typeof rowOrReason !== 'string') return [rowOrReason]
    refused.set(row.line, rowOrReason)
    gathering.noteUnreadable(row.cells)
    return []
  }

  let rows = 0
  for await (const batch of inBatches(source.rows(), ROWS_PER_BATCH)) {
    options.signal?.throwIfAborted()
    const read = batch.flatMap(unlessRefused)
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

/** Creates a reader that returns a row, or the reason why it cannot be read. */
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
