import { fileRefused, NO_ROWS, type RowCounts } from '#lib/base/row-refused.ts'
import { digestLines, mergeByKey } from '#lib/rates/lines.ts'
import {
  activeVersion,
  type PagedList,
  readLines,
  readVersions,
  type Version,
} from '#lib/rates/prefix-versions.ts'
import {
  type Obstacle,
  obstacleTo,
  orRaced,
  type Permission,
  type Replacement,
} from '#lib/rates/replacement.ts'
import { createSortedLines, type SortedLines } from '#lib/rates/sorted-lines.ts'
import { type NewLines, replaceLines } from '#lib/rates/version-replacement.ts'
import type { Store } from '#lib/table/store.ts'
import type { FileJob, ImportReport } from './dataset-file.ts'
import type { ImportContext } from './import-context.ts'
import {
  ambiguousKeyColumn,
  fillMissingCells,
  type LineCells,
  linesWithoutMore,
  markMissingCells,
} from './line-cells.ts'

/** A stored list of lines that an import replaces as a whole, for example the rates of a tariff. */
export interface StoredList {
  readonly name: string
  readonly pages: PagedList
  readonly cells: LineCells
  /** Lists that are written otherwise than as the lines of a version say how. */
  readonly writing?: ListWriter
  /** The part of a line that must be unique. */
  keyOf(line: string): string
  /** `context` knows all files of the dataset. */
  compare(before: Iterable<string>, after: readonly string[], context: ImportContext): Promise<ListChange>
}

/** How lines of a file are the second list of a version. */
interface ListWriter {
  digestIn(version: Version | undefined): string | undefined
  digestOf(lines: readonly string[]): string
  read(store: Store, version: Version | undefined): Promise<Iterable<string>>
  /** The lists of the version to write; `undefined` if another file of the dataset writes it. */
  listsWith(
    context: ImportContext,
    version: Version | undefined,
    lines: readonly string[],
  ): Promise<Pick<NewLines, 'lines' | 'beside'> | undefined>
}

const ofVersion = (pages: PagedList): ListWriter => ({
  digestIn: (version) => version?.digest,
  digestOf: (lines) => digestLines(lines).digest,
  read: (store, version) => readLines(store, pages, version),
  listsWith: async (_context, _version, lines) => ({ lines }),
})

/** The effect of new lines on a stored list. */
interface ListChange extends Pick<Replacement, 'removals'> {
  readonly counts: Readonly<RowCounts>
  /** Lines for an operator. */
  readonly remarks: readonly string[]
  /** The reason why the list must not be replaced, with any consent of the operator. */
  readonly obstacle?: string | undefined
}

/** The state of a list during an import. */
export interface ReplacedList {
  readonly target: StoredList
  readonly sorted: SortedLines
  /** Columns that the file lacks in at least one row. */
  readonly missing: Set<string>
  refused: number
}

export const createReplacedList = (target: StoredList): ReplacedList => ({
  target,
  sorted: createSortedLines(target.keyOf),
  missing: new Set(),
  refused: 0,
})

