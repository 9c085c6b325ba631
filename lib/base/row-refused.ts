import { isRefusal, Refusal } from './refusal.ts'

/** The codes of a column's problems, with their values. */
interface ColumnProblems {
  readonly blank: Record<never, never>
  /** `given` is the cell as a message quotes it; missing for a secret. */
  readonly takes: { readonly takes: string; readonly given?: string }
  readonly unknown: { readonly noun: string; readonly id: number | string }
  /** `word` is what the claim holds, if the column has several words. `as` is what it is there. */
  readonly taken: { readonly noun: string; readonly id: number; readonly word?: string; readonly as?: string }
  /** A rule of the column, as a sentence whose subject is the column, or after its name and a colon. */
  readonly rule: { readonly says: string; readonly colon?: true }
}

/** The problem of a column of a row. */
export type ColumnProblem = {
  [C in keyof ColumnProblems]: {
    readonly code: C
    readonly field: string
    readonly values: ColumnProblems[C]
  }
}[keyof ColumnProblems]

/** Why a row is refused: what is wrong with a column, or a sentence about the whole row. */
export type RowProblem = ColumnProblem | string

/** The problem as the report of an import says it. */
export function problemText(problem: RowProblem): string {
  if (typeof problem === 'string') return problem
  const { code, field, values } = problem
  if (code === 'blank') return `${field} must not be blank`
  if (code === 'unknown') return `${field}: there is no ${values.noun} ${values.id}`
  if (code === 'rule') return `${field}${values.colon ? ':' : ''} ${values.says}`
  if (code === 'taken')
    return `${values.word ?? field} ${values.as ? `is ${values.as} of` : 'belongs to'} ${values.noun} ${values.id}`
  return `${field} takes: ${values.takes}${values.given === undefined ? '' : `, not ${values.given}`}`
}

declare module './refusal.ts' {
  interface Refusals {
    /** A row or a record. Other rows are not affected. `reason` is its kind, if code asks for it. */
    readonly refused_row: { readonly problems: readonly RowProblem[]; readonly reason?: string }
    /** A whole file or dataset, with a sentence for its sender. */
    readonly refused_file: { readonly says: string }
  }
}

export const rowRefused = (...problems: readonly RowProblem[]): Refusal<'refused_row'> =>
  new Refusal('refused_row', { problems }, undefined, problemsText(problems))

export const refusedFor = (reason: string, problem: RowProblem): Refusal<'refused_row'> =>
  new Refusal('refused_row', { problems: [problem], reason }, undefined, problemText(problem))

export const fileRefused = (says: string, options?: ErrorOptions): Refusal<'refused_file'> =>
  new Refusal('refused_file', { says }, undefined, says, options)

/** The result of writing a row or a record. */
export type RowOutcome = RowKind | { readonly refused: RowProblem | readonly RowProblem[] }

export type RowKind = 'new' | 'changed' | 'unchanged'

/** Rows by their effect. `removed` counts stored rows of a replaced list that its file does not mention. */
export type RowCounts = Record<RowKind | 'removed', number>

export const NO_ROWS: Readonly<RowCounts> = { new: 0, changed: 0, unchanged: 0, removed: 0 }

/** The effect of a row that is written in place of `before`. */
export const kindAfter = (before: unknown): RowKind => (before === undefined ? 'new' : 'changed')

/** The effect of a row with this digest on a stored row, which keeps the digest it was written with. */
export const kindOfRow = (before: { readonly digest?: unknown } | undefined, digest: string): RowKind =>
  before?.digest === digest ? 'unchanged' : kindAfter(before)

/** Whether every column of a row has this value already, in any spelling of its cells. */
export const isStoredRow = (row: object, stored: object | undefined): boolean =>
  stored !== undefined &&
  Object.entries(row).every(([name, value]) =>
    isSameValue(value, (stored as Readonly<Record<string, unknown>>)[name]),
  )

/** A list is compared by its text. */
const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** The reason of a refusal. Throws every other error again. */
export function reasonIn(error: unknown): string {
  if (isRefusal(error, 'refused_row')) return error.message
  throw error
}

export const ignoreRefusal = (error: unknown): undefined => void reasonIn(error)

/** The problems of an error that refuses a row. Throws every other error again. */
export function problemsIn(error: unknown): readonly RowProblem[] {
  if (isRefusal(error, 'refused_row')) return error.values.problems
  throw error
}

type Found = RowProblem | readonly RowProblem[] | undefined

/** Problems as one list, each text once. */
export function allProblems(...found: readonly Found[]): readonly RowProblem[] {
  const problems = found.flat().filter((problem) => problem !== undefined)
  return [...new Map(problems.map((problem) => [problemText(problem), problem])).values()]
}

export const problemsText = (...found: readonly Found[]): string =>
  allProblems(...found)
    .map(problemText)
    .join('; ')

export const missingReference = (field: string, noun: string, id: number): ColumnProblem => ({
  code: 'unknown',
  field,
  values: { noun, id },
})

export const brokenRule = (field: string, says: string): ColumnProblem => ({
  code: 'rule',
  field,
  values: { says },
})

/** The reason to refuse a row whose items other writers changed during every attempt. */
export const KEPT_CHANGING = 'changed by others meanwhile; import it again'

/** The reason to refuse a CDR whose id belongs to a stored call with another start or other numbers. */
export const ID_USED = 'id used by another call'

/** Returns why to refuse one of the checked rows; nothing if it can be imported. */
export type ProblemOf<T> = (row: T) => Found
