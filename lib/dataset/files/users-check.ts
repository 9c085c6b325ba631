import { listActiveAdmins, requiresOwner } from '#lib/accounts/account.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import { paired, slices } from '#lib/base/collections.ts'
import { allProblems } from '#lib/base/row-refused.ts'
import { isActiveAdmin } from '#lib/base/scope.ts'
import type { CheckedFile, FileJob } from '#lib/dataset/format/dataset-file.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { referenceProblems } from '#lib/dataset/format/references.ts'
import { type OpenRows, openRows } from '#lib/dataset/format/row-file.ts'
import { type RowEntry, type RowFormat, rowsOf } from '#lib/dataset/format/row-format.ts'
import { hasTariffs } from '#lib/rates/tariff.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { currencyProblems, currencyProblemsOf } from './currency-problems.ts'
import {
  changedUsersFile,
  lastAdmin,
  refusedNames,
  requiresTariff,
  type UserRow,
  usersFile,
} from './users.ts'

/** The columns whose rows come in later files. */
const CHECKED_LATER = ['tariff_id', 'default_tariff_id', 'currency'] as const

/**
 * The columns of an accepted account that later checks read. Columns that keep their stored values are
 * missing, because they were checked when they were stored.
 */
type AcceptedAccount = Pick<RowEntry<UserRow>, 'line'> &
  Pick<UserRow, 'id' | 'owner_id' | 'username'> & { readonly isAdmin: boolean } & Partial<
    Pick<UserRow, (typeof CHECKED_LATER)[number]>
  >

const toAccepted = ({ line, row, kept }: RowEntry<UserRow>): AcceptedAccount => {
  const given = CHECKED_LATER.filter((column) => !kept.includes(column))
  const { id, owner_id, username } = row
  return {
    line,
    id,
    owner_id,
    username,
    isAdmin: isActiveAdmin(row),
    ...Object.fromEntries(given.map((column) => [column, row[column]])),
  }
}

const namesTariff = ({ tariff_id, default_tariff_id }: AcceptedAccount): boolean =>
  tariff_id !== undefined || default_tariff_id !== undefined

/** Owners may follow their customers in the file, and tariffs and currencies in later files. */
export async function checkUsers(job: FileJob): Promise<CheckedFile> {
  const rows = openRows(usersFile, job)
  const all: AcceptedAccount[] = []
  for await (const { accepted } of rows.batches()) all.push(...accepted.map(toAccepted))
  const accounts = await refuseLastAdmin(rows, await refuseWithoutOwner(rows, all))
  return {
    ...rows.checked(),
    checkLast: async (context) => {
      await refuseUnknown(rows, accounts, context)
      await refuseTakenNames(rows, accounts, context)
    },
    remarks: (context) => warnOfMissingTariffs(accounts, context),
  }
}

/** An account that is changed by hand: what it names exists already. */
export const oneUser: RowFormat<UserRow> = {
  ...changedUsersFile,
  check: async (entries, context) => {
    const rows = rowsOf(entries)
    const [own, missing, noRate, taken] = await Promise.all([
      changedUsersFile.check?.(entries, context),
      referenceProblems(context, rows, accounts.requires),
      currencyProblemsOf(entries, context),
      refusedNames(rows, context),
    ])
    const takenOf = paired(entries, taken)
    return (entry) => allProblems(own?.(entry), missing(entry.row), noRate(entry), takenOf.get(entry))
  },
}

/** The customers of a refused account are refused, too. Returns the other accounts. */
async function refuseWithoutOwner(
  rows: OpenRows<UserRow>,
  accounts: readonly AcceptedAccount[],
): Promise<readonly AcceptedAccount[]> {
  const problemOf = await referenceProblems(rows.context, accounts, [requiresOwner])
  const problemsOf = (account: AcceptedAccount) => allProblems(problemOf(account))
  const ownerless = accounts.filter((account) => problemsOf(account).length > 0)
  for (const account of ownerless) rows.refuse(account.line, ...problemsOf(account))
  for (const { id } of ownerless) rows.forget(id)
  const left = accounts.filter((account) => !ownerless.includes(account))
  return ownerless.length === 0 ? accounts : refuseWithoutOwner(rows, left)
}

/** Refuses all rows that end an admin if none is left active. Returns the other accounts. */
async function refuseLastAdmin(
  rows: OpenRows<UserRow>,
  accounts: readonly AcceptedAccount[],
): Promise<readonly AcceptedAccount[]> {
  if (accounts.some(({ isAdmin }) => isAdmin)) return accounts
  const stored = new Map((await listActiveAdmins(rows.context.store)).map((admin) => [admin.id, admin]))
  const ended = accounts.filter(({ id }) => stored.has(id))
  if (ended.length === 0 || ended.length < stored.size) return accounts
  for (const { line, id } of ended) rows.refuse(line, lastAdmin(stored.get(id) ?? { username: '' }))
  return accounts.filter((account) => !ended.includes(account))
}

/** Refuses unknown tariffs and currencies. Called once these are checked, which come after the accounts. */
async function refuseUnknown(
  rows: OpenRows<UserRow>,
  all: readonly AcceptedAccount[],
  context: ImportContext,
): Promise<void> {
  const accounts = all.filter((account) => namesTariff(account) || (account.currency ?? '') !== '')
  const noTariff = (await isBeforeAnyTariff(context))
    ? () => undefined
    : await referenceProblems(context, accounts, requiresTariff)
  const currencies = accounts.map(({ currency }) => currency)
  const noRate = await currencyProblems(context, currencies)
  for (const account of accounts) {
    const [problem] = allProblems(noTariff(account), noRate(account.currency))
    if (problem) rows.refuse(account.line, problem)
  }
}

/** Devices come in a later file. */
async function refuseTakenNames(
  rows: OpenRows<UserRow>,
  accounts: readonly AcceptedAccount[],
  context: ImportContext,
): Promise<void> {
  for (const some of slices(accounts, NAMES_AT_ONCE)) {
    const problems = await refusedNames(some, context)
    for (const [index, { line }] of some.entries()) if (problems[index]) rows.refuse(line, problems[index])
  }
}

const NAMES_AT_ONCE = 100

/**
 * True while neither the dataset nor the table has a tariff. Accounts and tariffs refer to each other, so in
 * a bucket, where files come one by one, the first accounts come before any tariff.
 */
const isBeforeAnyTariff = async ({ newRows, store }: ImportContext): Promise<boolean> =>
  !newRows.rows.get(tariffKey)?.size && !(await hasTariffs(store))

async function warnOfMissingTariffs(
  accounts: readonly AcceptedAccount[],
  context: ImportContext,
): Promise<readonly string[]> {
  const named = accounts.filter(namesTariff)
  if (named.length === 0 || !(await isBeforeAnyTariff(context))) return []
  return [`warning: ${named.length} accounts name tariffs, but no tariff exists yet: import the tariffs next`]
}
