import { randomBytes } from 'node:crypto'
import { currencyProblems } from '#lib/dataset/format/currencies.ts'
import { acceptedIds, type ImportWorld, isNotBrought } from '#lib/dataset/format/import-world.ts'
import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { checkPassword, hashPassword, isMadeFrom, isPasswordHash } from '#lib/domain/accounts/password.ts'
import { RowRefused } from '#lib/domain/row-refused.ts'
import {
  type Account,
  accountColumns,
  type Caller,
  findAccount,
  findAccounts,
  findCallers,
  readCaller,
  replaceAccount,
  requiresOwner,
  type StoredAccount,
} from '#lib/store/accounts/account.ts'
import { moveDocumentsToOwner } from '#lib/store/billing/document.ts'
import { type Imported, type Row, text } from '#lib/store/columns.ts'
import { findDevices, listDevicesOf } from '#lib/store/devices/device.ts'
import { updateDevice } from '#lib/store/devices/device-writing.ts'
import { callerKey, isUnder, tariffKey } from '#lib/store/keys.ts'
import { hasTariffs } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'

const requiresTariff = references({ tariff_id: tariffKey })

const columns = { ...accountColumns, password: text(), password_hash: text() }

type UserRow = Row<typeof columns>

/** An account as the table holds it. */
interface Stored {
  readonly account: StoredAccount | undefined
  readonly caller: Caller | undefined
}

export const users: RowFormat<UserRow> = {
  columns,
  /** The account's copy under its name has the password. */
  exported: {
    holds: isUnder(callerKey),
    read: readCaller,
    columns: { ...accountColumns, password_hash: text() },
  },
  secrets: ['password', 'password_hash', 'uniquehash'],
  secretColumns: ['password', 'password_hash'],
  optionalReferences: requiresTariff,
  claims: ({ id, username }) => [`id ${id}`, `username ${username}`],
  check: async (entries, world) => {
    const [taken, keeps] = await Promise.all([takenNames(entries, world), accountsThatKeep(entries, world)])
    return entries.map((entry, position) => {
      const { row } = entry
      const problem = userProblem(row) ?? passwordProblem(row, keeps) ?? taken[position]
      if (problem === undefined) accept(entry, world)
      return problem
    })
  },
  checkWhole: refuseWithoutOwner,
  checkLast: refuseUnknown,
  remarks: tariffsToCome,
  ...rowByRow<UserRow, Stored>({
    lane: ({ id }) => id,
    find: findStored,
    columnsIn: ({ account }) => account && { ...account, ...NO_PASSWORD },
    write: writeUser,
    obstacle: async (row, { store }) => {
      const [holder] = await findCallers(store, [row.username])
      return holder && holder.id !== row.id ? nameTaken(holder) : undefined
    },
  }),
}

const LONGEST_USERNAME = 255

/** What a row says that brings no password: the stored one is kept. */
const NO_PASSWORD = { password: '', password_hash: '' }

const bringsNone = ({ password, password_hash }: UserRow): boolean => password === '' && password_hash === ''

/** The accounts of the table, of those whose rows bring no password. */
async function accountsThatKeep(entries: readonly RowEntry<UserRow>[], { store }: ImportWorld) {
  const ids = entries.filter(({ row }) => bringsNone(row)).map(({ row }) => row.id)
  return new Set((await findAccounts(store, ids)).map((account) => account?.id))
}

function passwordProblem(row: UserRow, keeps: ReadonlySet<number | undefined>): string | undefined {
  if (bringsNone(row) && keeps.has(row.id)) return undefined
  return (row.password === '') === (row.password_hash === '') ? NEEDS_PASSWORD : undefined
}

const NEEDS_PASSWORD = 'takes either a password or a password_hash'

function userProblem({ id, usertype, owner_id, username, password_hash }: UserRow) {
  if (username.length > LONGEST_USERNAME) return `username is longer than ${LONGEST_USERNAME} characters`
  if (password_hash !== '' && !isPasswordHash(password_hash)) {
    return 'password_hash takes a scrypt hash of this service or a SHA-1 in hex'
  }
  return id === owner_id && usertype !== 'admin' ? 'owner_id: only an admin owns itself' : undefined
}

function accept({ line, row, kept }: RowEntry<UserRow>, { accepted }: ImportWorld): void {
  const { id, usertype, owner_id } = row
  const tariff_id = kept.includes('tariff_id') ? undefined : row.tariff_id
  const currency = kept.includes('currency') ? undefined : row.currency
  accepted.users.set(id, { line, usertype, owner_id, tariff_id, currency })
}

/** Tariffs and currencies come after the accounts: only then is it known which there are. */
async function refuseUnknown(world: ImportWorld): Promise<ReadonlyMap<number, string>> {
  const accounts = [...world.accepted.users.values()].filter(
    ({ tariff_id, currency = '' }) => tariff_id !== undefined || currency !== '',
  )
  const tariffs = (await isBeforeAnyTariff(world))
    ? []
    : await referenceProblems(world, accounts, requiresTariff)
  const currencies = await currencyProblems(
    world,
    accounts.map(({ currency }) => currency),
  )
  return new Map(
    accounts.flatMap(({ line }, position) => {
      const reason = tariffs[position] ?? currencies[position]
      return reason === undefined ? [] : [[line, reason] as const]
    }),
  )
}

