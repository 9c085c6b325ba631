import type { SourceRow } from '#lib/dataset/cells/source.ts'
import { inBatches } from '#lib/domain/collections.ts'
import type { Outcome } from '#lib/domain/row-refused.ts'
import { advanceIds } from '#lib/store/id-counter.ts'
import type { Report } from './dataset-file.ts'
import { readEntries } from './entry.ts'
import { type FileJob, ROWS_AT_ONCE } from './job.ts'
import type { CheckedRows } from './row-check.ts'
import type { Entry, RowFormat } from './row-format.ts'

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
  if (writing.count.written > 0) await format.finish?.(job.world)
  const remarks = format.remarks?.(job.world) ?? []
  return { rows: checked.rows, ...writing.count, refused: writing.refused, remarks }
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
  const count = { written: 0, unchanged: 0 }
  const refused = new Map(checked.refused)
  let waiting: Entry<R>[] = []

  const batch = async (entries: readonly Entry<R>[]) => {
    options.signal?.throwIfAborted()
    const outcomes = await format.write(entries, world)
    for (const [position, entry] of entries.entries()) note(entry, outcomes[position] ?? 'unchanged')
    const done = count.written + count.unchanged + refused.size
    options.onProgress?.({ file: source.file, phase: 'write', done, total: checked.rows })
  }

  const note = (entry: Entry<R>, outcome: Outcome) => {
    if (typeof outcome === 'string') {
      count[outcome] += 1
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

  return { batch, deferred, count, refused }
}
