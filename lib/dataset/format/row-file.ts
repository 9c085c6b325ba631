import { inBatches, paired } from '#lib/base/collections.ts'
import { allProblems, NO_ROWS, type ProblemOf, type RowProblem } from '#lib/base/row-refused.ts'
import { createSkippedTimes } from '#lib/table/cells/moments.ts'
import { advanceIds, nextIds } from '#lib/table/id-counter.ts'
import {
  type CheckedFile,
  type DatasetFile,
  type FileJob,
  type ImportReport,
  ROWS_PER_BATCH,
} from './dataset-file.ts'
import { addNewRows, type ImportContext, type NamedRow, OTHER_ROW, toNamedRow } from './import-context.ts'
import { checkEntries, inWords, type RefusedRows, withoutProblem, writeEntries } from './row-batch.ts'
import { type NewIds, otherNameProblems, provisionalIds, readEntries } from './row-entry.ts'
import { keyColumnsOf, type RowEntry, type RowFormat, SECRET_CLAIM } from './row-format.ts'

/**
 * A dataset file that is read twice: once to check its rows and once to write them. No row is kept in
 * between. A file that brings more than rows has its own `check`.
 */
export const rowFile = <R extends object>(
  format: RowFormat<R>,
  check: (job: FileJob) => Promise<CheckedFile> = (job) => checkRows(openRows(format, job)),
): DatasetFile => ({
  columns: format.columns,
  keyColumns: keyColumnsOf(format),
  nameColumn: format.names?.find && format.names.column,
  furtherProblem: format.furtherProblem,
  check,
})

/** Checks all rows of a file that brings nothing else. */
export async function checkRows<R extends object>(rows: OpenRows<R>): Promise<CheckedFile> {
  for await (const _batch of rows.batches());
  return rows.checked()
}

/** The rows of a file during an import. */
export type OpenRows<R extends object> = ReturnType<typeof openRows<R>>

/** `batchSize` is the number of rows that are written together. */
export function openRows<R extends object>(format: RowFormat<R>, job: FileJob, batchSize = ROWS_PER_BATCH) {
  const { source, options } = job
  const refused: RefusedRows = new Map()
  const own = new Map<number | string, NamedRow>()
  const brings = format.key ? { rows: new Map([[format.key, own]]) } : {}
  const context = { ...job.context, newRows: addNewRows(job.context.newRows, brings) }
  const skipped = createSkippedTimes(format.columns, context.calendar.zone)
  let rows = 0

  return {
    /** The context of the first pass, in which accepted rows of earlier batches are known. */
    context,
    /** The first pass: reads and checks every row, batch by batch. */
    batches: async function* () {
      const claimProblem = createClaims(format)
      const reading = { ...context, newIds: provisionalIds() }
      for await (const batch of inBatches(source.rows(), ROWS_PER_BATCH)) {
        options.signal?.throwIfAborted()
        const read = await readEntries(format, batch, reading, refused)
        const known = options.rename ? read : await withoutOtherNames(format, read, context, { refused, own })
        const distinct = withoutProblem(known, claimProblem, refused)
        const accepted = await checkEntries(format, distinct, context, refused)
        skipped.add(accepted)
        for (const [id, row] of namedRows(format, accepted)) own.set(id, row)
        yield { accepted, refused: batch.filter(({ line }) => refused.has(line)) }
        rows += batch.length
        options.onProgress?.({ file: source.file, phase: 'check', done: rows })
      }
    },
    refuse: (line: number, ...problems: readonly RowProblem[]) => refused.set(line, problems),
    /** Forgets an accepted row, so that no other row may refer to it. */
    forget: (id: number) => own.delete(id),
    /** Called after the first pass. */
    checked: (): CheckedFile => {
      const pass = { format, job, batchSize, rows, refused }
      return {
        rows,
        refused: inWords(refused),
        brings,
        remarks: async () => skipped.remarks(),
        write: (after) => (options.dryRun ? previewRows(pass, after) : writeRows(pass, after)),
      }
    },
  }
}

/** Rows whose id belongs to no stored row of another name. Nothing else may name the others. */
async function withoutOtherNames<R extends object>(
  format: RowFormat<R>,
  entries: readonly RowEntry<R>[],
  context: ImportContext,
  { refused, own }: { readonly refused: RefusedRows; readonly own: Map<number | string, NamedRow> },
): Promise<RowEntry<R>[]> {
  const left = withoutProblem(entries, await otherNameProblems(format, entries, context), refused)
  const others = entries.filter((entry) => !left.includes(entry))
  for (const [id] of namedRows(format, others)) own.set(id, OTHER_ROW)
  return left
}

