import type { Seconds } from '#lib/base/calendar.ts'
import { mergeByKey } from './lines.ts'
import { isOfOrigin } from './origins/origins.ts'
import { prefixOfLine } from './prefix-pages.ts'
import { endOfLine, lineTimes, RATE_CELLS } from './tariff.ts'

/** The columns that a rate sheet lacks. A rate keeps them from the present rate of its prefix. */
export interface UnsaidColumns {
  readonly fee: boolean
  /** Increment and minimum. */
  readonly billing: boolean
  /** Hours and days. */
  readonly hours: boolean
}

/** The answers about rates that have no present one to keep something from. */
export interface UnsaidAnswers {
  /** `minimum/increment` of new prefixes. */
  readonly billing?: { readonly min_time: string; readonly increment: string } | undefined
  readonly fee?: string | undefined
  /** The effect of a rate without hours on a prefix with rates of several hours. */
  readonly hours?: 'each' | 'whole_day' | undefined
}

/** Examples of prefixes for which an answer is missing, and the values that the tariff has. */
export interface OpenColumns {
  billing?: { readonly prefix: string; readonly known: readonly string[] }
  fee?: { readonly prefix: string; readonly known: readonly string[] }
  hours?: { readonly prefix: string; readonly windows: number }
}

const cell = (name: (typeof RATE_CELLS)[number]): number => RATE_CELLS.indexOf(name)
const [START, DAYS] = [cell('start_time'), cell('daytype')]
const [FEE, INCREMENT, MINIMUM] = [cell('con_fee'), cell('increment'), cell('min_time')]

const WHOLE_DAY = '00:00:00\t23:59:59\t0'

/**
 * Completes the sorted rates of a sheet by the stored ones of the same prefix, hours and days, in force when
 * the rate begins. A new prefix takes what all stored rates agree on, or the answer.
 */
export function completeLines(
  stored: Iterable<string>,
  lines: readonly string[],
  { unsaid, answers, now }: { unsaid: UnsaidColumns; answers: UnsaidAnswers; now: Seconds },
): { readonly lines: readonly string[]; readonly open: OpenColumns } {
  const open: OpenColumns = {}
  const known = { fee: new Set<string>(), billing: new Set<string>() }
  const completed: string[] = []
  const news: number[] = []
  // An addition has the increments of the rate to which it adds, and its own fee.
  const isAddition = (line: string) => lineTimes(line).callers.startsWith('+')
  const rates = lines.filter((line) => !isAddition(line))
  for (const { before, after } of mergeByKey(stored, rates, prefixOfLine)) {
    for (const line of before) noteKnown(known, line)
    const present = before.filter((line) => endOfLine(line) > now)
    const inHours = unsaid.hours ? after.flatMap((one) => inHoursOf(one, present, answers, open)) : after
    for (const line of inHours) {
      const cells = line.split('\t')
      if (!keepPresent(cells, presentFor(line, present, now), unsaid)) news.push(completed.length)
      completed.push(cells.join('\t'))
    }
  }
  for (const index of news) {
    const cells = completed[index]?.split('\t') ?? []
    takeDefaults(cells, known, { unsaid, answers, open })
    completed[index] = cells.join('\t')
  }
  return { lines: [...completed, ...lines.filter(isAddition)].sort(), open }
}

/** A column with more different values has no default in a tariff. */
const MAX_KNOWN = 5

function noteKnown(known: { fee: Set<string>; billing: Set<string> }, line: string): void {
  if (known.fee.size > MAX_KNOWN && known.billing.size > MAX_KNOWN) return
  const cells = line.split('\t', MINIMUM + 1)
  if (known.fee.size <= MAX_KNOWN) known.fee.add(cells[FEE] ?? '')
  if (known.billing.size <= MAX_KNOWN) known.billing.add(`${cells[MINIMUM]}/${cells[INCREMENT]}`)
}

/**
 * The present rate of the same hours and callers at the start of a rate, or those of all other hours; for an
 * origin without rates, those of every caller.
 */
function presentFor(line: string, ofPrefix: readonly string[], now: Seconds): readonly string[] {
  const { from, window, callers } = lineTimes(line)
  const ofCallers = ofPrefix.filter((one) => lineTimes(one).callers === callers)
  const present = ofCallers.length > 0 ? ofCallers : ofPrefix.filter((one) => !isOfOrigin(one))
  const same = present.filter((one) => lineTimes(one).window === window)
  if (same.length === 0) return present
  const begun = same.filter((one) => lineTimes(one).from <= Math.max(from, now))
  return [begun.at(-1) ?? same[0] ?? '']
}

/** Takes what the present rates agree on. Returns false if they do not, or if there are none. */
function keepPresent(cells: string[], present: readonly string[], unsaid: UnsaidColumns): boolean {
  const kept = [unsaid.fee ? [FEE] : [], unsaid.billing ? [INCREMENT, MINIMUM] : []].flat()
  const rows = present.map((line) => line.split('\t'))
  const [first] = rows
  if (!first || rows.some((row) => kept.some((index) => row[index] !== first[index])))
    return kept.length === 0
  for (const index of kept) cells[index] = first[index] ?? ''
  return true
}

/** A rate without hours has those of the present rate of its prefix, if they are not of the whole day. */
function inHoursOf(
  line: string,
  present: readonly string[],
  { hours }: UnsaidAnswers,
  open: OpenColumns,
): readonly string[] {
  const { callers } = lineTimes(line)
  const same = present.filter((one) => lineTimes(one).callers === callers)
  const windows = [
    ...new Set(
      same.map((one) =>
        one
          .split('\t', DAYS + 1)
          .slice(START)
          .join('\t'),
      ),
    ),
  ]
  const isWhole = windows.some((window) => window.startsWith(WHOLE_DAY))
  if (windows.length === 0 || isWhole || hours === 'whole_day') return [line]
  if (windows.length > 1 && hours === undefined)
    open.hours ??= { prefix: prefixOfLine(line), windows: windows.length }
  return windows.map((window) => {
    const cells = line.split('\t')
    cells.splice(START, DAYS + 1 - START, window)
    return cells.join('\t')
  })
}

interface Known {
  readonly fee: ReadonlySet<string>
  readonly billing: ReadonlySet<string>
}

interface Defaults {
  readonly unsaid: UnsaidColumns
  readonly answers: UnsaidAnswers
  readonly open: OpenColumns
}

/** A tariff without rates has no default: its first sheet says what its rates are. */
function takeDefaults(cells: string[], known: Known, defaults: Defaults): void {
  if (defaults.unsaid.fee && known.fee.size > 0) takeFee(cells, known, defaults)
  if (defaults.unsaid.billing && known.billing.size > 0) takeBilling(cells, known, defaults)
}

function takeFee(cells: string[], known: Known, { answers, open }: Defaults): void {
  const fee = answers.fee ?? onlyOf(known.fee)
  if (fee === undefined) open.fee ??= { prefix: cells[0] ?? '', known: [...known.fee] }
  else cells[FEE] = fee
}

function takeBilling(cells: string[], known: Known, { answers, open }: Defaults): void {
  const [minimum, step] = onlyOf(known.billing)?.split('/') ?? []
  const { min_time = minimum, increment = step } = answers.billing ?? {}
  if (min_time === undefined || increment === undefined)
    open.billing ??= { prefix: cells[0] ?? '', known: [...known.billing] }
  else [cells[MINIMUM], cells[INCREMENT]] = [min_time, increment]
}

const onlyOf = (values: ReadonlySet<string>): string | undefined =>
  values.size === 1 ? [...values][0] : undefined
