import {
  clockDigitForms,
  columnIndex,
  hasColumn,
  isUnknownWord,
  type LengthForm,
  lengthFormIn,
  lengthFormNamed,
  lengthText,
  nameWithoutZone,
  plainHeading,
  positionName,
  positionsOf,
  UNIT_BY_WORD,
  type UnknownWord,
  withKnownZone,
  zoneInHeading,
  zoneNamed,
} from '#lib/csv/headings.ts'
import { type Field, quotedValue, shellQuoted } from './fields.ts'

/** A field of the generic formats: its columns, and how they write lengths or in which zone times. */
interface FieldPlan {
  /** None, one, or several that make one text, such as a date and a time. */
  readonly columns: readonly string[]
  readonly form: LengthForm | undefined
  readonly zone: string | undefined
  /** The operator has said the form or the zone. */
  readonly isDeclared: boolean
}

const NO_PLAN: FieldPlan = { columns: [], form: undefined, zone: undefined, isDeclared: false }

export const LENGTHS = ['duration', 'billsec']
export const TIMES = ['start', 'answer', 'end'] as const

/** How the columns of a document are read, or why they cannot be. */
export interface MappedPlan {
  readonly fields: ReadonlyMap<string, FieldPlan>
  readonly problem: string | undefined
}

/** `billsec=Duration:ms`, `start=Time:America/Chicago`: the unit or the zone after a column. */
const DECLARED = /^(.+?):([+-]\d\d:?\d\d|(?:hh:)?mm:ss|hh:mm|\p{L}[\p{L}\d/_+-]*)$/u

/** The columns that a mapping names, and what it declares of them. */
function declaredIn(
  mapped: string,
  columns: readonly string[],
): readonly [names: string[], declared?: string] {
  if (mapped === '') return [[]]
  if (hasColumn(columns, mapped)) return [[mapped]]
  const [, name = '', declared = ''] = DECLARED.exec(mapped) ?? []
  if (lengthFormNamed(declared) !== undefined || zoneNamed(declared) !== undefined)
    return [declaredIn(name, columns)[0], declared]
  return [mapped.includes('+') ? mapped.split('+') : [mapped]]
}

/** The columns of a field: by the mapping of the source, or the one of its own name. */
export const columnsOf = (mapped: string, columns: readonly string[]): readonly string[] =>
  declaredIn(mapped, columns)[0]

/** Decides by the headings and the declared mapping how each field is read. */
export function planFields(
  names: readonly string[],
  mapping: Readonly<Record<string, string>>,
  columns: readonly string[],
  lengths?: LengthForm,
): MappedPlan {
  let problem: string | undefined
  const fields = new Map<string, FieldPlan>()
  for (const name of names) {
    const [named, declared] = declaredIn(mapping[name] ?? ownColumn(name, columns), columns)
    const used = named.filter((column) => hasColumn(columns, column))
    const headings = used.map((column) => columns[columnIndex(columns, column)] ?? column)
    const plan = withForm(name, planOf(name, headings, declared), lengths)
    problem ??= doubleProblem(name, used, columns) ?? unknownProblem(name, named.join('+'), plan)
    fields.set(name, {
      ...NO_PLAN,
      ...(isUnknownWord(plan) ? {} : plan),
      columns: named,
      isDeclared: declared !== undefined,
    })
  }
  return { fields, problem }
}

/** The form of its lengths by the source holds where the heading names none. */
const withForm = (
  name: string,
  plan: Partial<FieldPlan> | UnknownWord,
  lengths: LengthForm | undefined,
): Partial<FieldPlan> | UnknownWord =>
  LENGTHS.includes(name) && !isUnknownWord(plan) ? { ...plan, form: plan.form ?? lengths } : plan

/** The column with a known zone among two of one time, such as `start` and `start_utc`. */
function ownColumn(name: string, columns: readonly string[]): string {
  if (!isTime(name)) return name
  if (!columns.includes(name)) return name
  const named = columns.flatMap((column, index) => (nameWithoutZone(column) === name ? [index] : []))
  const [first = -1] = withKnownZone(columns, named)
  return columns[first] ?? name
}

const isTime = (name: string): boolean => (TIMES as readonly string[]).includes(name)

