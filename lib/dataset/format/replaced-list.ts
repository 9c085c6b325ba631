import { digestLines, type LineGroup, mergeByKey } from '#lib/store/rates/lines.ts'
import type { NewLines } from '#lib/store/rates/version-replacement.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import { type Counts, DatasetError, NO_ROWS } from './dataset-file.ts'
import type { GatheredOutcome, GatheredWriting, ReadRow } from './gathered-file.ts'
import {
  ambiguousKeyColumn,
  createSortedLines,
  fillMissingCells,
  type LineCells,
  markMissingCells,
  type SortedLines,
} from './list-lines.ts'

/** A stored list of lines that an import replaces as a whole, for example the rates of a tariff. */
export interface ListTarget {
  /** The name of the list in messages. */
  readonly name: string
  readonly cells: LineCells
  /** The part of a line that must be unique. */
  keyOf(line: string): string
  /** The stored lines. */
  stored(): Promise<Iterable<string>>
  /** The digest of the stored lines. */
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
  /** The reason why an operator must allow the change; `undefined` if it needs no permission. */
  readonly removals: string | undefined
}

/** The state of a list during an import. */
export interface ReplacedList {
  readonly target: ListTarget
  readonly sorted: SortedLines
  /** Columns that the file lacks in at least one row. */
  readonly missing: Set<string>
  /** The number of refused rows of the list. */
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
  sorted.add(markMissingCells(line, row.missing, target.cells), row.line)
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
  readonly unassigned: number
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
    notReplaced: false,
    needsPermission: false,
  }
  for (const list of lists) {
    const before = all.written + all.unchanged
    const onProgress = (done: number) => writing.onProgress(before + done)
    const { written, unchanged, counts, remarks, notReplaced, needsPermission } = await writeList(list, {
      ...writing,
      onProgress,
    })
    all.written += written
    all.unchanged += unchanged
    all.counts = sumOf(all.counts, counts)
    all.remarks.push(...remarks)
    all.notReplaced ||= notReplaced
    all.needsPermission ||= needsPermission
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
  const { lines, obstacle, remarks, needsPermission, counts } = await planList(list, writing)
  if (obstacle) {
    const withReason = [...remarks, `${target.name} was not replaced: ${obstacle}`]
    return { ...NOTHING, unchanged: rows, remarks: withReason, notReplaced: true, needsPermission }
  }
  if (writing.dryRun) return { ...NOTHING, counts, remarks }
  const { at, who = 'import', onProgress, signal } = writing
  const outcome = await target.replace({ lines, at, who, onProgress, signal }).catch(explainRace(target))
  return {
    written: outcome === 'written' ? rows : 0,
    unchanged: outcome === 'unchanged' ? rows : 0,
    counts,
    remarks,
    notReplaced: false,
    needsPermission: false,
  }
}

const NOTHING = { written: 0, unchanged: 0, counts: NO_ROWS, notReplaced: false, needsPermission: false }

/** The planned state of a list. */
interface ListPlan {
  readonly lines: readonly string[]
  /** The reason why the list must not be replaced. */
  readonly obstacle: string | undefined
  readonly remarks: readonly string[]
  /** True when permission removes the obstacle. */
  readonly needsPermission: boolean
  readonly counts: Counts
}

async function planList(list: ReplacedList, writing: ListWriting): Promise<ListPlan> {
  const { target, sorted } = list
  const plan: ListPlan = {
    lines: sorted.lines,
    obstacle: obstacleOf(list, writing),
    remarks: [],
    needsPermission: false,
    counts: { ...NO_ROWS, unchanged: sorted.lines.length },
  }
  if (plan.obstacle || (await isStored(list, writing))) return plan
  const stored = await target.stored()
  const obstacle = keyObstacle(list, stored)
  if (obstacle) return { ...plan, obstacle }
  const lines = newLines(list, writing, stored)
  const counts = countChanges(mergeByKey(stored, lines, target.keyOf))
  return withComparison(target, { ...plan, lines, counts }, stored, writing)
}

/** True if the table holds exactly these lines, so that the stored lines need not be read. */
const isStored = async (
  { target, sorted, missing }: ReplacedList,
  { merge }: ListWriting,
): Promise<boolean> =>
  missing.size === 0 && !merge && (await target.digest()) === digestLines(sorted.lines).digest

/** The plan with the report of its changes, and with an obstacle if it removes more than the operator allows. */
async function withComparison(
  target: ListTarget,
  plan: ListPlan,
  stored: Iterable<string>,
  writing: ListWriting,
): Promise<ListPlan> {
  const comparison = await target.compare?.(stored, plan.lines, writing)
  if (!comparison) return plan
  const remarks = [`${target.name}: ${comparison.report}`, ...comparison.more]
  const { removals } = comparison
  if (removals === undefined || writing.allowRemovals) return { ...plan, remarks }
  if (await isAllowed(writing, [...remarks, `${removals}. Replace ${target.name}?`]))
    return { ...plan, remarks }
  const obstacle = `${removals} (--allow-removals overrides this check)`
  return { ...plan, remarks, obstacle, needsPermission: true }
}

/** A dry run only reports that permission is needed. */
const isAllowed = async ({ dryRun, mayRemove }: ListWriting, question: readonly string[]): Promise<boolean> =>
  !dryRun && ((await mayRemove?.(question.join('\n'))) ?? false)

/** The reason why a list must not be replaced. A tariff without its refused rows would rate calls wrongly. */
function obstacleOf({ sorted, refused }: ReplacedList, { acceptRejected, unassigned }: ListWriting) {
  const missing = refused + unassigned
  if (missing > 0 && !acceptRejected) {
    return `${missing} of its rows were refused (--accept-rejected imports the others)`
  }
  return sorted.lines.length === 0 ? 'all of its rows were refused' : undefined
}

function keyObstacle({ target, missing }: ReplacedList, stored: Iterable<string>): string | undefined {
  const column = ambiguousKeyColumn(stored, missing, target.cells)
  return column && `the file lacks the column ${column}, and stored rows differ in it`
}

function newLines(
  { target, sorted, missing }: ReplacedList,
  { merge }: ListWriting,
  stored: Iterable<string>,
) {
  if (missing.size > 0) fillFromStored(sorted.lines, stored, target.keyOf)
  if (!merge) return sorted.lines
  const lines: string[] = []
  for (const { before, after } of mergeByKey(stored, sorted.lines, target.keyOf))
    lines.push(...(after.length > 0 ? after : before))
  return lines
}

/** Takes cells that the file lacks from the stored lines, in place: a copy of the lines would double the memory. */
function fillFromStored(lines: string[], stored: Iterable<string>, keyOf: ListTarget['keyOf']): void {
  let place = 0
  for (const { before, after } of mergeByKey(stored, lines, keyOf))
    for (const line of after) lines[place++] = fillMissingCells(line, before[0])
}

/** Counts the changes. A group holds at most one line before and one after, because keys are unique. */
function countChanges(groups: Iterable<LineGroup>): Counts {
  const counts = { new: 0, changed: 0, unchanged: 0, removed: 0 }
  for (const group of groups) counts[changeKindOf(group)] += 1
  return counts
}

function changeKindOf({ before: [before], after: [after] }: LineGroup): keyof Counts {
  if (before === undefined) return 'new'
  if (after === undefined) return 'removed'
  return before === after ? 'unchanged' : 'changed'
}

const explainRace =
  ({ name }: ListTarget) =>
  (error: unknown): never => {
    if (!(error instanceof ConditionFailed)) throw error
    throw new DatasetError(`${name} was deleted or changed during the import: import it again`)
  }
