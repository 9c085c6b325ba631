import type { Seconds } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import {
  columnIndex,
  hasColumn,
  isUnknownWord,
  lengthFormIn,
  lengthText,
  plainHeading,
} from '#lib/csv/headings.ts'
import { durationOf } from './clock.ts'
import { type Field, quotedValue, shellQuoted } from './fields.ts'
import { fieldText, LENGTHS, type MappedPlan } from './mapped-fields.ts'

/** The rows that are compared: they decide the unit of the whole column. */
const MAX_COMPARED = 20

/** The most rows that are searched for them. */
const MAX_SEARCHED = 200

interface Rows {
  readonly rows: () => Iterable<readonly string[]>
  /** Start, answer and end. Throws for a text that is not a time. */
  readonly momentsOf: (column: Field) => readonly (Seconds | undefined)[]
}

/**
 * The question about lengths without a unit that contradict the times of their row: tenths, hundredths or
 * thousandths of a second, or minutes. `undefined` if the times agree, or if nothing can be compared.
 */
export function contradictedLengths(
  { fields }: MappedPlan,
  columns: readonly string[],
  { rows, momentsOf }: Rows,
): string | undefined {
  const has = (name: string) => fields.get(name)?.columns.some((column) => hasColumn(columns, column))
  if (!has('start') || !has('end')) return undefined
  for (const name of LENGTHS.filter(has)) {
    const plan = fields.get(name)
    if (plan?.isDeclared !== false) continue
    const lengthOf = (column: Field) => fieldText(plan, column)
    const compared = Array.from(firstRows(rows()), (row) => compare(row, columns, lengthOf, momentsOf))
      .filter((one) => one !== undefined)
      .slice(0, MAX_COMPARED)
    const column = plan.columns.join('+')
    const ratio = timesOfSeconds(compared) ?? partOfSeconds(compared)
    if (ratio && !plan.form) return questionOf(column, ratio, compared)
    if (name === 'billsec' && isWholeCall(compared)) return wholeCallQuestion(fields, column, compared)
  }
  return undefined
}

/** Headings of the seconds from the answer on: `billsec`, `Talk Time`, `duration (in call)`. */
const TALK =
  /^(?:(?:call|total|cdr) ?)*(?:bill(?:ed|able|ing)?|charged|talk(?:ing)?|conv(?:ersation)?|connected|in ?call) ?(?:sec|time|dur[a-z]*|length)(?:onds?|s)?(?: ?\W?(?:in )?[a-z]+\W?)?$|^duration \(in call\)$|^gesprachs(?:dauer|zeit)/

const talkColumns = memoize((columns: readonly string[]) =>
  columns.filter((name) => TALK.test(plainHeading(name).replace(/[_-]/g, ' '))),
)

/** The question about a column of the conversation that is shorter in a row, and longer in none. */
export function longerThanTalk(
  { fields }: MappedPlan,
  columns: readonly string[],
  rows: () => Iterable<readonly string[]>,
): string | undefined {
  const plan = fields.get('billsec')
  const mapped = new Set([...fields.values()].flatMap((field) => field.columns))
  if (plan?.isDeclared !== false || plan.columns.length === 0) return undefined
  for (const talk of talkColumns(columns).filter((one) => !mapped.has(one))) {
    const form = lengthFormIn(talk)
    const pairs = Array.from(firstRows(rows()), (row) => {
      const column: Field = (name) => row[columnIndex(columns, name)]?.trim() ?? ''
      const texts = [fieldText(plan, column), lengthText(column(talk), isUnknownWord(form) ? 's' : form)]
      const [length = Number.NaN, talked = Number.NaN] = texts.map(durationOf)
      return { texts, rest: length - talked }
    })
    const longer = pairs.find(({ rest }) => rest > 2)
    if (longer && !pairs.some(({ rest }) => rest < 0))
      return `the lengths in the column ${quotedValue(plan.columns.join('+'))} are above those in ${quotedValue(talk)} (${longer.texts.join(', ')}): say --map ${shellQuoted(`billsec=${talk}`)}, or --map 'billsec=${plan.columns.join('+')}:s'`
  }
  return undefined
}

/** A length as a number of seconds, and the seconds between the times. */
interface Compared {
  readonly text: string
  readonly length: number
  readonly total: number
  /** From the answer to the end. */
  readonly talked: number | undefined
}

function* firstRows(rows: Iterable<readonly string[]>): Generator<readonly string[]> {
  let left = MAX_SEARCHED
  for (const row of rows) {
    yield row
    left -= 1
    if (left === 0) return
  }
}

function compare(
  row: readonly string[],
  columns: readonly string[],
  lengthOf: (column: Field) => string,
  momentsOf: Rows['momentsOf'],
): Compared | undefined {
  const column: Field = (name) => row[columnIndex(columns, name)]?.trim() ?? ''
  const text = lengthOf(column)
  const length = text === '' ? undefined : durationOf(text)
  if (!length) return undefined
  try {
    const [start, answer, end] = momentsOf(column)
    if (start === undefined || end === undefined || end <= start) return undefined
    return { text, length, total: end - start, talked: answer === undefined ? undefined : end - answer }
  } catch {
    // The row is refused when it is read.
    return undefined
  }
}

/** Lengths that are ten times the whole call, or more. */
const timesOfSeconds = (all: readonly Compared[]): string | undefined =>
  all.length > 0 && all.every(({ length, total }) => length >= 10 * total) ? 'far above' : undefined

/** Minutes, rounded in any way: of the talk, or of the whole call if several rows say so. */
function partOfSeconds(all: readonly Compared[]): string | undefined {
  const isMinutes = (length: number, seconds = 0) => seconds >= 120 && Math.abs(60 * length - seconds) <= 60
  const long = all.filter(({ total, talked }) => (talked ?? total) >= 120)
  const ofTalk = long.filter(({ talked }) => talked !== undefined)
  const isTold =
    ofTalk.length > 0
      ? ofTalk.every(({ length, talked }) => isMinutes(length, talked))
      : long.length >= 3 && long.every(({ length, total }) => isMinutes(length, total))
  return isTold ? 'far below' : undefined
}

/** Lengths from the start on, with the ringing. Billed steps of a minute may end at the same second. */
const isWholeCall = (all: readonly Compared[]): boolean =>
  all.every(({ length, total }) => Math.abs(length - total) < 2) &&
  all.some(({ length, total, talked }) => talked !== undefined && total - talked >= 3 && length % 6 !== 0)

function wholeCallQuestion(fields: MappedPlan['fields'], column: string, all: readonly Compared[]): string {
  const { text = '', talked = 0 } =
    all.find((one) => one.talked !== undefined && one.talked < one.total) ?? {}
  const times = ['answer', 'end'].map(
    (name) => ` --map ${shellQuoted(`${name}=${fields.get(name)?.columns.join('+')}`)}`,
  )
  return `the lengths in the column ${quotedValue(column)} are from the start of the call on (${text}, of which ${Math.round(talked)} seconds after it): say --map billsec=${times.join('')} to bill from answer on, or --map 'billsec=${column}:s'`
}

function questionOf(column: string, ratio: string, [first]: readonly Compared[]): string {
  const { text = '', talked, total = 0 } = first ?? {}
  const forms = text.includes(':') ? 'hh:mm or mm:ss' : 'ms, cs, min or s'
  return `the lengths in the column ${quotedValue(column)} are ${ratio} what its times tell (${text} for ${Math.round(talked ?? total)} seconds): say their unit, as --length-format ${forms}`
}
