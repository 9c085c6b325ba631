import type { Entry } from '#lib/dataset/format/file.ts'
import { writeGathered } from '#lib/dataset/format/whole-file.ts'
import { inBatches } from '#lib/domain/collections.ts'
import type { Outcome } from '#lib/domain/row-refused.ts'
import { advanceIds } from '#lib/store/id-counter.ts'
import type { CheckedFile } from './check.ts'
import { formatOf, readEntry } from './entries.ts'
import type { FileName } from './files.ts'
import { ROWS_AT_ONCE } from './job.ts'

export interface FileReport {
  readonly file: FileName
  readonly rows: number
  readonly written: number
  readonly unchanged: number
  /** Reasons by line. */
  readonly refused: ReadonlyMap<number, string>
  /** What was left as it was, and why, in sentences. */
  readonly remarks?: readonly string[]
}

/** What a dry run reports: everything but what the table would say to the writes. */
export const checkedReport = ({ file, rows, refused }: CheckedFile): FileReport => ({
  file,
  rows,
  refused,
  written: 0,
  unchanged: 0,
})

/** The second pass. */
export async function writeFile(checked: CheckedFile): Promise<FileReport> {
  if (checked.gathering) return writeGathered(checked, checked.gathering)
  const { file, rows, world } = checked
  const format = formatOf(checked)
  await moveCounter(checked)
  const writing = createWriting(checked)
  for await (const entries of inBatches(acceptedEntries(checked), ROWS_AT_ONCE)) await writing.batch(entries)
  await writing.deferred()
  if (writing.count.written > 0) await format.finish?.(world)
  return { file, rows, ...writing.count, refused: writing.refused }
}

/**
 * Before the first row, not after the last: when an import breaks off, the counter may have skipped ids, but never
 * hands out one that is taken.
 */
async function moveCounter(checked: CheckedFile): Promise<void> {
  const { counted } = formatOf(checked)
  if (counted && checked.highestId >= 0) await advanceIds(checked.world.store, counted, checked.highestId)
}

async function* acceptedEntries(checked: CheckedFile): AsyncGenerator<Entry> {
  for await (const row of checked.source.rows()) {
    const entry = checked.refused.has(row.line) ? '' : readEntry(checked, row)
    if (typeof entry !== 'string') yield entry
  }
}

function createWriting(checked: CheckedFile) {
  const { file, world, options, rows } = checked
  const count = { written: 0, unchanged: 0 }
  const refused = new Map(checked.refused)
  let waiting: Entry[] = []

  const batch = async (entries: readonly Entry[]) => {
    options.signal?.throwIfAborted()
    const outcomes = await formatOf(checked).write(entries, world)
    for (const [position, entry] of entries.entries()) note(entry, outcomes[position] ?? 'unchanged')
    const done = count.written + count.unchanged + refused.size
    options.onProgress?.({ file, phase: 'write', done, total: rows })
  }

  const note = (entry: Entry, outcome: Outcome) => {
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
