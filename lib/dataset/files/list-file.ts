import {
  type DatasetFile,
  type FileJob,
  type ImportOptions,
  ROWS_PER_BATCH,
} from '#lib/dataset/format/dataset-file.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { type RefusedRows, readUnlessRefused, withoutProblem } from '#lib/dataset/format/row-batch.ts'
import type { RowColumns } from '#lib/dataset/format/row-format.ts'
import { createRowParser } from '#lib/dataset/format/row-parser.ts'
import type { Cells, SourceRow } from '#lib/dataset/format/row-source.ts'
import { inBatches } from '#lib/domain/collections.ts'
import { RowRefused } from '#lib/domain/row-refused.ts'
import {
  addLine,
  completeLists,
  createReplacedList,
  type ReplacedList,
  replaceLists,
  type StoredList,
} from '#lib/tariffs/replaced-list.ts'

/** The format of a file that replaces whole stored lists, such as the rates of each tariff that it names. */
export interface ListFormat<R> extends Pick<DatasetFile, 'columns' | 'keyColumns'> {
  /** The columns for the options of an import. */
  columnsFor?(options: ImportOptions): RowColumns['columns']
  lineOf(row: R): string
  /** The id of the list that a row belongs to. */
  listOf(row: R): number
  /** The id of the list that a row belongs to which cannot be read; `undefined` if its cells do not tell. */
  listIn(cells: Cells): number | undefined
  /** Creates a look-up of the ids that are refused. It reads those of a batch together. */
  createCheck?(world: ImportWorld): (ids: readonly number[]) => Promise<(id: number) => string | undefined>
  stored(id: number, world: ImportWorld): StoredList
}

/** A dataset file that is read once: its lines are kept until they are written together. */
export const listFile = <R>(format: ListFormat<R>): DatasetFile => ({
  columns: format.columns,
  keyColumns: format.keyColumns,
  check: async (job) => {
    const { rows, refused, lists, unassigned } = await gatherLists(format, job)
    const { source, world, options } = job
    const total = rows - refused.size
    const write = async () => {
      const onProgress = (done: number) =>
        options.onProgress?.({ file: source.file, phase: 'write', done, total })
      const outcome = await replaceLists(lists.values(), {
        ...options,
        onProgress,
        unassigned,
        at: world.clock(),
      })
      return { rows, refused, ...outcome }
    }
    return { rows, refused, write }
  },
})

async function gatherLists<R>(format: ListFormat<R>, job: FileJob) {
  const { source, world, options } = job
  const read = createReader(format, job)
  const findProblems = format.createCheck?.(world)
  const lists = new Map<number, ReplacedList>()
  const refused: RefusedRows = new Map()
  let [rows, unassigned] = [0, 0]

  const listOf = (id: number): ReplacedList => {
    const list = lists.get(id) ?? createReplacedList(format.stored(id, world))
    lists.set(id, list)
    return list
  }
  const countRefused = ({ cells }: SourceRow): void => {
    const id = format.listIn(cells)
    if (id === undefined) unassigned += 1
    else listOf(id).refused += 1
  }

  for await (const batch of inBatches(source.rows(), ROWS_PER_BATCH)) {
    options.signal?.throwIfAborted()
    const readable = readUnlessRefused(batch, read, refused)
    for (const row of batch.filter(({ line }) => refused.has(line))) countRefused(row)
    const problemOf = await findProblems?.(readable.map(({ list }) => list))
    const known = withoutProblem(readable, ({ list }) => problemOf?.(list), refused)
    for (const row of known) addLine(listOf(row.list), row)
    rows += batch.length
    options.onProgress?.({ file: source.file, phase: 'check', done: rows })
  }
  for (const [line, reason] of completeLists(lists.values())) refused.set(line, reason)
  return { rows, refused, lists, unassigned }
}

/** Creates a reader of rows as lines of a list. It throws RowRefused for a row that cannot be read. */
function createReader<R>(format: ListFormat<R>, { world, options }: FileJob) {
  const columns = format.columnsFor?.(options) ?? format.columns
  const parse = createRowParser({ columns }, world.calendar)
  const names = Object.keys(columns)
  return ({ line, cells, problem }: SourceRow) => {
    if (problem !== undefined) throw new RowRefused(problem)
    const row = parse(cells) as R
    // Cells of missing columns are the defaults of a new row.
    const missing = names.filter((name) => !Object.hasOwn(cells, name))
    return { list: format.listOf(row), line, text: format.lineOf(row), missing }
  }
}
