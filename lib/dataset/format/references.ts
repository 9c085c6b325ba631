import { type Actor, ownsCustomers } from '#lib/domain/accounts/account.ts'
import { ADMIN_ACCOUNT } from '#lib/domain/accounts/scope.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { missingReference, type Reasons } from '#lib/domain/row-refused.ts'
import { nounOf } from '#lib/store/entities.ts'
import type { Requirement } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKey, type KeyForm } from '#lib/store/keys.ts'
import { type Accepted, acceptedIds, type ImportWorld, nothingAccepted } from './import-world.ts'

type Known = Pick<ImportWorld, 'store' | 'accepted'>

/** The columns that name rows under these keys. */
export const references = (columns: Readonly<Record<string, KeyForm>>): readonly Requirement[] =>
  Object.entries(columns).map(([column, names]) => ({ column, names }))

/**
 * Why rows cannot be imported that name something which is neither in this dataset nor in the table. The first such column
 * counts, in the order of the requirements. All that rows name under one key is read in one round trip.
 */
export async function referenceProblems(
  world: Known,
  rows: readonly object[],
  requires: readonly Requirement[],
): Promise<Reasons> {
  const found = new Map<KeyForm, ReadonlyMap<number, Item>>()
  for (const [key, naming] of groupBy(requires, ({ names }) => names)) {
    found.set(
      key,
      await findNamed(
        world,
        key,
        rows.flatMap((row) => naming.map(({ column }) => idIn(row, column))),
      ),
    )
  }
  const problemIn = (row: object) => (requirement: Requirement) =>
    problemOf(requirement, idIn(row, requirement.column), found)
  return rows.map((row) => requires.map(problemIn(row)).find((problem) => problem !== undefined))
}

const idIn = (row: object, column: string): number | undefined =>
  (row as Readonly<Record<string, number>>)[column]

async function findNamed({ store, accepted }: Known, key: KeyForm, ids: readonly (number | undefined)[]) {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined)
  const brought = wanted.map((id) => [id, broughtRow(accepted, key, id)] as const)
  const others = brought.flatMap(([id, row]) => (row ? [] : [id]))
  const stored = await store.getMany(others.map((id) => key(id)))
  const found = [...brought, ...others.map((id, position) => [id, stored[position]] as const)]
  return new Map(found.flatMap(([id, row]) => (row ? [[id, row]] : [])))
}

/** Of accounts, rules look at what the dataset says of them. */
function broughtRow(accepted: Accepted, key: KeyForm, id: number): Item | undefined {
  if (key === accountKey) return accepted.users.get(id) && { ...accepted.users.get(id) }
  return acceptedIds(accepted, key).has(id) ? {} : undefined
}

function problemOf(
  { column, names, isOwner }: Requirement,
  id: number | undefined,
  found: ReadonlyMap<KeyForm, ReadonlyMap<number, Item>>,
): string | undefined {
  if (id === undefined) return undefined
  const named = found.get(names)?.get(id)
  if (!named) return missingReference(column, nounOf(names), id)
  const reason = isOwner && ownerProblem(named, id)
  return reason && `${column}: ${reason}`
}

/** Why an account cannot own anything. Nobody acts for an admin but account 0 (wire.md 5.1). */
function ownerProblem(owner: Item, id: number): string | undefined {
  if (!ownsCustomers(owner as Pick<Actor, 'usertype'>))
    return `account ${id} is not an admin, reseller or partner`
  if (owner.usertype !== 'admin' || id === ADMIN_ACCOUNT) return undefined
  return `account ${id} is an admin, and what is admin's belongs to account ${ADMIN_ACCOUNT}`
}

/** The columns in which some row says 0, although there is none such: it stands for nothing there. */
export async function zeroesForNone(
  world: Known,
  rows: readonly unknown[],
  requires: readonly Requirement[],
): Promise<readonly string[]> {
  const zeroes = requires.filter(({ column }) => rows.some((row) => Object(row)[column] === 0))
  const problems = await Promise.all(
    zeroes.map((requirement) => referenceProblems(world, [{ [requirement.column]: 0 }], [requirement])),
  )
  return zeroes.flatMap(({ column }, position) => (problems[position]?.[0] === undefined ? [] : [column]))
}

/** Why what a row names is gone since it was checked. */
export const goneMeanwhile = async (
  row: object,
  { store }: ImportWorld,
  requires: readonly Requirement[],
): Promise<string | undefined> =>
  (await referenceProblems({ store, accepted: nothingAccepted() }, [row], requires))[0]
