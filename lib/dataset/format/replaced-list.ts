import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import { type PackedLines, packLinePages } from '#lib/store/rates/packed-lines.ts'
import type { NewLines } from '#lib/store/rates/version-replacement.ts'
import { ConditionFailed } from '#lib/store/transaction-errors.ts'
import type { GatheredOutcome, GatheredWriting } from './gathered-file.ts'
import { createSortedLines, mergeLines, type SortedLines } from './sorted-lines.ts'

/** A list of lines that is replaced as a whole, and where it is kept. */
export interface ListTarget {
  /** The name of the list in messages. */
  readonly name: string
  /** The part of a line that no two may have in common. */
  keyOf(line: string): string
  /** The lines that the table holds now. */
  now(): AsyncIterable<readonly string[]>
  replace(lines: NewLines): Promise<'written' | 'unchanged'>
}

/** One list on its way into the table. */
export interface ReplacedList {
  readonly target: ListTarget
  readonly sorted: SortedLines
  /** How many of its rows were refused. */
  refused: number
}

export const createReplacedList = (target: ListTarget): ReplacedList => ({
  target,
  sorted: createSortedLines(target.keyOf),
  refused: 0,
})

/** Sorts the rows of all lists. Refuses rows that repeat another one; reasons by line. */
export function completeLists(lists: Iterable<ReplacedList>): ReadonlyMap<number, string> {
  const refused = new Map<number, string>()
  for (const list of lists) {
    const repeated = list.sorted.complete()
    list.refused += repeated.size
    for (const [line, reason] of repeated) refused.set(line, reason)
  }
  return refused
}

export interface ListWriting extends GatheredWriting {
  readonly at: Date
  /** How many refused rows may belong to any of the lists. */
  readonly lost: number
}

/** Writes list by list. Readers see either the old or the new version of a list, never a mixture. */
export async function writeLists(
  lists: Iterable<ReplacedList>,
  writing: ListWriting,
): Promise<GatheredOutcome> {
  const all = { written: 0, unchanged: 0, remarks: [] as string[] }
  for (const list of lists) {
    const before = all.written + all.unchanged
    const onProgress = (done: number) => writing.onProgress(before + done)
    const { written, unchanged, remarks } = await writeList(list, { ...writing, onProgress })
    all.written += written
    all.unchanged += unchanged
    all.remarks.push(...remarks)
  }
  return all
}

async function writeList(list: ReplacedList, writing: ListWriting): Promise<GatheredOutcome> {
  const { target, sorted } = list
  const obstacle = obstacleOf(list, writing)
  if (obstacle) {
    const remarks = [`${target.name} stays as it was: ${obstacle}`]
    return { written: 0, unchanged: sorted.lines.rows, remarks }
  }
  const lines = writing.merge ? await merged(target, sorted.lines) : sorted.lines
  const { at, onProgress, signal } = writing
  const outcome = await target.replace({ lines, at, onProgress, signal }).catch(explainRace(target))
  const { rows } = sorted.lines
  return {
    written: outcome === 'written' ? rows : 0,
    unchanged: outcome === 'unchanged' ? rows : 0,
    remarks: [],
  }
}

/** Why a list must not be replaced: without the rows that were refused it would price calls wrongly. */
function obstacleOf({ sorted, refused }: ReplacedList, { acceptRejected, lost }: ListWriting) {
  const missing = refused + lost
  if (missing > 0 && !acceptRejected) {
    return `${missing} of its rows were refused (--accept-rejected imports the others)`
  }
  return sorted.lines.rows === 0 ? 'all of its rows were refused' : undefined
}

const merged = async ({ now, keyOf }: ListTarget, lines: PackedLines): Promise<PackedLines> =>
  mergeLines(await packLinePages(now()), lines, keyOf)

const explainRace =
  ({ name }: ListTarget) =>
  (error: unknown): never => {
    if (!(error instanceof ConditionFailed)) throw error
    throw new DatasetError(`${name} is gone, or is being imported by somebody else: import it again`)
  }
