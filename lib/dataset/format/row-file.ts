import { inBatches } from '#lib/domain/collections.ts'
import { NO_SUCH_ID } from '#lib/domain/fields.ts'
import { NO_ROWS, type RowOutcome } from '#lib/domain/row-refused.ts'
import { advanceIds } from '#lib/store/id-counter.ts'
import { type DatasetFile, type FileJob, type Report, ROWS_PER_BATCH } from './dataset-file.ts'
import { readEntries } from './row-entry.ts'
import { keyColumnsOf, type RowEntry, type RowFormat } from './row-format.ts'
import type { SourceRow } from './row-source.ts'

/** A dataset file that is read twice: once to check its rows and once to write them. No row is kept in between. */
export const rowFile = <R extends object>(format: RowFormat<R>): DatasetFile => ({
  columns: format.columns,
  keyColumns: keyColumnsOf(format),
  exported: format.exported,
  takesFurtherColumns: format.takesFurtherColumns,
  secrets: format.secrets,
  mayHaveParts: format.mayHaveParts,
  check: async (job) => {
    const checked = await checkRows(format, job)
    const { rows, refused } = checked
    return {
      rows,
      refused,
      checkLast: async () => {
        const late = await format.checkLast?.(job.world)
        for (const [line, reason] of late ?? []) refused.set(line, reason)
      },
      preview: () => previewRows(format, job, checked),
      write: () => writeRows(format, job, checked),
    }
  },
})

const batchSize = <R>({ rowsAtOnce = ROWS_PER_BATCH }: RowFormat<R>): number => rowsAtOnce

interface CheckedRows {
  readonly rows: number
  /** Reasons by line. */
  readonly refused: Map<number, string>
  readonly highestId: number
}

/** The first pass: reads and checks every row. */
async function checkRows<R extends object>(format: RowFormat<R>, job: FileJob): Promise<CheckedRows> {
  const { source, world, options } = job
  const check = createCheck(format, job)
  for await (const batch of inBatches(source.rows(), batchSize(format))) {
    options.signal?.throwIfAborted()
    await check.batch(batch)
    options.onProgress?.({ file: source.file, phase: 'check', done: check.rows })
  }
  const late = await format.checkWhole?.(world)
  for (const [line, reason] of late ?? []) check.refused.set(line, reason)
  return check
}

function createCheck<R extends object>(format: RowFormat<R>, { world }: FileJob) {
  const claim = createClaims(format)
  const check = {
    rows: 0,
    highestId: NO_SUCH_ID,
    refused: new Map<number, string>(),
    batch: async (batch: readonly SourceRow[]) => {
      check.rows += batch.length
      const read = await readEntries(format, batch, world)
      for (const [position, { cells }] of batch.entries())
        if (typeof read[position] === 'string') format.noteUnreadable?.(cells, world)
      const entries = batch.flatMap((row, position) => unlessRefused(row.line, read[position] ?? ''))
      const distinct = entries.flatMap((entry) => unlessRefused(entry.line, claim(entry)))
      const reasons = (await format.check?.(distinct, world)) ?? []
      const passed = distinct.flatMap((entry, position) =>
        unlessRefused(entry.line, reasons[position] ?? entry),
      )
      check.highestId = Math.max(check.highestId, ...passed.map(({ row }) => idOf(row)))
    },
  }

  const unlessRefused = (line: number, entry: RowEntry<R> | string): RowEntry<R>[] => {
    if (typeof entry !== 'string') return [entry]
    check.refused.set(line, entry)
    return []
  }

  return check
}

const idOf = (row: object): number => ('id' in row ? Number(row.id) : NO_SUCH_ID)

/** Returns the entry, or the reason to refuse it: an earlier row has one of its claims. */
function createClaims<R>(format: RowFormat<R>): (entry: RowEntry<R>) => RowEntry<R> | string {
  const lines = new Map<string, number>()
  return (entry) => {
    const claims = format.claims(entry.row)
    const clash = claims.find((claim) => lines.has(claim))
    if (clash !== undefined) return `${clash} is in line ${lines.get(clash)} already`
    for (const claim of claims) lines.set(claim, entry.line)
    return entry
  }
}