function planOf(
  name: string,
  headings: readonly string[],
  declared: string | undefined,
): Partial<FieldPlan> | UnknownWord {
  if (LENGTHS.includes(name)) {
    const form =
      lengthFormNamed(declared ?? '') ?? headings.map(lengthFormIn).find((one) => one !== undefined)
    return isUnknownWord(form) ? form : { form }
  }
  if (!isTime(name)) return {}
  const zones = [...new Set(headings.flatMap((heading) => zoneInHeading(heading) ?? []))]
  const zone = zoneNamed(declared ?? '') ?? zones.find(isUnknownWord) ?? zones[0]
  if (declared === undefined && zones.length > 1 && !isUnknownWord(zone)) return { unknown: zones.join(', ') }
  return isUnknownWord(zone) ? zone : { zone }
}

function doubleProblem(
  name: string,
  used: readonly string[],
  columns: readonly string[],
): string | undefined {
  const column = used.find((one) => positionsOf(columns, one).length > 1)
  if (column === undefined) return undefined
  const positions = positionsOf(columns, column).map(positionName)
  return `the column ${quotedValue(column)} occurs ${positions.length} times, as ${positions.join(' and ')}: name one by its position, such as --map ${name}=${positions.at(-1)}`
}

function unknownProblem(
  name: string,
  column: string,
  plan: Partial<FieldPlan> | UnknownWord,
): string | undefined {
  if (!isUnknownWord(plan)) return undefined
  const [what, example] = LENGTHS.includes(name) ? ['unit', 's, ms or min'] : ['time zone', 'Europe/Berlin']
  return `the ${what} ${quotedValue(plan.unknown)} of the column ${quotedValue(column)} is unknown: declare it after the column, such as --map '${name}=${column}:${example.split(',')[0]}' (${example})`
}

/** The most rows that are looked at. */
const MAX_LOOKED_AT = 10_000

