import type { SourceRow } from '#lib/dataset/cells/source.ts'
import { inBatches } from '#lib/domain/collections.ts'
import { NO_SUCH_ID } from '#lib/domain/ids.ts'
import { readEntries } from './entry.ts'
import { type FileJob, ROWS_AT_ONCE } from './job.ts'
import type { RowEntry, RowFormat } from './row-format.ts'

export interface CheckedRows {
  readonly rows: number
  /** Reasons by line. */
  readonly refused: Map<number, string>
  readonly highestId: number
}

/** The first pass: every row is read and checked, none is kept. */
export async function checkRows<R extends object>(format: RowFormat<R>, job: FileJob): Promise<CheckedRows> {
  const { source, world, options } = job
  const check = createCheck(format, job)
  for await (const batch of inBatches(source.rows(), ROWS_AT_ONCE)) {
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
        if (typeof read[position] === 'string') format.missed?.(cells, world)
      const entries = batch.flatMap((row, position) => sound(row.line, read[position] ?? ''))
      const distinct = entries.flatMap((entry) => sound(entry.line, claim(entry)))
      const reasons = (await format.check?.(distinct, world)) ?? []
      const passed = distinct.flatMap((entry, position) => sound(entry.line, reasons[position] ?? entry))
      check.highestId = Math.max(check.highestId, ...passed.map(({ row }) => idOf(row)))
    },
  }

  const sound = (line: number, entry: RowEntry<R> | string): RowEntry<R>[] => {
    if (typeof entry !== 'string') return [entry]
    check.refused.set(line, entry)
    return []
  }

  return check
}

const idOf = (row: object): number => ('id' in row ? Number(row.id) : NO_SUCH_ID)

/** Answers the entry itself, or which earlier row has what it claims. */
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