/** The second pass: reads the rows again and writes those that were not refused. */
async function writeRows<R>(format: RowFormat<R>, job: FileJob, checked: CheckedRows): Promise<Report> {
  await advanceCounter(format, job, checked)
  const writing = createWriting(format, job, checked)
  for await (const batch of inBatches(acceptedRows(job, checked), batchSize(format))) {
    const read = await readEntries(format, batch, job.world)
    await writing.batch(read.filter((entry) => typeof entry !== 'string'))
  }
  await writing.retryRefused()
  const { counts, refused } = writing
  const written = counts.new + counts.changed
  if (written > 0) await format.finish?.(job.world)
  const remarks = await remarksOf(format, job)
  return { rows: checked.rows, written, unchanged: counts.unchanged, counts, refused, remarks }
}

/** Predicts the second pass. Refusals that only writing shows are missing. */
async function previewRows<R>(format: RowFormat<R>, job: FileJob, checked: CheckedRows): Promise<Report> {
  const { rows, refused } = checked
  const counts = { ...NO_ROWS }
  for await (const batch of inBatches(acceptedRows(job, checked), batchSize(format))) {
    const read = await readEntries(format, batch, job.world)
    const entries = read.filter((entry) => typeof entry !== 'string')
    for (const kind of await format.compare(entries, job.world)) counts[kind] += 1
  }
  return { rows, refused, written: 0, unchanged: 0, counts, remarks: await remarksOf(format, job) }
}

const MAX_REMARKS = 20

async function remarksOf<R>({ remarks }: RowFormat<R>, { world }: FileJob): Promise<readonly string[]> {
  const all = (await remarks?.(world)) ?? []
  const more = all.length - MAX_REMARKS
  return more > 0 ? [...all.slice(0, MAX_REMARKS), `and ${more} more like these`] : all
}

/**
 * Called before the first row is written. An interrupted import may then leave a gap in the ids, but the counter never
 * hands out an id that is taken.
 */
async function advanceCounter<R>(
  { counted }: RowFormat<R>,
  { world }: FileJob,
  { highestId }: CheckedRows,
): Promise<void> {
  if (counted && highestId >= 0) await advanceIds(world.store, counted, highestId)
}

async function* acceptedRows({ source }: FileJob, { refused }: CheckedRows): AsyncGenerator<SourceRow> {
  for await (const row of source.rows()) if (!refused.has(row.line)) yield row
}

function createWriting<R>(format: RowFormat<R>, job: FileJob, checked: CheckedRows) {
  const { source, world, options } = job
  const counts = { ...NO_ROWS }
  const refused = new Map(checked.refused)
  let toRetry: RowEntry<R>[] = []

  const batch = async (entries: readonly RowEntry<R>[]) => {
    options.signal?.throwIfAborted()
    const outcomes = await format.write(entries, world)
    for (const [position, entry] of entries.entries()) note(entry, outcomes[position] ?? 'unchanged')
    const done = counts.new + counts.changed + counts.unchanged + refused.size
    options.onProgress?.({ file: source.file, phase: 'write', done, total: checked.rows })
  }

  const note = (entry: RowEntry<R>, outcome: RowOutcome) => {
    if (typeof outcome === 'string') {
      counts[outcome] += 1
      refused.delete(entry.line)
      return
    }
    refused.set(entry.line, outcome.refused)
    toRetry.push(entry)
  }

  /** A row may hold the name that another row needs, so refused rows are retried as long as any of them succeeds. */
  const retryRefused = async () => {
    for (let before = Number.POSITIVE_INFINITY; toRetry.length > 0 && toRetry.length < before; ) {
      before = toRetry.length
      const entries = toRetry
      toRetry = []
      await batch(entries)
    }
  }

  return { batch, retryRefused, counts, refused }
}
