import { typedAmount } from '#lib/base/money.ts'
import { reasonIn } from '#lib/base/row-refused.ts'
import type { Calendar } from '#lib/table/cells/moments.ts'
import { parseGiven } from '#lib/table/cells/row-parser.ts'
import type { RecordField } from './record-fields.ts'
import type { RecordKind, RecordValues } from './record-kind.ts'
import type { FieldProblem } from './record-refused.ts'

/** The problems of single values, in words that say the remedy. */
export function problemsOfValues(
  { columns }: Pick<RecordKind, 'columns'>,
  fields: readonly RecordField[],
  values: RecordValues,
  calendar: Calendar,
): FieldProblem[] {
  return fields.flatMap((field) => {
    const { name } = field
    const value = values[name]
    const column = columns[name]
    if (value === undefined || !column) return []
    try {
      parseGiven({ columns: { [name]: column } }, { [name]: value }, calendar)
      return []
    } catch (error) {
      return [{ name, message: valueWords(field, value, reasonIn(error).slice(name.length + 1)) }]
    }
  })
}

const LONGEST_SHOWN = 60

function valueWords(field: RecordField, value: string, reason: string): string {
  if (reason === 'must not be blank') return FILL_IN
  const [, takes] = /^takes:? (.*?)(, not ".*)?$/s.exec(reason) ?? []
  if (takes === undefined) return sentence(`${field.label} ${reason}`)
  const remedy = remedyOf(field, value, takes)
  return field.isSecret || value.length > LONGEST_SHOWN ? sentence(remedy) : `${value}: ${remedy}`
}

export const FILL_IN = 'Fill this in'

function remedyOf({ control, choices }: RecordField, value: string, takes: string): string {
  if (control === 'money')
    return `write ${typedAmount(value) === undefined ? amountWords(takes) : value.trim().replace(',', '.')}`
  if (control === 'choice') return `choose one of ${choices.filter(Boolean).join(', ')}`
  return REMEDIES[control] ?? `write ${takes.replace(/, or blank$/, '')}`
}

const REMEDIES: Readonly<Record<string, string>> = {
  date: 'write a day such as 2026-03-10',
  time: 'write a day and a time such as 2026-03-10 14:05:00',
  switch: 'choose yes or no',
  reference: 'choose one of the list',
}

const amountWords = (takes: string): string =>
  takes
    .replace(/^decimal number/, 'an amount such as 12.50')
    .replace(' of at most 30 digits', '')
    .replace(/, or blank$/, '')

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** An import's reasons, each at the column it begins with. Other owners' records are not named. */
export const problemsInReason = (
  reason: string,
  fields: readonly RecordField[],
  isLimited: boolean,
): FieldProblem[] =>
  reason
    .split('; ')
    .map((one) => problemIn(isLimited ? one.replace(HOLDER, 'is taken already') : one, fields))

function problemIn(reason: string, fields: readonly RecordField[]): FieldProblem {
  const [, first = '', colon, rest = ''] = /^(\w+)(: | )(.*)$/s.exec(reason) ?? []
  const exact = fields.find(({ name }) => name === first)
  if (exact) {
    const words = colon === ': ' ? rest : `${exact.label} ${rest}`
    return { name: exact.name, message: sentence(words) }
  }
  // A claim names one of the words of a column: `address 192.0.2.1 belongs to provider 3`.
  const plural = fields.find(({ name }) => name === `${first}s` || name === `${first}es`)
  return { name: plural?.name ?? '', message: sentence(reason) }
}

const HOLDER = /(belongs to|is the name or extension of|is the number of) .*$/s
