/** A row or a record that is not taken in, for a reason its author is meant to read. The others go on. */
export class RowRefused extends Error {}

/** What came of a row or a record. */
export type RowOutcome = RowKind | { readonly refused: string }

/** What a row does, or would do, to what is stored. */
export type RowKind = 'new' | 'changed' | 'unchanged'

/** Of a row that is written in place of this. */
export const kindAfter = (before: unknown): RowKind => (before === undefined ? 'new' : 'changed')

/** What a row would do, by the digest that what it would replace has kept. */
export const kindOfRow = (before: { readonly digest?: unknown } | undefined, digest: string): RowKind =>
  before?.digest === digest ? 'unchanged' : kindAfter(before)

/** The reason of a refusal. Any other error is thrown on. */
export function reasonIn(error: unknown): string {
  if (error instanceof RowRefused) return error.message
  throw error
}

/** Why a row is refused whose column names something that is not there. */
export const missingReference = (column: string, noun: string, id: number): string =>
  `${column}: there is no ${noun} ${id}`

/** Why a row is refused whose items changed each time between reading and writing them. */
export const KEPT_CHANGING = 'changed by others meanwhile; import it again'

/** Why a switch's record is refused whose id stands for a call with another start or other numbers. */
export const ID_USED = 'id used by another call'

/** Why the entry at the same position cannot be imported; `undefined`: it can. */
export type Reasons = readonly (string | undefined)[]
