/** Refuses a row or a record, with a reason for its author. Other rows are not affected. */
export class RowRefused extends Error {}

/** Refuses a whole file or dataset, with a sentence for its sender. */
export class FileRefused extends Error {}

/** The result of writing a row or a record. */
export type RowOutcome = RowKind | { readonly refused: string }

export type RowKind = 'new' | 'changed' | 'unchanged'

/** Rows by their effect. `removed` counts stored rows of a replaced list that its file does not mention. */
export type RowCounts = Record<RowKind | 'removed', number>

export const NO_ROWS: Readonly<RowCounts> = { new: 0, changed: 0, unchanged: 0, removed: 0 }

/** The effect of a row that is written in place of `before`. */
export const kindAfter = (before: unknown): RowKind => (before === undefined ? 'new' : 'changed')

/** The effect of a row with this digest on a stored row, which keeps the digest it was written with. */
export const kindOfRow = (before: { readonly digest?: unknown } | undefined, digest: string): RowKind =>
  before?.digest === digest ? 'unchanged' : kindAfter(before)

/** Tells whether every column of a row has this value already, whatever its cells looked like. */
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
  if (error instanceof RowRefused) return error.message
  throw error
}

/** Several reasons as one; `undefined` if there is none. */
export const allReasons = (...reasons: readonly (string | undefined)[]): string | undefined =>
  [...new Set(reasons)].filter((reason) => reason !== undefined).join('; ') || undefined

/** The reason to refuse a row with an unknown reference. */
export const missingReference = (column: string, noun: string, id: number): string =>
  `${column}: there is no ${noun} ${id}`

/** The reason to refuse a row whose items other writers changed during every attempt. */
export const KEPT_CHANGING = 'changed by others meanwhile; import it again'

/** The reason to refuse a CDR whose id belongs to a stored call with another start or other numbers. */
export const ID_USED = 'id used by another call'

/** Returns the reason to refuse one of the checked rows; `undefined` if it can be imported. */
export type ProblemOf<T> = (row: T) => string | undefined
