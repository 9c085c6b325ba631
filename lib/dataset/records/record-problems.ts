import { typedAmount } from '#lib/base/money.ts'
import { type ColumnProblem, problemsIn, problemText, type RowProblem } from '#lib/base/row-refused.ts'
import type { Calendar } from '#lib/table/cells/moments.ts'
import { parseGiven } from '#lib/table/cells/row-parser.ts'
import type { RecordField } from './record-fields.ts'
import type { RecordKind, RecordValues } from './record-kind.ts'
import type { FieldProblem } from './record-refused.ts'

/** The problems of single values, in words that say the remedy. */
export const problemsOfValues = (
  { columns }: Pick<RecordKind, 'columns'>,
  fields: readonly RecordField[],
  values: RecordValues,
  calendar: Calendar,
): FieldProblem[] =>
  fields.flatMap(({ name }) => {
    const [value, column] = [values[name], columns[name]]
    if (value === undefined || !column) return []
    try {
      parseGiven({ columns: { [name]: column } }, { [name]: value }, calendar)
      return []
    } catch (error) {
      return problemsIn(error).map((problem) => fieldProblem(problem, fields, values, false))
    }
  })

export const FILL_IN = 'Fill this in'

/** A problem of a row beside its field. Other owners' records are not named. */
export function fieldProblem(
  problem: RowProblem,
  fields: readonly RecordField[],
  values: RecordValues,
  isLimited: boolean,
): FieldProblem {
  const field = typeof problem === 'string' ? undefined : fields.find(({ name }) => name === problem.field)
  if (typeof problem === 'string' || !field) return { name: '', message: sentence(problemText(problem)) }
  return {
    name: field.name,
    message: wordsOf(problem, field, { value: values[field.name] ?? '', isLimited }),
  }
}

interface Shown {
  readonly value: string
  readonly isLimited: boolean
}

function wordsOf(problem: ColumnProblem, field: RecordField, { value, isLimited }: Shown): string {
  const { code, values } = problem
  if (code === 'blank') return FILL_IN
  if (code === 'unknown') return `There is no ${values.noun} ${values.id}: choose one of the list`
  if (code !== 'taken') return valueWords(problem, field, value)
  return isLimited
    ? `${field.label} is taken already`
    : sentence(problemText({ ...problem, field: field.label }))
}

function valueWords(
  { code, values }: Extract<ColumnProblem, { readonly code: 'takes' | 'rule' }>,
  field: RecordField,
  value: string,
): string {
  if (code === 'rule' && values.colon) return sentence(values.says)
  const remedy = REMEDIES[field.control]?.(field, value)
  if (code === 'rule' && remedy === undefined) return `${field.label} ${values.says}`
  const words = remedy ?? (code === 'takes' ? `write ${values.takes}` : '')
  return field.isSecret || value.length > LONGEST_SHOWN ? sentence(words) : `${value}: ${words}`
}

const LONGEST_SHOWN = 60

/** What to do about a value that a control's column does not take. */
const REMEDIES: Readonly<
  Partial<Record<RecordField['control'], (field: RecordField, value: string) => string | undefined>>
> = {
  date: () => 'write a day such as 2026-03-10',
  time: () => 'write a day and a time such as 2026-03-10 14:05:00',
  switch: () => 'choose yes or no',
  reference: () => 'choose one of the list',
  money: (_field, value) => {
    if (typedAmount(value) === undefined) return 'write an amount such as 12.50'
    const withPoint = value.trim().replace(',', '.')
    return withPoint === value.trim() ? undefined : `write ${withPoint}`
  },
  choice: ({ choices }) => `choose one of ${choices.filter(Boolean).join(', ')}`,
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
