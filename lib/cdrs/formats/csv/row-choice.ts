import type { CdrDocument } from '../cdr.ts'
import { type Field, quotedNames, quotedValue } from '../fields.ts'

/** A condition on the rows of a CSV: a column has a value, or has not. Upper and lower case are the same. */
interface Condition {
  readonly column: string
  readonly isNot: boolean
  readonly value: string
}

/** The condition that `column=value` or `column!=value` says; `undefined` for another text. */
export function conditionIn(text: string): Condition | undefined {
  const [, column, sign, value = ''] = /^([^=!]+)(!?=)(.*)$/s.exec(text) ?? []
  if (column === undefined) return undefined
  return { column: column.trim(), isNot: sign === '!=', value: value.trim().toLowerCase() }
}

const conditionsOf = ({ where = [] }: Pick<CdrDocument, 'where'>): Condition[] =>
  where.flatMap((text) => conditionIn(text) ?? [])

/**
 * Tells the rows to mediate from those to skip. A row is mediated if each column that conditions name has one
 * of their values, and none of the values that it must not have.
 */
export function rowChoice(document: Pick<CdrDocument, 'where'>): (field: Field) => boolean {
  const byColumn = [...Map.groupBy(conditionsOf(document), ({ column }) => column)]
  return (field) =>
    byColumn.every(([column, conditions]) => {
      const value = field(column).toLowerCase()
      const wanted = conditions.filter(({ isNot }) => !isNot)
      const isWanted = wanted.length === 0 || wanted.some((condition) => condition.value === value)
      return isWanted && !conditions.some((condition) => condition.isNot && condition.value === value)
    })
}

/** A condition on a missing column would skip all rows, or none. */
export function missingCondition(
  document: Pick<CdrDocument, 'where'>,
  columns: readonly string[],
): string | undefined {
  const missing = conditionsOf(document).find(({ column }) => !columns.includes(column))
  return (
    missing &&
    `no column is ${quotedValue(missing.column)}, the columns are ${quotedNames(columns)}: correct --where`
  )
}
