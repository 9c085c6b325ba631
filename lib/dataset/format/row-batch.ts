import {
  allProblems,
  NO_ROWS,
  type ProblemOf,
  problemsIn,
  problemsText,
  type RowCounts,
  type RowProblem,
} from '#lib/base/row-refused.ts'
import type { ImportContext } from './import-context.ts'
import type { RowEntry, RowFormat } from './row-format.ts'

// The steps of a batch of rows, of a file or of the queue: read, check, write. Each step passes on the rows
// that are left, and notes why it refuses the others.

/** Why rows are refused, by line. */
export type RefusedRows = Map<number, readonly RowProblem[]>

/** The reasons of refused rows, as a report has them. */
export const inWords = (refused: RefusedRows): ReadonlyMap<number, string> =>
  new Map(Array.from(refused, ([line, problems]) => [line, problemsText(problems)]))

interface Lined {
  readonly line: number
}

/** Reads rows. `read` throws refused_row for a row that cannot be read. */
export const readUnlessRefused = <T extends Lined, U>(
  rows: readonly T[],
  read: (row: T) => U,
  refused: RefusedRows,
): U[] =>
  rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch (error) {
      refused.set(row.line, problemsIn(error))
      return []
    }
  })

export const withoutProblem = <T extends Lined>(
  rows: readonly T[],
  problemOf: ProblemOf<T>,
  refused: RefusedRows,
): T[] =>
  rows.filter((row) => {
    const problems = allProblems(problemOf(row))
    if (problems.length > 0) refused.set(row.line, problems)
    return problems.length === 0
  })

export async function checkEntries<R>(
  { check }: RowFormat<R>,
  entries: readonly RowEntry<R>[],
  context: ImportContext,
  refused: RefusedRows,
): Promise<readonly RowEntry<R>[]> {
  if (!check || entries.length === 0) return entries
  return withoutProblem(entries, await check(entries, context), refused)
}

/** Writes entries. Counts the outcomes, and returns the entries that were refused. */
export async function writeEntries<R>(
  { write }: RowFormat<R>,
  entries: readonly RowEntry<R>[],
  context: ImportContext,
  { refused, counts = { ...NO_ROWS } }: { readonly refused: RefusedRows; readonly counts?: RowCounts },
): Promise<RowEntry<R>[]> {
  const outcomes = entries.length > 0 ? await write(entries, context) : undefined
  return entries.filter((entry) => {
    const outcome = outcomes?.get(entry) ?? 'unchanged'
    if (typeof outcome === 'object') {
      refused.set(entry.line, allProblems(outcome.refused))
      return true
    }
    counts[outcome] += 1
    refused.delete(entry.line)
    return false
  })
}