/**
 * Accounts have tariffs, and tariffs belong to accounts: where files come one by one, as in the bucket, the first accounts
 * come before any tariff.
 */
const isBeforeAnyTariff = async ({ accepted, store }: ImportWorld): Promise<boolean> =>
  acceptedIds(accepted, tariffKey).size === 0 && !(await hasTariffs(store))

async function tariffsToCome(world: ImportWorld): Promise<readonly string[]> {
  const named = [...world.accepted.users.values()].filter(({ tariff_id }) => tariff_id !== undefined)
  if (named.length === 0 || !(await isBeforeAnyTariff(world))) return []
  return [`warning: ${named.length} accounts name tariffs, and there is none yet: they come next`]
}

const nameTaken = ({ id }: Caller): string => `username belongs to account ${id}`

async function takenNames(entries: readonly RowEntry<UserRow>[], { store, accepted }: ImportWorld) {
  const holders = await findCallers(
    store,
    entries.map(({ row }) => row.username),
  )
  const isAnother = isNotBrought(
    entries.map(({ row }) => row),
    accepted.users,
  )
  return holders.map((holder) => (holder && isAnother(holder.id) ? nameTaken(holder) : undefined))
}

/** Owners may come after their customers in the file. The customers of a refused account are refused as well. */
async function refuseWithoutOwner(world: ImportWorld): Promise<ReadonlyMap<number, string>> {
  const refused = new Map<number, string>()
  for (let before = -1; before < refused.size; ) {
    before = refused.size
    for (const [line, reason] of await ownerless(world)) refused.set(line, reason)
  }
  return refused
}

async function ownerless(world: ImportWorld): Promise<[line: number, reason: string][]> {
  const accounts = [...world.accepted.users]
  const rows = accounts.map(([, { owner_id }]) => ({ owner_id }))
  const problems = await referenceProblems(world, rows, [requiresOwner])
  return accounts.flatMap(([id, { line }], position) => {
    const reason = problems[position]
    if (reason === undefined) return []
    world.accepted.users.delete(id)
    return [[line, reason] satisfies [number, string]]
  })
}

async function findStored(rows: readonly UserRow[], { store }: ImportWorld): Promise<Stored[]> {
  const accounts = await findAccounts(
    store,
    rows.map(({ id }) => id),
  )
  const names = accounts.flatMap((account) => (account ? [account.username] : []))
  const callers = new Map((await findCallers(store, names)).map((caller) => [caller?.username, caller]))
  return accounts.map((account) => ({ account, caller: account && callers.get(account.username) }))
}

async function writeUser(
  { row, digest }: RowEntry<UserRow>,
  { account, caller }: Stored,
  { store }: ImportWorld,
) {
  const kept = await keptCredentials(row, caller)
  if (account?.digest === digest && kept) return 'unchanged'

  const { password, password_hash, ...columnsOfAccount } = row
  const credentials = kept ?? { password_hash: password_hash || (await hashPassword(password)) }
  const uniquehash = row.uniquehash || account?.uniquehash || newUniquehash()
  const after = { ...columnsOfAccount, ...credentials, uniquehash, digest }
  const before = account && isOnItsWay(account, after) ? await moveToOwner(store, account, after) : account
  await replaceAccount(store, before, after)
  return 'written'
}

/** Whether the account goes to another owner, or went there in an import that was interrupted. */
const isOnItsWay = (before: StoredAccount, { owner_id }: Account): boolean =>
  before.owner_id !== owner_id || before.digest === undefined

/**
 * Writes the account first, which may be refused, and then moves what belongs to it: from then on nothing is created under
 * the old owner. Returns the account as it is then. Until all of it is moved the account lacks the digest of its row: an interrupted import is done again.
 */
async function moveToOwner(
  store: Store,
  before: StoredAccount,
  after: Imported<Caller>,
): Promise<StoredAccount | undefined> {
  await replaceAccount(store, before, { ...after, digest: undefined })
  await moveDevicesToOwner(store, after)
  await moveDocumentsToOwner(store, after)
  return findAccount(store, after.id)
}

type Credentials = Pick<Caller, 'password_hash'>

/**
 * The stored credentials, if the row brings none, or if they belong to its password. The digest cannot tell: a fast digest over a password, or
 * over its unsalted hash, would let anybody who reads the table guess it without paying for scrypt. So the digest leaves the
 * password out, and the password is checked as a login checks it, which costs one scrypt for each clear password.
 */
async function keptCredentials(row: UserRow, caller: Caller | undefined): Promise<Credentials | undefined> {
  if (!caller && bringsNone(row)) throw new RowRefused(NEEDS_PASSWORD)
  return caller && (await isPasswordOf(caller, row)) ? { password_hash: caller.password_hash } : undefined
}

async function isPasswordOf(caller: Caller, row: UserRow): Promise<boolean> {
  if (bringsNone(row)) return true
  if (row.password === '') return isMadeFrom(row.password_hash, caller.password_hash)
  return (await checkPassword(row.password, caller.password_hash)).matches
}

const newUniquehash = (): string => randomBytes(16).toString('hex')

async function moveDevicesToOwner(store: Store, { id, owner_id }: Account): Promise<void> {
  const listed = await listDevicesOf(store, id)
  const devices = await findDevices(
    store,
    listed.map((device) => device.id),
  )
  for (const device of devices) {
    if (device && device.owner_id !== owner_id) await updateDevice(store, device, { ...device, owner_id })
  }
}
