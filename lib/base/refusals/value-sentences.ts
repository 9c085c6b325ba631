import { typedAmount } from '../money.ts'
import { type ColumnProblem, problemText, type RowProblem } from '../row-refused.ts'

declare module '../refusal.ts' {
  interface Refusals {
    /** Values of a record that cannot be stored, all at once. */
    readonly refused_values: { readonly problems: readonly ValueProblem[] }
  }
}

export const CONTROLS = [
  'text',
  'number',
  'money',
  'date',
  'time',
  'choice',
  'switch',
  'reference',
  'list',
] as const

/** A column of a record as a person is asked for it. */
export interface AskedColumn {
  readonly label: string
  readonly control: (typeof CONTROLS)[number]
  readonly choices: readonly string[]
  readonly isSecret: boolean
}

/** The problem of a value of a record, or of the whole record. */
export interface ValueProblem {
  /** The column; blank for the whole record. */
  readonly name: string
  readonly problem: RowProblem | UnaskedColumn
  readonly value?: string
  readonly column?: AskedColumn | undefined
  /** Records of other owners are not named. */
  readonly isLimited?: boolean
}

/** The record has no such column, or not for this account. */
interface UnaskedColumn {
  readonly code: 'unasked'
}

/** The sentence of a problem, which says the remedy. It is shown next to its field. */
export function valueSentence({ problem, value = '', column, isLimited }: ValueProblem): string {
  if (typeof problem === 'string') return sentence(problem)
  if (problem.code === 'unasked') return 'There is no such field'
  if (problem.code === 'blank') return 'Fill this in'
  if (!column) return sentence(problemText(problem))
  if (problem.code === 'unknown')
    return `There is no ${problem.values.noun} ${problem.values.id}: choose one of the list`
  if (problem.code !== 'taken') return sentenceOfValue(problem, column, value)
  return isLimited
    ? `${column.label} is taken already`
    : sentence(problemText({ ...problem, field: column.label }))
}

function sentenceOfValue(
  { code, values }: Extract<ColumnProblem, { readonly code: 'takes' | 'rule' }>,
  column: AskedColumn,
  value: string,
): string {
  if (code === 'rule' && values.colon) return sentence(values.says)
  const remedy = REMEDIES[column.control]?.(column, value)
  if (code === 'rule' && remedy === undefined) return `${column.label} ${values.says}`
  const words = remedy ?? (code === 'takes' ? `write ${values.takes}` : '')
  return column.isSecret || value.length > LONGEST_SHOWN ? sentence(words) : `${value}: ${words}`
}

const LONGEST_SHOWN = 60

/** The remedy for a value that a column does not take, by the control of the column. */
const REMEDIES: Readonly<
  Partial<Record<AskedColumn['control'], (column: AskedColumn, value: string) => string | undefined>>
> = {
  date: () => 'write a day such as 2026-03-10',
  time: () => 'write a day and a time such as 2026-03-10 14:05:00',
  switch: () => 'choose yes or no',
  reference: () => 'choose one of the list',
  money: (_column, value) => {
    if (typedAmount(value) === undefined) return 'write an amount such as 12.50'
    const withPoint = value.trim().replace(',', '.')
    return withPoint === value.trim() ? undefined : `write ${withPoint}`
  },
  choice: ({ choices }) => `choose one of ${choices.filter(Boolean).join(', ')}`,
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
