import { digestLines, type LineGroup, mergeByKey } from '#lib/store/rates/lines.ts'
import type { NewLines } from '#lib/store/rates/version-replacement.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import { DatasetError } from './dataset-error.ts'
import { type Counts, NO_ROWS } from './dataset-file.ts'
import type { GatheredOutcome, GatheredWriting, ReadRow } from './gathered-file.ts'
import { type LineCells, unclearKey, withoutCells, withStoredCells } from './kept-cells.ts'
import { createSortedLines, type SortedLines } from './sorted-lines.ts'

/** A list of lines that is replaced as a whole, and where it is kept. */
export interface ListTarget {
  /** The name of the list in messages. */
  readonly name: string
  readonly cells: LineCells
  /** The part of a line that no two may have in common. */
  keyOf(line: string): string
  /** The lines that the table holds now. */
  now(): Promise<Iterable<string>>
  /** Their digest. */
  digest(): Promise<string | undefined>
  /** Describes the change in numbers. */
  compare?(
    before: Iterable<string>,
    after: readonly string[],
    options: Pick<GatheredWriting, 'checkUse'>,
  ): Promise<Comparison>
  replace(lines: NewLines): Promise<'written' | 'unchanged'>
}

export interface Comparison {
  readonly report: string
  /** Further lines for the report. */
  readonly more: readonly string[]
  /** The reason why an operator must allow the change; `undefined` when it needs no permission. */
  readonly removals: string | undefined
}

/** A list while it is imported. */
export interface ReplacedList {
  readonly target: ListTarget
  readonly sorted: SortedLines
  /** Columns that the file lacks in at least one row. */
  readonly missing: Set<string>
  /** The number of its rows that were refused. */
  refused: number
}

export const createReplacedList = (target: ListTarget): ReplacedList => ({
  target,
  sorted: createSortedLines(target.keyOf),
  missing: new Set(),
  refused: 0,
})

/** Adds the line of a row, whose missing columns are marked. */
export function addLine(
  { target, sorted, missing }: ReplacedList,
  line: string,
  row: Pick<ReadRow<unknown>, 'line' | 'missing'>,
): void {
  for (const column of row.missing) missing.add(column)
  sorted.add(withoutCells(line, row.missing, target.cells), row.line)
}

/** Sorts the lines of all lists. Returns why rows that repeat an earlier one are refused, by line. */
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
  /** The number of refused rows that may belong to any of the lists. */
  readonly lost: number
}

/** Writes list by list. Readers see either the old or the new version of a list, never a mixture. */
export async function writeLists(
  lists: Iterable<ReplacedList>,
  writing: ListWriting,
): Promise<GatheredOutcome> {
  const all = {
    written: 0,
    unchanged: 0,
    counts: NO_ROWS,
    remarks: [] as string[],
    stays: false,
    needsLeave: false,
  }
  for (const list of lists) {
    const before = all.written + all.unchanged
    const onProgress = (done: number) => writing.onProgress(before + done)
    const { written, unchanged, counts, remarks, stays, needsLeave } = await writeList(list, {
      ...writing,
      onProgress,
    })
    all.written += written
    all.unchanged += unchanged
    all.counts = sumOf(all.counts, counts)
    all.remarks.push(...remarks)
    all.stays ||= stays
    all.needsLeave ||= needsLeave
  }
  return all
}

const sumOf = (one: Counts, other: Counts): Counts => ({
  new: one.new + other.new,
  changed: one.changed + other.changed,
  unchanged: one.unchanged + other.unchanged,
  removed: one.removed + other.removed,
})

async function writeList(list: ReplacedList, writing: ListWriting): Promise<GatheredOutcome> {
  const { target, sorted } = list
  const rows = sorted.lines.length
  const { lines, obstacle, remarks, needsLeave, counts } = await planList(list, writing)
  if (obstacle) {
    const said = [...remarks, staysBecause(target, obstacle)]
    return { ...NOTHING, unchanged: rows, remarks: said, stays: true, needsLeave }
  }
  if (writing.dryRun) return { ...NOTHING, counts, remarks }
  const { at, who = 'import', onProgress, signal } = writing
  const outcome = await target.replace({ lines, at, who, onProgress, signal }).catch(explainRace(target))
  return {
    written: outcome === 'written' ? rows : 0,
    unchanged: outcome === 'unchanged' ? rows : 0,
    counts,
    remarks,
    stays: false,
    needsLeave: false,
  }
}

const NOTHING = { written: 0, unchanged: 0, counts: NO_ROWS, stays: false, needsLeave: false }

const staysBecause = ({ name }: ListTarget, obstacle: string): string =>
  `${name} stays as it was: ${obstacle}`

