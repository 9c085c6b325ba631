import { ownsCustomers } from '#lib/domain/accounts/account.ts'
import { ADMIN_ACCOUNT } from '#lib/domain/accounts/scope.ts'
import { groupBy } from '#lib/domain/collections.ts'
import type { Reasons } from '#lib/domain/row-refused.ts'
import { missingReference } from '#lib/domain/row-refused.ts'
import { type Account, findAccounts } from '#lib/store/accounts/account.ts'
import { findServices } from '#lib/store/billing/service.ts'
import { findDevices } from '#lib/store/devices/device.ts'
import { findDids } from '#lib/store/devices/did.ts'
import { lcrs, locationGroups, locations } from '#lib/store/location-rules/owned-object.ts'
import { findTariffs } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'
import { type Accepted, type ImportWorld, nothingAccepted } from './import-world.ts'

/** Things that rows name by an id. */
interface Table<T = unknown> {
  /** As this dataset brings it. */
  brought(accepted: Accepted, id: number): T | undefined
  /** As the table holds them, in the order of the ids. */
  find(store: Store, ids: readonly number[]): Promise<readonly (T | undefined)[]>
}

/** What a column may name. */
interface Reference<T = unknown> {
  readonly noun: string
  readonly table: Table<T>
  /** Why this one cannot be named, although it is there. */
  problem?(found: T, id: number): string | undefined
}

type Referred = Pick<Account, 'usertype' | 'owner_id'>

const accounts: Table<Referred> = { brought: ({ users }, id) => users.get(id), find: findAccounts }

/** A table of which this dataset brings the ids in a set. */
const tableOf = (idsIn: (accepted: Accepted) => ReadonlySet<number>, find: Table['find']): Table => ({
  brought: (accepted, id) => idsIn(accepted).has(id) || undefined,
  find,
})

const REFERENCES = {
  account: { noun: 'account', table: accounts },
  owner: {
    noun: 'account',
    table: accounts,
    problem: ownerProblem,
  },
  device: {
    noun: 'device',
    table: { brought: ({ devices }, id) => devices.get(id), find: findDevices },
  },
  did: { noun: 'DID', table: tableOf((accepted) => accepted.dids, findDids) },
  lcr: { noun: 'LCR', table: tableOf((accepted) => accepted.lcrs, lcrs.findMany) },
  location: { noun: 'location', table: tableOf((accepted) => accepted.locations, locations.findMany) },
  location_group: {
    noun: 'location group',
    table: tableOf((accepted) => accepted.location_groups, locationGroups.findMany),
  },
  service: { noun: 'service', table: tableOf((accepted) => accepted.services, findServices) },
  tariff: { noun: 'tariff', table: tableOf((accepted) => accepted.tariffs, findTariffs) },
} satisfies Record<string, Reference>

/** What columns name. */
export type References<C extends string> = Readonly<Record<C, keyof typeof REFERENCES>>

type Naming<C extends string> = { readonly [K in C]?: number | undefined }

/**
 * Why rows cannot be imported that name something which is neither in this dataset nor in the table. The first such column
 * counts, in the order given here. Each table is asked once.
 */
export async function referenceProblems<C extends string>(
  world: Pick<ImportWorld, 'store' | 'accepted'>,
  rows: readonly Naming<NoInfer<C>>[],
  references: References<C>,
): Promise<Reasons> {
  const columns = Object.keys(references) as C[]
  const referenceOf = (column: C): Reference => REFERENCES[references[column]]
  const tables = groupBy(columns, (column) => referenceOf(column).table)
  const found = new Map(
    await Promise.all(
      [...tables].map(async ([table, naming]) => {
        const ids = rows.flatMap((row) => naming.map((column) => row[column]))
        return [table, await findIn(table, world, ids)] as const
      }),
    ),
  )
  const problemIn = (row: Naming<C>) => (column: C) =>
    problemOf(column, row[column], { reference: referenceOf(column), found })
  return rows.map((row) => columns.map(problemIn(row)).find((problem) => problem !== undefined))
}

/** The columns in which some row says 0, although there is none such: it stands for nothing there. */
export async function zeroesForNone(
  world: Pick<ImportWorld, 'store' | 'accepted'>,
  rows: readonly unknown[],
  references: References<string>,
): Promise<readonly string[]> {
  const zeroes = Object.keys(references).filter((column) => rows.some((row) => Object(row)[column] === 0))
  const problems = await Promise.all(
    zeroes.map((column) => referenceProblems<string>(world, [{ [column]: 0 }], pick(references, column))),
  )
  return zeroes.filter((_, position) => problems[position]?.[0] !== undefined)
}

const pick = (references: References<string>, column: string): References<string> =>
  Object.fromEntries(Object.entries(references).filter(([name]) => name === column))

/** Why what a row names is gone since it was checked. */
export const goneMeanwhile =
  <C extends string>(references: References<C>) =>
  async (row: Naming<C>, { store }: ImportWorld): Promise<string | undefined> =>
    (await referenceProblems({ store, accepted: nothingAccepted() }, [row], references))[0]

async function findIn(
  table: Table,
  { store, accepted }: Pick<ImportWorld, 'store' | 'accepted'>,
  ids: readonly (number | undefined)[],
): Promise<ReadonlyMap<number, unknown>> {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined)
  const brought = new Map(wanted.map((id) => [id, table.brought(accepted, id)]))
  const others = wanted.filter((id) => brought.get(id) === undefined)
  const stored = await table.find(store, others)
  return new Map([...brought, ...others.map((id, position) => [id, stored[position]] as const)])
}

/** What a column may name, and what was found of that. */
interface LookedUp {
  readonly reference: Reference
  readonly found: ReadonlyMap<Table, ReadonlyMap<number, unknown>>
}

function problemOf(
  column: string,
  id: number | undefined,
  { reference, found }: LookedUp,
): string | undefined {
  if (id === undefined) return undefined
  const named = found.get(reference.table)?.get(id)
  if (named === undefined) return missingReference(column, reference.noun, id)
  const problem = reference.problem?.(named, id)
  return problem && `${column}: ${problem}`
}

/** Nobody acts for an admin but account 0 (wire.md 5.1). */
function ownerProblem(owner: Referred, id: number): string | undefined {
  if (!ownsCustomers(owner)) return `account ${id} is not an admin, reseller or partner`
  if (owner.usertype !== 'admin' || id === ADMIN_ACCOUNT) return undefined
  return `account ${id} is an admin, and what is admin's belongs to account ${ADMIN_ACCOUNT}`
}
