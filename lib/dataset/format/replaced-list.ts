import { DatasetError } from '#lib/dataset/format/dataset-error.ts'
import { type PackedLines, packLines } from '#lib/store/rates/packed-lines.ts'
import type { NewLines } from '#lib/store/rates/prefix-versions.ts'
import { ConditionFailed } from '#lib/store/transaction-errors.ts'
import type { GatheredOutcome, GatheredWriting } from './gathered-file.ts'
import { createSortedLines, mergeLines, type SortedLines } from './sorted-lines.ts'

/** What a list of lines is, and where it is kept. */
export interface ListTarget {
  /** In words. */
  readonly name: string
  /** The part of a line that no two may have in common. */
  keyOf(line: string): string
  /** About how long the answer that prints these lines is. */
  bytesOf(line: string): number
  /** The lines that count now. */
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

/** Sorts the rows of all lists; reasons by line for those that repeat another one. */
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
  /** Refused rows that may belong to any list. */
  readonly lost: number
}

/** List by list, each in one switch. */
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
  const outcome = await target.replace(newLines(target, lines, writing)).catch(explainRace(target))
  const { rows } = sorted.lines
  return {
    written: outcome === 'written' ? rows : 0,
    unchanged: outcome === 'unchanged' ? rows : 0,
    remarks: [],
  }
}

/** A list that lacks rows nobody knows of would price calls wrongly. */
function obstacleOf({ sorted, refused }: ReplacedList, { acceptRejected, lost }: ListWriting) {
  const missing = refused + lost
  if (missing > 0 && !acceptRejected) {
    return `${missing} of its rows were refused (--accept-rejected imports the others)`
  }
  return sorted.lines.rows === 0 ? 'all of its rows were refused' : undefined
}

async function merged({ now, keyOf }: ListTarget, lines: PackedLines): Promise<PackedLines> {
  const before: PackedLines[] = []
  for await (const page of now()) before.push(packLines(page))
  return mergeLines(packLines(inSequence(before)), lines, keyOf)
}

function* inSequence(lists: readonly Iterable<string>[]): Generator<string> {
  for (const list of lists) yield* list
}

const newLines = (
  { bytesOf }: ListTarget,
  lines: PackedLines,
  { at, onProgress, signal }: ListWriting,
): NewLines => ({
  lines,
  bytes: sumOf(lines, bytesOf),
  at,
  onProgress,
  signal,
})

function sumOf(lines: Iterable<string>, numberOf: (line: string) => number): number {
  let sum = 0
  for (const line of lines) sum += numberOf(line)
  return sum
}

const explainRace =
  ({ name }: ListTarget) =>
  (error: unknown): never => {
    if (!(error instanceof ConditionFailed)) throw error
    throw new DatasetError(`${name} is gone, or somebody else imports it at the same time: import it again`)
  }
