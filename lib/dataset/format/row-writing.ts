import type { SourceRow } from '#lib/dataset/cells/source.ts'
import { inBatches } from '#lib/domain/collections.ts'
import type { RowOutcome } from '#lib/domain/row-refused.ts'
import { advanceIds } from '#lib/store/id-counter.ts'
import { NO_ROWS, type Report } from './dataset-file.ts'
import { readEntries } from './entry.ts'
import { type FileJob, ROWS_AT_ONCE } from './job.ts'
import type { CheckedRows } from './row-check.ts'
import type { RowEntry, RowFormat } from './row-format.ts'

/** The second pass: reads the rows again and writes those that were not refused. */
export async function writeRows<R>(
  format: RowFormat<R>,
  job: FileJob,
  checked: CheckedRows,
): Promise<Report> {
  await moveCounter(format, job, checked)
  const writing = createWriting(format, job, checked)
  const rows = soundRows(job, checked)
  for await (const batch of inBatches(rows, ROWS_AT_ONCE)) {
    const read = await readEntries(format, batch, job.world)
    await writing.batch(read.filter((entry) => typeof entry !== 'string'))
  }
  await writing.deferred()
  const { counts, refused } = writing
  const written = counts.new + counts.changed
  if (written > 0) await format.finish?.(job.world)
  const remarks = await remarksOf(format, job)
  return { rows: checked.rows, written, unchanged: counts.unchanged, counts, refused, remarks }
}

/** What the second pass would do, as far as that shows beforehand. */
export async function previewRows<R>(
  format: RowFormat<R>,
  job: FileJob,
  checked: CheckedRows,
): Promise<Report> {
  const { rows, refused } = checked
  const counts = { ...NO_ROWS }
  for await (const batch of inBatches(soundRows(job, checked), ROWS_AT_ONCE)) {
    const read = await readEntries(format, batch, job.world)
    const entries = read.filter((entry) => typeof entry !== 'string')
    for (const kind of await format.compare(entries, job.world)) counts[kind] += 1
  }
  return { rows, refused, written: 0, unchanged: 0, counts, remarks: await remarksOf(format, job) }
}

/** More of them tell nothing new. */
const MOST_REMARKS = 20

async function remarksOf<R>({ remarks }: RowFormat<R>, { world }: FileJob): Promise<readonly string[]> {
  const all = (await remarks?.(world)) ?? []
  const more = all.length - MOST_REMARKS
  return more > 0 ? [...all.slice(0, MOST_REMARKS), `and ${more} more like these`] : all
}

/**
 * Called before the first row, not after the last: when an import breaks off, the counter may have skipped ids, but it
 * never hands out one that is taken.
 */
async function moveCounter<R>(
  { counted }: RowFormat<R>,
  { world }: FileJob,
  { highestId }: CheckedRows,
): Promise<void> {
  if (counted && highestId >= 0) await advanceIds(world.store, counted, highestId)
}

async function* soundRows({ source }: FileJob, { refused }: CheckedRows): AsyncGenerator<SourceRow> {
  for await (const row of source.rows()) if (!refused.has(row.line)) yield row
}

function createWriting<R>(format: RowFormat<R>, job: FileJob, checked: CheckedRows) {
  const { source, world, options } = job
  const counts = { ...NO_ROWS }
  const refused = new Map(checked.refused)
  let waiting: RowEntry<R>[] = []

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
    waiting.push(entry)
  }

  /** One row may hold the name that another one waits for: whatever is refused is tried again while any gets through. */
  const deferred = async () => {
    for (let before = Number.POSITIVE_INFINITY; waiting.length > 0 && waiting.length < before; ) {
      before = waiting.length
      const entries = waiting
      waiting = []
      await batch(entries)
    }
  }

  return { batch, deferred, counts, refused }
}