/** The question about lengths that may be digits of a clock; `undefined` if none may. */
export function clockDigitsProblem(
  { fields }: MappedPlan,
  columns: readonly string[],
  { rows, isPart }: { readonly rows: () => Iterable<readonly string[]>; readonly isPart: boolean },
): string | undefined {
  for (const name of LENGTHS) {
    const { form, isDeclared, columns: [column = '', ...others] = [] } = fields.get(name) ?? NO_PLAN
    const index = columnIndex(columns, column)
    if (isDeclared || index < 0 || others.length > 0) continue
    const values = [...valuesAt(rows(), index)]
    const minutes = columns.findIndex((other) => unitOf(other) === 'min')
    const problem =
      form === undefined
        ? digitsProblem(column, values, isPart)
        : secondsProblem(`${name}=${column}`, values, [...valuesAt(rows(), minutes)], columns[minutes])
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The unit of a heading that says nothing else. */
const unitOf = (heading: string): string | undefined => UNIT_BY_WORD.get(plainHeading(heading).trim())

/** The question about a column of seconds that has thousands, or what is left of minutes. */
function secondsProblem(
  mapped: string,
  values: readonly string[],
  minutes: readonly string[],
  beside: string | undefined,
): string | undefined {
  const column = mapped.replace(/^\w+=/, '')
  const thousands = lengthFormIn(column) === 's' ? thousandsIn(values) : undefined
  if (thousands) return `${mayBe(column)} ${thousands} --map ${shellQuoted(`${mapped}:s`)}`
  const isRest = unitOf(column) === 's' && values.every((value) => /^[0-5]?\d$/.test(value))
  const [whole] = minutes.filter((value) => Number(value) > 1)
  return isRest && whole
    ? `${mayBe(column)} what is left of minutes (${whole} in ${quotedValue(beside ?? '')}): say --map ${shellQuoted(mapped.replace('=', `=${beside}+`))}, or ${shellQuoted(`${mapped}:s`)}`
    : undefined
}

const mayBe = (column: string): string => `the lengths in the column ${quotedValue(column)} may be`

function digitsProblem(column: string, values: readonly string[], isPart: boolean): string | undefined {
  const [example = ''] = values
  const forms = clockDigitForms(values, isPart)
  if (forms.length > 0) return clockDigitsQuestion(column, example, forms)
  const doubt = isPart ? undefined : doubtIn(values)
  return doubt && `${mayBe(column)} ${doubt}`
}

function thousandsIn(values: readonly string[]): string | undefined {
  const found = values.find((value) => /\.\d{3}$/.test(value))
  const isPossible = values.every((value) => /^\d{1,3}$|^[1-9]\d{0,2}\.\d{3}$/.test(value))
  if (found === undefined || !isPossible || !values.some((value) => /^\d+$/.test(value))) return undefined
  return `of thousands (${found}): export them without points, or say`
}

/** Fewer may have such digits by chance. */
const TELLING_LENGTHS = 20

/** Numbers that a whole column shows to be something else than seconds, perhaps. */
function doubtIn(values: readonly string[]): string | undefined {
  const lengths = values.filter((value) => /[1-9]/.test(value))
  const of = (form: RegExp) => lengths.filter((value) => form.test(value))
  const isAll = (form: RegExp) => of(form).length === lengths.length
  const [fraction = '', , third] = of(/[.,]\d*[1-9]/)
  const sixtieths = of(/[.,](?!\d?[05]0*$)\d{3,}$/)
  const isTold = sixtieths.length > 2 || sixtieths.some((value) => /[.,]\d{5,}$/.test(value))
  const isSixtieths = isTold && lengths.every(isPartOfMinute)
  if (isSixtieths || (third !== undefined && isAll(/^\d{1,2}(?:[.,]\d\d?)?$/)))
    return `minutes (${fraction}): say --length-format min or s`
  const thousands = thousandsIn(lengths)
  if (thousands) return `${thousands} --length-format s`
  const long = of(/\d{3}/)
  if (long.length >= TELLING_LENGTHS && isAll(/^(?:(?:\d|[0-5]\d|\d{1,2}[0-5]\d)?[0-5]\d|\d)$/))
    return `digits of a clock (${long[0]}): say --length-format hhmmss or s`
  if (lengths.length > 2 && isAll(/^\d{4,}$/))
    return `milliseconds (${lengths[0]}): say --length-format ms or s`
  return undefined
}

/** Whole seconds as minutes: 1.0167, 0.7833333. Fewer than three decimals may be any number. */
function isPartOfMinute(length: string): boolean {
  const [, decimals = ''] = /[.,](\d{3,})$/.exec(length) ?? []
  const seconds = Number(length.replace(',', '.')) * 60
  return Math.abs(seconds - Math.round(seconds)) <= 30 * 10 ** -decimals.length + 1e-9
}

function* valuesAt(rows: Iterable<readonly string[]>, index: number): Generator<string> {
  let left = MAX_LOOKED_AT
  for (const row of rows) {
    const value = row[index]?.trim() ?? ''
    if (value !== '') yield value
    left -= 1
    if (left === 0) return
  }
}

const clockDigitsQuestion = (column: string, example: string, forms: readonly LengthForm[]): string =>
  `${mayBe(column)} ${forms.includes('ms') ? 'of any unit' : 'digits of a clock'} (${example}): say how they are written, as --length-format ${forms.join(' or ')}`

/** The text of a field: its columns, with a length in seconds unless it says its own unit. */
export function fieldText({ columns, form }: FieldPlan, column: Field): string {
  const [only] = columns
  if (columns.length === 1 && only !== undefined) return lengthText(column(only), form)
  const parts = columns.map(column)
  if (parts.includes('')) return ''
  return parts.map((part, index) => part + (form ? unitIn(columns[index] ?? '') : '')).join(' ')
}

/** `Minutes+Seconds` are one length: `2min 13s`. */
const unitIn = (heading: string): string => {
  const form = lengthFormIn(heading)
  return isUnknownWord(form) ? form.unknown : (form ?? '')
}

/** The one zone of all times, `zone` where headings name none; `undefined` for several zones. */
export function commonZone({ fields }: MappedPlan, zone: string): string | undefined {
  const zones = new Set(
    TIMES.flatMap((name) => {
      const { columns = [], zone: own = zone } = fields.get(name) ?? NO_PLAN
      return columns.length === 0 ? [] : [own]
    }),
  )
  return zones.size > 1 ? undefined : ([...zones][0] ?? zone)
}
