import type { Entry } from '#lib/dataset/format/file.ts'
import type { SourceRow } from '#lib/dataset/format/source.ts'
import { type Gathering, gatherFile, isWhole } from '#lib/dataset/format/whole-file.ts'
import { inBatches } from '#lib/domain/collections.ts'
import { NO_SUCH_ID } from '#lib/domain/ids.ts'
import { anyFormatOf, formatOf, readEntry } from './entries.ts'
import { type FileJob, ROWS_AT_ONCE } from './job.ts'

export interface CheckedFile extends FileJob {
  readonly rows: number
  /** Reasons by line. */
  readonly refused: Map<number, string>
  readonly highestId: number
  /** The rows themselves, of a file that is written as a whole. */
  readonly gathering?: Gathering
}

/** The first pass: every row is read and checked; none is kept, unless the file is written as a whole. */
export async function checkFile(job: FileJob): Promise<CheckedFile> {
  const format = anyFormatOf(job)
  if (isWhole(format)) return gatherFile(job, format)
  const check = createCheck(job)
  for await (const batch of inBatches(job.source.rows(), ROWS_AT_ONCE)) {
    job.options.signal?.throwIfAborted()
    await check.batch(batch)
    job.options.onProgress?.({ file: job.file, phase: 'check', done: check.rows })
  }
  const late = await format.checkWhole?.(job.world)
  for (const [line, reason] of late ?? []) check.refused.set(line, reason)
  return { ...job, rows: check.rows, refused: check.refused, highestId: check.highestId }
}

/** After the first pass over all the files. */
export async function checkLast(file: CheckedFile): Promise<void> {
  if (file.gathering) return
  const late = await formatOf(file).checkLast?.(file.world)
  for (const [line, reason] of late ?? []) file.refused.set(line, reason)
}

function createCheck(job: FileJob) {
  const format = formatOf(job)
  const claims = new Map<string, number>()
  const check = {
    rows: 0,
    highestId: NO_SUCH_ID,
    refused: new Map<number, string>(),
    batch: async (batch: readonly SourceRow[]) => {
      check.rows += batch.length
      const entries = batch.flatMap((row) => accepted(row.line, readEntry(job, row)))
      const distinct = entries.flatMap((entry) => accepted(entry.line, claimAll(entry)))
      const reasons = await format.check(distinct, job.world)
      const passed = distinct.flatMap((entry, position) => accepted(entry.line, reasons[position] ?? entry))
      check.highestId = Math.max(check.highestId, ...passed.map(({ row }) => Number(row['id'] ?? NO_SUCH_ID)))
    },
  }

  const accepted = (line: number, entry: Entry | string): Entry[] => {
    if (typeof entry !== 'string') return [entry]
    check.refused.set(line, entry)
    return []
  }

  const claimAll = (entry: Entry): Entry | string => {
    const own = format.claims(entry.row)
    const clash = own.find((claim) => claims.has(claim))
    if (clash !== undefined) return `${clash} is in line ${claims.get(clash)} already`
    for (const claim of own) claims.set(claim, entry.line)
    return entry
  }

  return check
}
