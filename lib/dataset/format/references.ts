import { type Actor, ownsCustomers } from '#lib/domain/accounts/account.ts'
import { ADMIN_ACCOUNT } from '#lib/domain/accounts/scope.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { allReasons, missingReference, type Reasons } from '#lib/domain/row-refused.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { nounOf } from '#lib/store/entities.ts'
import type { Requirement } from '#lib/store/entity.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { accountKey, currencyKey, type KeyForm } from '#lib/store/keys.ts'
import { findCurrencies } from '#lib/store/rates/currency.ts'
import {
  type Accepted,
  acceptedIds,
  type ImportWorld,
  type NamedRow,
  nothingAccepted,
} from './import-world.ts'
import type { RowEntry } from './row-format.ts'

type Known = Pick<ImportWorld, 'store' | 'accepted'>

/** Requires that each of these columns names an item under keys of the given form. */
export const references = (columns: Readonly<Record<string, KeyForm>>): readonly Requirement[] =>
  Object.entries(columns).map(([column, names]) => ({ column, names }))

/**
 * The reasons to refuse rows that name something which neither the dataset nor the table has. All references to one form of key are read in one round trip.
 */
export async function referenceProblems(
  world: Known,
  rows: readonly object[],
  requires: readonly Requirement[],
): Promise<Reasons> {
  const found = new Map<KeyForm, ReadonlyMap<number, NamedRow>>()
  for (const [key, naming] of groupBy(requires, ({ names }) => names)) {
    const ids = rows.flatMap((row) => naming.map(({ column }) => idIn(row, column)))
    found.set(key, await findNamed(world, key, ids))
  }
  const problemIn = (row: object) => (requirement: Requirement) =>
    problemOf(requirement, idIn(row, requirement.column), found)
  return rows.map((row) => allReasons(...requires.map(problemIn(row))))
}

const idIn = (row: object, column: string): number | undefined =>
  (row as Readonly<Record<string, number>>)[column]

/** A row of the table that was named before is not read again: a write of the row that names it checks what must hold. */
async function findNamed({ store, accepted }: Known, key: KeyForm, ids: readonly (number | undefined)[]) {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined)
  const unknown = wanted.filter((id) => !knownRow(accepted, key, id))
  const stored = await store.getMany(unknown.map((id) => key(id)))
  const named = accepted.named.get(key) ?? new Map<number, NamedRow>()
  accepted.named.set(key, named)
  for (const [position, id] of unknown.entries()) {
    const row = stored[position] as NamedRow | undefined
    if (row) named.set(id, { usertype: row.usertype, owner_id: row.owner_id })
  }
  return new Map(wanted.flatMap((id) => entryOf(id, knownRow(accepted, key, id))))
}

const entryOf = (id: number, row: NamedRow | undefined): [number, NamedRow][] => (row ? [[id, row]] : [])

/** A row that the dataset brings, or that the table had when it was named. */
export const knownRow = (accepted: Accepted, key: KeyForm, id: number): NamedRow | undefined =>
  broughtRow(accepted, key, id) ?? accepted.named.get(key)?.get(id)

function broughtRow(accepted: Accepted, key: KeyForm, id: number): NamedRow | undefined {
  if (key === accountKey) return accepted.users.get(id)
  return acceptedIds(accepted, key).has(id) ? {} : undefined
}

function problemOf(
  { column, names, isOwner }: Requirement,
  id: number | undefined,
  found: ReadonlyMap<KeyForm, ReadonlyMap<number, NamedRow>>,
): string | undefined {
  if (id === undefined) return undefined
  const named = found.get(names)?.get(id)
  if (!named) return missingReference(column, nounOf(names), id)
  const reason = isOwner && ownerProblem(named, id)
  return reason && `${column}: ${reason}`
}

/** The reason why an account cannot own anything. Account 0 owns everything that belongs to admins (wire.md 5.1). */
function ownerProblem(owner: NamedRow, id: number): string | undefined {
  if (!ownsCustomers(owner as Pick<Actor, 'usertype'>))
    return `account ${id} is not an admin, reseller or partner`
  if (owner.usertype !== 'admin' || id === ADMIN_ACCOUNT) return undefined
  return `account ${id} is an admin, and what is admin's belongs to account ${ADMIN_ACCOUNT}`
}

/** The columns in which some row says 0 although nothing has the id 0: there, 0 means none. */
export async function columnsWhereZeroIsNone(
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

/** The reason why a row can no longer be written: an item that it names was deleted after the check. */
export const deletedReference = async (
  row: object,
  { store }: ImportWorld,
  requires: readonly Requirement[],
): Promise<string | undefined> =>
  (await referenceProblems({ store, accepted: nothingAccepted() }, [row], requires))[0]

/**
 * The reasons to refuse rows in currencies without an exchange rate, whose amounts could not be summed up. A blank name
 * means the default currency.
 */
export async function currencyProblems(
  world: ImportWorld,
  names: readonly (string | undefined)[],
): Promise<Reasons> {
  const unknown = await unknownCurrencies(
    world,
    names.map((name = '') => name),
  )
  if (unknown.size > 0) unknown.delete(await defaultCurrency(world))
  return names.map((name = '') => (unknown.has(name) ? `currency: ${name} has no exchange rate` : undefined))
}

/** As `currencyProblems`, for the rows of a file. A kept currency was checked when it was stored. */
export const currencyProblemsOf = (
  entries: readonly RowEntry<{ readonly currency: string }>[],
  world: ImportWorld,
): Promise<Reasons> =>
  currencyProblems(
    world,
    entries.map(({ row, kept }) => (kept.includes('currency') ? undefined : row.currency)),
  )

/** The currencies that neither the dataset nor the table has. A blank name means the default currency and is known. */
export async function unknownCurrencies(world: ImportWorld, names: readonly string[]): Promise<Set<string>> {
  const unknown = new Set(
    names.filter((name) => name !== '' && !acceptedIds(world.accepted, currencyKey).has(name)),
  )
  if (unknown.size === 0) return unknown
  for (const currency of await findCurrencies(world.store, [...unknown])) unknown.delete(currency?.name ?? '')
  return unknown
}

/** The default currency that the dataset sets, otherwise that of the table. */
async function defaultCurrency({ accepted, store }: ImportWorld): Promise<string> {
  const { value } = accepted.settings.get('Default_Currency') ?? {}
  return value ?? readSettings(await findSettings(store)).Default_Currency
}