/** The rows to which other rows may refer, by id. */
const namedRows = <R extends object>(
  { key, keyColumns: [column = ''] = ['id'] }: RowFormat<R>,
  entries: readonly RowEntry<R>[],
): (readonly [id: number | string, NamedRow])[] =>
  key ? entries.map(({ row }) => [Object(row)[column], toNamedRow(row)]) : []

/** Returns the problem of an entry if an earlier row has one of its claims. */
function createClaims<R>(format: RowFormat<R>): ProblemOf<RowEntry<R>> {
  const lines = new Map<string, number>()
  return ({ row, line }) => {
    const claims = format.claims(row)
    const clash = claims.find((claim) => lines.has(claim))
    if (clash !== undefined) return `${clash.split(SECRET_CLAIM)[0]} is in line ${lines.get(clash)} already`
    for (const claim of claims) lines.set(claim, line)
    return undefined
  }
}

/** The second pass, which reads the rows again that were not refused. */
interface SecondPass<R> extends Pick<CheckedFile, 'rows'> {
  readonly refused: RefusedRows
  readonly format: RowFormat<R>
  readonly job: FileJob
  readonly batchSize: number
}

async function* acceptedEntries<R>(
  { format, job, refused }: SecondPass<R>,
  context: ImportContext & { readonly newIds: NewIds },
  refusedNow: RefusedRows,
  batchSize: number,
): AsyncGenerator<RowEntry<R>[]> {
  for await (const batch of inBatches(job.source.rows(), batchSize)) {
    const left = batch.filter(({ line }) => !refused.has(line))
    yield await readEntries(format, left, context, refusedNow)
  }
}

async function previewRows<R>(pass: SecondPass<R>, context: ImportContext): Promise<ImportReport> {
  const { rows, format, job } = pass
  const refused: RefusedRows = new Map(pass.refused)
  const counts = { ...NO_ROWS }
  let done = 0
  const reading = { ...context, newIds: provisionalIds() }
  for await (const entries of acceptedEntries(pass, reading, refused, ROWS_PER_BATCH)) {
    const outcomes = await format.compare(entries, context)
    for (const [{ line }, outcome] of paired(entries, outcomes)) {
      if (typeof outcome === 'object') refused.set(line, allProblems(outcome.refused))
      else counts[outcome ?? 'unchanged'] += 1
    }
    done += entries.length
    job.options.onProgress?.({ file: job.source.file, phase: 'compare', done, total: rows - refused.size })
  }
  return { rows, refused: inWords(refused), written: 0, unchanged: 0, counts }
}

async function writeRows<R>(pass: SecondPass<R>, context: ImportContext): Promise<ImportReport> {
  const { format, job, rows } = pass
  await advanceCounter(format, context)
  const refused: RefusedRows = new Map(pass.refused)
  const counts = { ...NO_ROWS }
  const write = async (entries: readonly RowEntry<R>[]): Promise<RowEntry<R>[]> => {
    job.options.signal?.throwIfAborted()
    const left = await writeEntries(format, entries, context, { counts, refused })
    const done = counts.new + counts.changed + counts.unchanged + refused.size
    job.options.onProgress?.({ file: job.source.file, phase: 'write', done, total: rows })
    return left
  }

  const { newIds, numbered } = givenIds(format, context)
  let left: RowEntry<R>[] = []
  for await (const entries of acceptedEntries(pass, { ...context, newIds }, refused, pass.batchSize))
    left.push(...(await write(entries)))
  // A row may hold a name that another one needs: refused rows are written again while any succeeds.
  for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before; ) {
    before = left.length
    left = await write(left)
  }
  const written = counts.new + counts.changed
  return { rows, refused: inWords(refused), counts, written, unchanged: counts.unchanged, numbered }
}

/** Gives out new ids, and notes those that it has given out. */
function givenIds<R>({ counted = 'account', names: rowNames }: RowFormat<R>, { store }: ImportContext) {
  const numbered: string[] = []
  const newIds: NewIds = async (names) => {
    const highest = numbered.length === 0 ? await rowNames?.highestId?.(store) : undefined
    if (highest !== undefined) await advanceIds(store, counted, highest)
    const first = await nextIds(store, counted, names.length)
    for (const [index, name] of names.entries()) numbered.push(`the id of ${name} is ${first + index}`)
    return first
  }
  return { newIds, numbered }
}

/**
 * Called before the first row is written. An interrupted import may then leave a gap in the ids, but the
 * counter never hands out an id that is taken.
 */
async function advanceCounter<R>(
  { key, counted }: RowFormat<R>,
  { store, newRows }: ImportContext,
): Promise<void> {
  const rows = key && newRows.rows.get(key)
  if (!counted || !rows?.size) return
  let highest = 0
  for (const id of rows.keys()) highest = Math.max(highest, Number(id))
  await advanceIds(store, counted, highest)
}
