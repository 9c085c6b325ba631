import { inBatches } from '#lib/base/collections.ts'
import { type RowProblem, rowRefused } from '#lib/base/row-refused.ts'
import { createRowParser } from '#lib/table/cells/row-parser.ts'
import type { Cells, SourceRow } from '#lib/table/cells/row-source.ts'
import type { Requirement } from '#lib/table/entity.ts'
import { type DatasetFile, type FileJob, ROWS_PER_BATCH } from './dataset-file.ts'
import type { NewRows } from './import-context.ts'
import { referenceProblems } from './references.ts'
import {
  addLine,
  completeLists,
  createReplacedList,
  type GatheredLists,
  planList,
  type ReplacedList,
  replaceLists,
  type StoredList,
} from './replaced-list.ts'
import { inWords, type RefusedRows, readUnlessRefused, withoutProblem } from './row-batch.ts'
import type { RowColumns } from './row-format.ts'

/** The format of a file that replaces whole stored lists, such as the rates of each tariff that it names. */
export interface ListFormat<R> extends Pick<DatasetFile, 'columns' | 'keyColumns'> {
  /** The columns for the options of an import. */
  columnsFor?(options: FileJob['options']): RowColumns['columns']
  lineOf(row: R): string
  listOf(row: R): number
  /** The id of the list that a row belongs to which cannot be read; `undefined` if its cells do not say. */
  listIn(cells: Cells): number | undefined
  readonly requires?: readonly Requirement[]
  /** The reason to refuse a row that can be read. */
  problem?(row: R): RowProblem | undefined
  /** Finds the reasons that only stored lists and earlier rows show. Called for the rows in their order. */
  further?(job: FileJob): (rows: readonly R[]) => Promise<(row: R, line: number) => RowProblem | undefined>
  /** The rows that the lists bring to other files of the dataset. */
  brings?(lists: ReadonlyMap<number, readonly string[]>): Partial<NewRows>
  stored(id: number, job: FileJob): StoredList
}

/** A dataset file that is read once: its lines are kept until they are written together. */
export const listFile = <R extends object>(format: ListFormat<R>): DatasetFile => ({
  columns: format.columns,
  keyColumns: format.keyColumns,
  check: async (job) => {
    const gathered = await gatherLists(format, job)
    const { rows, refused, problems, brings } = gathered
    return {
      rows,
      refused,
      problems,
      brings,
      write: (context) => replaceLists(gathered, { ...job, context }),
    }
  },
})

/** The problems of the rows of a file about one list, or else the version of the list that they make. */
export async function planOneList<R extends object>(format: ListFormat<R>, job: FileJob) {
  const { problems, lists, unassigned } = await gatherLists(format, job)
  const [list] = lists
  const refused = [...problems.values()].flat()
  return {
    problems: refused,
    plan: list && refused.length === 0 ? await planList(list, { job, unassigned }) : undefined,
  }
}

async function gatherLists<R extends object>(
  format: ListFormat<R>,
  job: FileJob,
): Promise<GatheredLists & { readonly problems: RefusedRows; readonly brings: Partial<NewRows> }> {
  const { source, context, options } = job
  const read = createReader(format, job)
  const findFurther = format.further?.(job) ?? (async () => () => undefined)
  const lists = new Map<number, ReplacedList>()
  const refused: RefusedRows = new Map()
  let [rows, unassigned] = [0, 0]

  const listWith = (id: number): ReplacedList => {
    const list = lists.get(id) ?? createReplacedList(format.stored(id, job))
    lists.set(id, list)
    return list
  }
  const countRefused = ({ cells }: SourceRow): void => {
    const id = format.listIn(cells)
    if (id === undefined) unassigned += 1
    else listWith(id).refused += 1
  }

  for await (const batch of inBatches(source.rows(), ROWS_PER_BATCH)) {
    options.signal?.throwIfAborted()
    const readable = readUnlessRefused(batch, read, refused)
    for (const row of batch.filter(({ line }) => refused.has(line))) countRefused(row)
    const readRows = readable.map(({ row }) => row)
    const unknown = await referenceProblems(context, readRows, format.requires ?? [])
    const known = withoutProblem(readable, ({ row }) => unknown(row), refused)
    const further = await findFurther(known.map(({ row }) => row))
    for (const { row, line, missing } of withoutProblem(
      known,
      ({ row, line }) => further(row, line),
      refused,
    ))
      addLine(listWith(format.listOf(row)), { line, text: format.lineOf(row), missing })
    rows += batch.length
    options.onProgress?.({ file: source.file, phase: 'check', done: rows })
  }
  for (const [line, reason] of completeLists(lists.values())) refused.set(line, [reason])
  const brings = format.brings?.(new Map([...lists].map(([id, { sorted }]) => [id, sorted.lines]))) ?? {}
  return { rows, refused: inWords(refused), problems: refused, lists: lists.values(), unassigned, brings }
}

/** Creates a reader of rows. It throws refused_row for a row that cannot be read. */
function createReader<R>(format: ListFormat<R>, { context, options }: FileJob) {
  const columns = format.columnsFor?.(options) ?? format.columns
  const parse = createRowParser({ columns }, context.calendar)
  const names = Object.keys(columns)
  return ({ line, cells, problem }: SourceRow) => {
    if (problem !== undefined) throw rowRefused(problem)
    // Cells of missing columns are the defaults of a new row.
    const row = parse(cells) as R
    const refusal = format.problem?.(row)
    if (refusal !== undefined) throw rowRefused(refusal)
    return { line, row, missing: names.filter((name) => !Object.hasOwn(cells, name)) }
  }
}
