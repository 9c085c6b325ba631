import { type Actor, ownsCustomers } from '#lib/base/account-types.ts'
import { paired } from '#lib/base/collections.ts'
import { allProblems, missingReference, type ProblemOf, type RowProblem } from '#lib/base/row-refused.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import type { Requirement } from '#lib/table/entity.ts'
import type { KeyForm } from '#lib/table/keys.ts'
import { nounOf } from '../entities.ts'
import {
  type ImportContext,
  type Known,
  knownRow,
  type NamedRow,
  onlyTable,
  toNamedRow,
} from './import-context.ts'

/** Requires that each of these columns names an item under keys of the given form. */
export const references = (columns: Readonly<Record<string, KeyForm>>): readonly Requirement[] =>
  Object.entries(columns).map(([column, names]) => ({ column, names }))

/**
 * Finds rows that name something which neither the dataset nor the table has. All references to one form of
 * key are read in one round trip.
 */
export async function referenceProblems(
  context: Known,
  rows: readonly object[],
  requires: readonly Requirement[],
): Promise<ProblemOf<object>> {
  for (const [key, naming] of Map.groupBy(requires, ({ names }) => names)) {
    const ids = rows.flatMap((row) => naming.map(({ column }) => idIn(row, column)))
    await rememberNamed(context, key, ids)
  }
  return (row) => allProblems(...requires.map((one) => problemOf(context, one, idIn(row, one.column))))
}

const idIn = (row: object, column: string): number | undefined => Object(row)[column]

/** A named row is not read again: a write of the row that names it checks what must hold. */
async function rememberNamed(
  context: Known,
  key: KeyForm,
  ids: readonly (number | undefined)[],
): Promise<void> {
  const known = context.named.get(key) ?? new Map<number, NamedRow>()
  context.named.set(key, known)
  const unknown = [...new Set(ids)].filter(
    (id) => id !== undefined && !knownRow(context, key, id),
  ) as number[]
  const stored = paired(unknown, await context.store.getMany(unknown.map((id) => key(id))))
  for (const [id, row] of stored) if (row) known.set(id, toNamedRow(row))
}

function problemOf(
  context: Known,
  { column, names, isOwner }: Requirement,
  id: number | undefined,
): RowProblem | undefined {
  if (id === undefined) return undefined
  const named = knownRow(context, names, id)
  if (!named) return missingReference(column, nounOf(names), id)
  if (named.isOther)
    return {
      code: 'rule',
      field: column,
      values: { says: `the row of ${nounOf(names)} ${id} is refused`, colon: true },
    }
  const reason = isOwner && ownerProblem(named, id)
  return reason ? { code: 'rule', field: column, values: { says: reason, colon: true } } : undefined
}

/** Why an account cannot own anything. Account 0 owns everything that belongs to admins (wire.md 5.1). */
function ownerProblem(owner: NamedRow, id: number): string | undefined {
  if (!ownsCustomers(owner as Pick<Actor, 'usertype'>))
    return `account ${id} is not an admin, reseller or partner`
  if (owner.usertype !== 'admin' || id === ADMIN_ACCOUNT) return undefined
  return `account ${id} is an admin, and what is admin's belongs to account ${ADMIN_ACCOUNT}`
}

/** The columns in which some row says 0 although nothing has the id 0: there, 0 means none. */
export async function columnsWhereZeroIsNone(
  context: Known,
  rows: readonly unknown[],
  requires: readonly Requirement[],
): Promise<readonly string[]> {
  const zeroes = requires.filter(({ column }) => rows.some((row) => Object(row)[column] === 0))
  const columns = await Promise.all(
    zeroes.map(async (requirement) => {
      const zero = { [requirement.column]: 0 }
      const missing = await referenceProblems(context, [zero], [requirement])
      return allProblems(missing(zero)).length === 0 ? [] : [requirement.column]
    }),
  )
  return columns.flat()
}

/** The reason why a row can no longer be written: an item that it names was deleted after the check. */
export const deletedReference = async (
  row: object,
  { store }: ImportContext,
  requires: readonly Requirement[],
): Promise<readonly RowProblem[]> =>
  allProblems((await referenceProblems(onlyTable(store), [row], requires))(row))
