import type { ProblemOf, RowOutcome } from '#lib/base/row-refused.ts'
import type { ReadColumns } from '#lib/table/cells/row-parser.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import type { Requirement } from '#lib/table/entity.ts'
import type { Counted } from '#lib/table/id-counter.ts'
import type { KeyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import type { ImportContext } from './import-context.ts'

export interface RowColumns extends ReadColumns {
  /** Columns that the digest of a row leaves out: a fast digest would make their cells easy to guess. */
  readonly secretColumns?: readonly string[]
  /** Part of the digest. Raise it when rows store more: the next import then writes unchanged rows. */
  readonly revision?: number
}

/** After it, the text of a claim is a secret, which no message repeats. */
export const SECRET_CLAIM = '\0'

/** A row that could be read. */
export interface RowEntry<R> {
  readonly line: number
  readonly cells: Cells
  /** Columns that the file lacks have their stored value, or the default of a new row. */
  readonly row: R
  /** The columns that keep their stored value, if the row is stored. */
  readonly kept: readonly string[]
  /** Equal for rows with equal cells. */
  readonly digest: string
}

export const rowsOf = <R>(entries: readonly RowEntry<R>[]): readonly R[] => entries.map(({ row }) => row)

/** The column by which people know the rows of a file, such as the username of an account. */
export interface RowNames {
  readonly column: string
  /** The stored rows' ids by name, in order. With it, a blank id means the named row, or a new one. */
  find?(store: Store, names: readonly string[]): Promise<readonly (number | undefined)[]>
  /** The highest stored id, where the counter of ids may be below it. */
  highestId?(store: Store): Promise<number>
  /** The part of a name that counts; the default is all of it. */
  plain?(name: string): string
}

/** The changes that store a row, in one transaction. */
export interface RowChange {
  readonly changes: readonly Change[]
  /** Runs once they are stored, such as the look at a balance's thresholds. */
  readonly afterwards?: (() => Promise<unknown>) | undefined
}

/** The format of the rows of a file, or of the records of a queue, and how they are written. */
export interface RowFormat<R> extends RowColumns {
  /** The columns that identify a row. A file must have them if other columns can keep their stored values. */
  readonly keyColumns?: readonly string[]
  /**
   * The columns that checks and claims read, apart from those without a default; all if missing. A row that
   * has these keeps the stored values of the others when it is written, and is not read before.
   */
  readonly checkedColumns?: readonly string[]
  /** Columns with an optional reference. In them, 0 means none if nothing with the id 0 exists. */
  readonly optionalReferences?: readonly Requirement[]
  /** Optional columns that become blank if the file lacks them: their stored values are not read first. */
  readonly notKept?: readonly string[]
  /** The id counter, which an import moves past the ids of the rows. */
  readonly counted?: Counted
  /** The key of the rows, to which rows of other files may refer. */
  readonly key?: KeyForm
  /** The names of the rows. A row with the id of another stored name is refused without `--rename`. */
  readonly names?: RowNames
  /** The claims of a row in words. No two rows of a file may share one. A secret follows SECRET_CLAIM. */
  claims(row: R): readonly string[]
  /** Looks up the stored rows of a batch. Only the key columns of the given rows are certain. */
  stored?(rows: readonly R[], context: ImportContext): Promise<(row: R) => Partial<R> | undefined>
  /** Looks up which rows of a batch to refuse, beyond single cells. Nothing is written yet. */
  check?(entries: readonly RowEntry<R>[], context: ImportContext): Promise<ProblemOf<RowEntry<R>>>
  /** Predicts what writing does to a batch, refusals included, but not conflicts with other writers. */
  compare(entries: readonly RowEntry<R>[], context: ImportContext): Promise<readonly RowOutcome[]>
  write(entries: readonly RowEntry<R>[], context: ImportContext): Promise<Outcomes<R>>
  /** The changes that store a row that comes alone; `undefined` if it is stored. Throws refused_row. */
  changeOf?(entry: RowEntry<R>, context: ImportContext, lostRaces: number): Promise<RowChange | undefined>
}

export type Outcomes<R> = ReadonlyMap<RowEntry<R>, RowOutcome | undefined>

/** The columns that a file needs: the key, or all without a default if no stored values are kept. */
export const keyColumnsOf = <R>({ stored, keyColumns = ['id'], columns }: RowFormat<R>): readonly string[] =>
  stored ? keyColumns : Object.keys(columns).filter((name) => !columns[name]?.blank)