/** The planned state of a list. */
interface ListPlan {
  readonly lines: readonly string[]
  /** The reason why the list must not be replaced. */
  readonly obstacle: string | undefined
  readonly remarks: readonly string[]
  /** True when permission removes the obstacle. */
  readonly needsLeave: boolean
  readonly counts: Counts
}

async function planList(list: ReplacedList, writing: ListWriting): Promise<ListPlan> {
  const { target, sorted } = list
  const plan: ListPlan = {
    lines: sorted.lines,
    obstacle: obstacleOf(list, writing),
    remarks: [],
    needsLeave: false,
    counts: { ...NO_ROWS, unchanged: sorted.lines.length },
  }
  if (plan.obstacle || (await isStored(list, writing))) return plan
  const stored = await target.now()
  const obstacle = keyObstacle(list, stored)
  if (obstacle) return { ...plan, obstacle }
  const lines = linesOf(list, writing, stored)
  const counts = countChanges(mergeByKey(stored, lines, target.keyOf))
  return compared(target, { ...plan, lines, counts }, { stored, writing })
}

/** True when the table holds exactly these lines: then they need not be read to be compared. */
const isStored = async (
  { target, sorted, missing }: ReplacedList,
  { merge }: ListWriting,
): Promise<boolean> =>
  missing.size === 0 && !merge && (await target.digest()) === digestLines(sorted.lines).digest

async function compared(
  target: ListTarget,
  plan: ListPlan,
  { stored, writing }: { readonly stored: Iterable<string>; readonly writing: ListWriting },
): Promise<ListPlan> {
  const comparison = await target.compare?.(stored, plan.lines, writing)
  if (!comparison) return plan
  const remarks = [`${target.name}: ${comparison.report}`, ...comparison.more]
  const { removals } = comparison
  if (removals === undefined || writing.allowRemovals) return { ...plan, remarks }
  if (await isGranted(writing, [...remarks, `${removals}. Replace ${target.name}?`]))
    return { ...plan, remarks }
  const obstacle = `${removals} (--allow-removals does it all the same)`
  return { ...plan, remarks, obstacle, needsLeave: true }
}

/** A dry run only reports that permission is needed. */
const isGranted = async ({ dryRun, mayRemove }: ListWriting, question: readonly string[]): Promise<boolean> =>
  !dryRun && ((await mayRemove?.(question.join('\n'))) ?? false)

/** The reason why a list must not be replaced. A tariff without its refused rows would rate calls wrongly. */
function obstacleOf({ sorted, refused }: ReplacedList, { acceptRejected, lost }: ListWriting) {
  const missing = refused + lost
  if (missing > 0 && !acceptRejected) {
    return `${missing} of its rows were refused (--accept-rejected imports the others)`
  }
  return sorted.lines.length === 0 ? 'all of its rows were refused' : undefined
}

function keyObstacle({ target, missing }: ReplacedList, stored: Iterable<string>): string | undefined {
  const column = unclearKey(stored, missing, target.cells)
  return column && `the file has no column ${column}, in which what is stored differs`
}

function linesOf(
  { target, sorted, missing }: ReplacedList,
  { merge }: ListWriting,
  stored: Iterable<string>,
) {
  if (missing.size > 0) fillCells(sorted.lines, stored, target.keyOf)
  if (!merge) return sorted.lines
  const lines: string[] = []
  for (const { before, after } of mergeByKey(stored, sorted.lines, target.keyOf))
    lines.push(...(after.length > 0 ? after : before))
  return lines
}

/** Takes cells that the file lacks from the stored lines, in place: a copy of the lines would double the memory. */
function fillCells(lines: string[], stored: Iterable<string>, keyOf: ListTarget['keyOf']): void {
  let place = 0
  for (const { before, after } of mergeByKey(stored, lines, keyOf))
    for (const line of after) lines[place++] = withStoredCells(line, before[0])
}

/** Counts what the import does to each line. Every line has a key of its own. */
function countChanges(groups: Iterable<LineGroup>): Counts {
  const counts = { new: 0, changed: 0, unchanged: 0, removed: 0 }
  for (const group of groups) counts[kindOf(group)] += 1
  return counts
}

function kindOf({ before: [before], after: [after] }: LineGroup): keyof Counts {
  if (before === undefined) return 'new'
  if (after === undefined) return 'removed'
  return before === after ? 'unchanged' : 'changed'
}

const explainRace =
  ({ name }: ListTarget) =>
  (error: unknown): never => {
    if (!(error instanceof ConditionFailed)) throw error
    throw new DatasetError(`${name} is gone, or is being imported by somebody else: import it again`)
  }