/** Adds the text of a row, whose missing columns are marked. */
export function addLine(
  { target, sorted, missing }: ReplacedList,
  row: { readonly line: number; readonly text: string; readonly missing: readonly string[] },
): void {
  for (const column of row.missing) missing.add(column)
  sorted.add(markMissingCells(row.text, row.missing, target.cells), row.line)
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

/** The lists of a file, whose lines are complete. */
export interface GatheredLists extends Pick<ImportReport, 'rows' | 'refused'> {
  readonly lists: Iterable<ReplacedList>
  /** The number of refused rows that may belong to any of the lists. */
  readonly unassigned: number
}

/** `written` counts rows of replaced lists, `unchanged` those of others or rows that were there already. */
type ListOutcome = Required<Omit<ImportReport, 'rows' | 'refused' | 'numbered'>>

const NOTHING: ListOutcome = {
  written: 0,
  unchanged: 0,
  counts: NO_ROWS,
  remarks: [],
  notReplaced: false,
  needsPermission: false,
}

/** Writes list by list. Readers see either the old or the new version of a list, never a mixture. */
export async function replaceLists(
  { lists, unassigned, rows, refused }: GatheredLists,
  job: FileJob,
): Promise<ImportReport> {
  const at = job.context.clock()
  let all = NOTHING
  for (const list of lists) {
    const before = all.written + all.unchanged
    const onProgress = (done: number) =>
      job.options.onProgress?.({
        file: job.source.file,
        phase: 'write',
        done: before + done,
        total: rows - refused.size,
      })
    all = together(all, await replaceList(list, { job, unassigned, at, onProgress }))
  }
  return { rows, refused, ...all }
}

const together = (one: ListOutcome, other: ListOutcome): ListOutcome => ({
  written: one.written + other.written,
  unchanged: one.unchanged + other.unchanged,
  counts: {
    new: one.counts.new + other.counts.new,
    changed: one.counts.changed + other.counts.changed,
    unchanged: one.counts.unchanged + other.counts.unchanged,
    removed: one.counts.removed + other.counts.removed,
  },
  remarks: [...one.remarks, ...other.remarks],
  notReplaced: one.notReplaced || other.notReplaced,
  needsPermission: one.needsPermission || other.needsPermission,
})

interface ListWriting extends Pick<GatheredLists, 'unassigned'> {
  readonly job: FileJob
  readonly at: Date
  readonly onProgress: (done: number) => void
}

async function replaceList(list: ReplacedList, writing: ListWriting): Promise<ListOutcome> {
  const { target, sorted } = list
  const { options, context } = writing.job
  const rows = sorted.lines.length
  const {
    lists,
    madeFrom,
    counts,
    remarks,
    obstacle,
    needsPermission = false,
  } = await planList(list, writing)
  if (obstacle !== undefined) {
    const withReason = [...remarks, `${target.name} was not replaced: ${obstacle}`]
    const unchanged = options.dryRun ? 0 : rows
    return { ...NOTHING, unchanged, remarks: withReason, notReplaced: true, needsPermission }
  }
  if (options.dryRun) return { ...NOTHING, counts, remarks }
  const { who = 'import', signal } = options
  const { at, onProgress } = writing
  if (!lists) {
    if (counts.new + counts.changed + counts.removed === 0)
      return { ...NOTHING, unchanged: rows, counts, remarks }
    const withRates = [...remarks, `${target.name} comes with its rates`]
    return { ...NOTHING, written: rows, counts, remarks: withRates }
  }
  const outcome = await orRaced(
    replaceLines(context.store, target.pages, { ...lists, madeFrom, at, who, onProgress, signal }),
  )
  if (outcome === 'raced')
    throw fileRefused(`${target.name} was deleted or changed during the import: import it again`)
  const [written, unchanged] = outcome === 'written' ? [rows, 0] : [0, rows]
  return { ...NOTHING, written, unchanged, counts, remarks }
}

interface ListPlan extends Omit<ListChange, 'removals'>, Pick<NewLines, 'madeFrom'> {
  /** `undefined` if another file of the dataset writes them. */
  readonly lists?: Pick<NewLines, 'lines' | 'beside'> | undefined
  /** The reason why the list must not be replaced, in words. */
  readonly obstacle?: string | undefined
  /** True if permission removes the obstacle. */
  readonly needsPermission?: boolean
}

export async function planList(
  list: ReplacedList,
  { job, unassigned }: Pick<ListWriting, 'job' | 'unassigned'>,
): Promise<ListPlan> {
  const { target, sorted, missing } = list
  const { options, context } = job
  const asStored: ListPlan = {
    counts: { ...NO_ROWS, unchanged: sorted.lines.length },
    remarks: [],
  }
  const rows = { refused: list.refused + unassigned, isEmpty: sorted.lines.length === 0 }
  const obstacle = await obstacleTo(rows, options)
  if (obstacle) return { ...asStored, obstacle: describeObstacle(obstacle, rows) }
  const version = activeVersion(readVersions(await context.store.get(target.pages.header)))
  const madeFrom = { version: version?.version }
  const { writing = ofVersion(target.pages) } = target
  const plain = options.merge ? undefined : linesWithoutMore(sorted.lines, missing, target.cells)
  const listsWith = (lines: readonly string[]) => writing.listsWith(context, version, lines)
  if (plain && writing.digestIn(version) === writing.digestOf(plain))
    return { ...asStored, lists: await listsWith(plain), madeFrom }
  const stored = await writing.read(context.store, version)
  const column = ambiguousKeyColumn(stored, missing, target.cells)
  if (column !== undefined) return { ...asStored, obstacle: missingKeyColumn(column) }
  const isWhole = missing.size === 0 && !options.merge
  const lines = isWhole ? sorted.lines : newLines(list, options, stored)
  const change = await target.compare(stored, lines, context)
  const replacement = { ...rows, removals: change.removals }
  if (change.obstacle !== undefined) return change
  const found = await obstacleTo(replacement, permissionIn(options, target, change))
  if (!found) return { ...change, lists: await listsWith(lines), madeFrom }
  return { ...change, obstacle: describeObstacle(found, replacement), needsPermission: true }
}

/** The question shows the change. A dry run only reports that permission is needed. */
const permissionIn = (
  { dryRun, mayRemove, ...allowed }: FileJob['options'],
  { name }: StoredList,
  { remarks }: ListChange,
): Permission => ({
  ...allowed,
  mayRemove: async (removals) =>
    !dryRun && ((await mayRemove?.([...remarks, `${removals}. Replace ${name}?`].join('\n'))) ?? false),
})

const missingKeyColumn = (column: string): string =>
  `the file lacks the column ${column}, and stored rows differ in it: add it, as exported files have it`

const describeObstacle = (obstacle: Exclude<Obstacle, 'gaps'>, { refused, removals }: Replacement): string =>
  ({
    'refused rows': `${refused} of its rows were refused (--accept-rejected imports the others)`,
    'no rows': 'all of its rows were refused',
    removals: `${removals} (--allow-removals overrides this check)`,
  })[obstacle]

function newLines(
  { target, sorted, missing }: ReplacedList,
  { merge }: FileJob['options'],
  stored: Iterable<string>,
) {
  if (missing.size > 0) fillFromStored(sorted.lines, stored, target)
  if (!merge) return sorted.lines
  const lines: string[] = []
  for (const { before, after } of mergeByKey(stored, sorted.lines, target.keyOf))
    lines.push(...(after.length > 0 ? after : before))
  return lines
}

/** Takes cells that the file lacks from the stored lines, in place: a copy would double the memory. */
function fillFromStored(
  lines: string[],
  stored: Iterable<string>,
  { keyOf, cells }: Pick<StoredList, 'keyOf' | 'cells'>,
): void {
  let index = 0
  for (const { before, after } of mergeByKey(stored, lines, keyOf))
    for (const line of after) lines[index++] = fillMissingCells(line, before[0], cells)
}
