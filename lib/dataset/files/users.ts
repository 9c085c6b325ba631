import { randomBytes } from 'node:crypto'
import {
  type Account,
  anAdminStays,
  type Caller,
  findAccount,
  findAccounts,
  findCallers,
  highestAccountId,
  otherCredentials,
} from '#lib/accounts/account.ts'
import { asOf } from '#lib/accounts/account-history.ts'
import { findFormerNames } from '#lib/accounts/former-name.ts'
import {
  checkPassword,
  hashPassword,
  isHashOfNothing,
  isPasswordHash,
  isSameOrWrapped,
  lackOfPassword,
  NO_PASSWORD_HASH,
} from '#lib/accounts/password.ts'
import {
  accountReplaced,
  accounts,
  claimRefusal,
  findWholeAccount,
  findWholeAccounts,
  inLowerCase,
  passwordStays,
  type WholeAccount,
  type WholeCaller,
  wholeAccountColumns,
} from '#lib/accounts/whole-account.ts'
import type { Actor } from '#lib/base/account-types.ts'
import { MAX_USERNAME_LENGTH } from '#lib/base/account-types.ts'
import { addDays, type Day, firstOfMonth, periodOfDay, secondsOf, today } from '#lib/base/calendar.ts'
import { paired } from '#lib/base/collections.ts'
import { isLessThan, isZero, type Money, ZERO } from '#lib/base/money.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import {
  allProblems,
  brokenRule,
  type ColumnProblem,
  isStoredRow,
  rowRefused,
} from '#lib/base/row-refused.ts'
import { misplacement } from '#lib/base/scope.ts'
import { moveSubscriptionsToOwner } from '#lib/billing/document.ts'
import { watchBalances } from '#lib/billing/notifications/watched-balances.ts'
import { heldClaims } from '#lib/dataset/format/entity-rows.ts'
import { type ImportContext, isNewRow, isOutsideDataset } from '#lib/dataset/format/import-context.ts'
import { references } from '#lib/dataset/format/references.ts'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowChange } from '#lib/dataset/format/row-format.ts'
import { type RowEntry, type RowFormat, rowsOf, SECRET_CLAIM } from '#lib/dataset/format/row-format.ts'
import { findDevices, listDevicesOf } from '#lib/devices/device-stored.ts'
import { deviceReplaced } from '#lib/devices/device-writing.ts'
import { claimKey } from '#lib/devices/dialled.ts'
import {
  findNameHolders,
  findNamesakes,
  idWritten,
  takenUsername,
  usernameNotes,
} from '#lib/devices/taken-name.ts'
import { leftWithSeller } from '#lib/invoicing/unbilled.ts'
import { shortenedProblem } from '#lib/rates/code.ts'
import {
  blankMeans,
  date,
  type Imported,
  labelled,
  ofChange,
  optional,
  type Row,
  secret,
  text,
  unseen,
} from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, deviceKey, type KeyForm, tariffKey } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

export const requiresTariff = references({ tariff_id: tariffKey, default_tariff_id: tariffKey })

const columns = {
  ...wholeAccountColumns,
  password: secret(blankMeans(labelled(text(), 'Password', 'for signing in'), 'the present one')),
  password_hash: unseen(secret(text())),
}

export type UserRow = Row<typeof columns> & { readonly from?: Day | undefined }

interface FoundAccount {
  readonly account: WholeAccount | undefined
  /** The same with the values of now, which rows are compared with. */
  readonly present?: WholeAccount | undefined
  readonly caller: Caller | undefined
  /** Another account has given up the name of the row. */
  readonly isFormerName?: boolean
}

export const usersFile: RowFormat<UserRow> = {
  columns,
  secretColumns: ['password', 'password_hash'],
  optionalReferences: requiresTariff,
  claims: ({ id, username, email, uniquehash }) => [
    `id ${id}`,
    `username ${username}`,
    ...(email === '' ? [] : [`email ${inLowerCase(email)}`]),
    ...(uniquehash === '' ? [] : [`uniquehash${SECRET_CLAIM}${uniquehash}`]),
  ],
  key: accountKey,
  names: {
    column: 'username',
    find: async (store, names) => (await findCallers(store, names)).map((caller) => caller?.id),
    /** Tables of earlier releases have no counter of accounts, and an import of a few sets it too low. */
    highestId: highestAccountId,
  },
  counted: 'account',
  check: async (entries, context) => {
    const rows = rowsOf(entries)
    const ids = rows.map(({ id }) => id)
    const [taken, keeps, unfit] = await Promise.all([
      findHeldClaims(rows, context, isOutsideDataset(ids, context, accountKey)),
      idsKeepingPassword(rows, context),
      unfitPasswords(rows, context),
    ])
    return ({ row }) => allProblems(userProblem(row), passwordProblem(row, keeps), unfit.get(row), taken(row))
  },
  ...rowByRow<UserRow, FoundAccount>({
    lane: ({ id }) => id,
    createdTogether: 8,
    find: findStored,
    columnsIn: ({ present }) => present && { ...present, ...NO_PASSWORD },
    isStored: ({ row }, { present: account, caller }) => {
      const { password, password_hash, from, ...columnsOfAccount } = row
      if (from !== undefined) return false
      const isSamePassword =
        password === '' && (password_hash || caller?.password_hash) === caller?.password_hash
      const kept = {
        ...columnsOfAccount,
        uniquehash: row.uniquehash || account?.uniquehash,
        minimal_from: minimalFrom(row, account, () => account?.minimal_from),
      }
      return isSamePassword && account?.digest !== undefined && isStoredRow(kept, account)
    },
    changes: userChange,
    obstacle: async (row, context) => {
      const held = await findHeldClaims([row], context, (id) => id !== row.id)
      return allProblems(held(row), ...(await refusedNames([row], context)))
    },
  }),
}

/** The columns whose change may be dated. */
export const DATED_BY_HAND = ['tariff_id', 'vat_percent', 'currency'] as const

/** The format of one account that is changed by hand: what is dated may hold from another day on. */
export const changedUsersFile: RowFormat<UserRow> = {
  ...usersFile,
  columns: {
    ...columns,
    from: ofChange(
      blankMeans(
        labelled(optional(date), 'Changes on', 'the day from which tariff, VAT and currency change'),
        'at once',
      ),
    ),
  },
}

/**
 * The problems of new names and new ids that the table has otherwise. A pair whose other half is a row of the
 * dataset too stays.
 */
export async function refusedNames(
  rows: readonly Pick<UserRow, 'id' | 'username'>[],
  context: ImportContext,
): Promise<(ColumnProblem | undefined)[]> {
  const { store } = context
  const ids = rows.map(({ id }) => id)
  const [stored, holders, namesakes] = await Promise.all([
    findAccounts(store, ids),
    findNameHolders(store, rows),
    findNamesakes(store, ids.map(String)),
  ])
  const isOutside = (key: KeyForm, id: number) => !isNewRow(context, key, id)
  return rows.map(({ id, username }, index) => {
    const [before, holder, namesake] = [stored[index], holders[index], namesakes[index]]
    const key = holder?.is === 'device' ? deviceKey : accountKey
    if (holder && before?.username !== username && isOutside(key, holder.id)) return takenUsername(holder)
    const isTakenId = !before && namesake !== undefined && namesake !== id && isOutside(accountKey, namesake)
    if (!isTakenId) return undefined
    return { code: 'taken', field: 'id', values: { noun: 'account', id: namesake, as: 'the username' } }
  })
}

const findHeldClaims = heldClaims<Item>(accounts, claimRefusal)

/** The cells of a row that keeps the stored password. */
const NO_PASSWORD = { password: '', password_hash: '' }

const keepsPassword = ({ password, password_hash }: UserRow): boolean =>
  password === '' && password_hash === ''

async function idsKeepingPassword(rows: readonly UserRow[], { store }: ImportContext) {
  const ids = rows.filter(keepsPassword).map(({ id }) => id)
  return new Set((await findWholeAccounts(store, ids)).map((account) => account?.id))
}

function passwordProblem(row: UserRow, keeps: ReadonlySet<number | undefined>): string | undefined {
  if (keepsPassword(row) && keeps.has(row.id)) return undefined
  return (row.password === '') === (row.password_hash === '') ? NEEDS_PASSWORD : undefined
}

/** Rows with a new password that lacks something. The present one of an account stays, even a weak one. */
async function unfitPasswords(rows: readonly UserRow[], { store, settings }: ImportContext) {
  const unfit = rows.flatMap((row) => {
    const lack = row.password === '' ? undefined : lackOfPassword(settings, row.password)
    return lack === undefined ? [] : [{ row, problem: brokenRule('password', `takes ${lack}`) }]
  })
  const accounts = await findWholeAccounts(
    store,
    unfit.map(({ row }) => row.id),
  )
  const callers = await findCallers(
    store,
    accounts.map((account) => account?.username ?? ''),
  )
  const isPresent = await Promise.all(
    unfit.map(async ({ row }, index) => {
      const caller = callers[index]
      return caller !== undefined && (await isPasswordOf(caller, row))
    }),
  )
  return new Map(unfit.filter((_, index) => !isPresent[index]).map(({ row, problem }) => [row, problem]))
}

const NEEDS_PASSWORD = 'takes either a password or a password_hash'

function userProblem(row: UserRow) {
  const { id, usertype, owner_id, username, password_hash, minimal_month = ZERO, minimal_from = '-01' } = row
  const { vat_percent = ZERO } = row
  const shortened = shortenedProblem(row, NUMBERS)
  if (shortened) return shortened
  if (isFraction(vat_percent)) return brokenRule('vat_percent', 'takes a percentage: 21 % is 21, not 0.21')
  if (!minimal_from.endsWith('-01')) return brokenRule('minimal_from', 'is not the first day of a month')
  if (minimal_month.startsWith('-')) return brokenRule('minimal_month', 'is below 0')
  if (username.length > MAX_USERNAME_LENGTH)
    return brokenRule('username', `is longer than ${MAX_USERNAME_LENGTH} characters`)
  if (password_hash !== '' && !isPasswordHash(password_hash)) {
    return `password_hash takes a scrypt hash of this service, a SHA-1 in hex, or ${NO_PASSWORD_HASH}`
  }
  if (isHashOfNothing(password_hash))
    return `password_hash is the SHA-1 of an empty password: ${NO_PASSWORD_HASH} means no password`
  const reason = misplacement({ id, usertype, owner_id })
  return reason && ({ code: 'rule', field: 'owner_id', values: { says: reason, colon: true } } as const)
}

/** Texts that may be a number, which a spreadsheet shortens. */
const NUMBERS = [
  ...(['username', 'clientid', 'agreement_number', 'phone', 'mob_phone', 'fax'] as const),
  ...(['vat_number', 'legal_number'] as const),
]

/** A spreadsheet keeps 21 % as 0.21. No country has a VAT below 1 % or above 100 %. */
const isFraction = (percent: Money): boolean =>
  !isZero(percent) && (isLessThan(percent, '1') || isLessThan('100', percent))

async function findStored(rows: readonly UserRow[], { store, clock }: ImportContext) {
  const ids = rows.map(({ id }) => id)
  const accounts = paired(ids, await findWholeAccounts(store, ids))
  const names = [...accounts.values()].flatMap((account) => (account ? [account.username] : []))
  const taken = rows.map(({ username }) => username).filter((username) => !names.includes(username))
  const [callers, former] = await Promise.all([findCallers(store, names), findFormerNames(store, taken)])
  const callerOf = new Map(callers.map((caller) => [caller?.username, caller]))
  const formerOf = paired(taken, former)
  return ({ id, username }: UserRow): FoundAccount => {
    const account = accounts.get(id)
    const isFormerName = formerOf.get(username) !== undefined
    return {
      account,
      present: account && asOf(account, secondsOf(clock())),
      caller: account && callerOf.get(account.username),
      isFormerName,
    }
  }
}

async function userChange(
  { row, digest, kept: keptColumns }: RowEntry<UserRow>,
  { account, caller, isFormerName = false }: FoundAccount,
  context: ImportContext,
): Promise<RowChange | undefined> {
  const { store, clock, settings } = context
  const kept = await keptPassword(row, caller)
  if (account?.digest === digest && kept !== undefined) return undefined

  const { password, password_hash, from, ...columnsOfAccount } = row
  const dated = from !== undefined && {
    from: Math.max(0, periodOfDay(from, settings.Timezone).from),
    columns: DATED_BY_HAND.filter((column) => !keptColumns.includes(column)),
  }
  const hash = kept ?? (password_hash || (await hashPassword(password)))
  const after = {
    ...columnsOfAccount,
    password_hash: hash,
    ...otherCredentials(caller),
    uniquehash: uniquehashOf(row, account),
    minimal_from: minimalFrom(row, account, () => firstOfNextMonth(today(clock(), settings.Timezone))),
    digest,
  }
  if (account && account.owner_id !== after.owner_id) {
    const left = await leftWithSeller({ store, settings, now: clock() }, account)
    if (left !== undefined) throw rowRefused(`owner_id: ${account.username} cannot leave its seller: ${left}`)
  }
  const conditions = [
    ...(await remainingAdmin(store, account, row)),
    ...stayingPassword(caller, kept),
    ...(await notesOf(store, after, account)),
  ]
  const isPair = await isIdOfAnother(row, account, context)
  const replacement = { now: secondsOf(clock()), ...(dated && { dated }), conditions, isFormerName, isPair }
  const isMoved = account !== undefined && isMoving(account, after)
  const first = isMoved ? { ...after, digest: undefined } : after
  return {
    changes: accountReplaced(account, first, replacement),
    afterwards: async () => {
      if (isMoved) await moveToOwner(store, after, replacement)
      await watchBalances({ store, settings, now: clock() }, idsOfOtherMoney(account, after))
    },
  }
}

async function notesOf(
  store: Store,
  after: Pick<WholeAccount, 'id' | 'username'>,
  before: WholeAccount | undefined,
): Promise<Change[]> {
  if (before?.username === after.username) return []
  return usernameNotes(after, before && (await store.get(claimKey(before.username))))
}

/** An account of the dataset may be stored after the one that has its id as its name. */
async function isIdOfAnother(
  { id, username }: UserRow,
  before: WholeAccount | undefined,
  context: ImportContext,
): Promise<boolean> {
  const written = username === before?.username ? undefined : idWritten(username)
  if (written === undefined || written === id) return false
  return isNewRow(context, accountKey, written) || (await findAccount(context.store, written)) !== undefined
}

const idsOfOtherMoney = (before: WholeAccount | undefined, after: Omit<UserRow, 'password'>): number[] =>
  before && MONEY.some((name) => before[name] !== after[name]) ? [after.id] : []

const MONEY = ['credit', 'balance', 'alert_at'] as const

/** Requires that an admin remains active. Throws refused_row if the row blocks or replaces the last one. */
const remainingAdmin = async (
  store: Store,
  before: WholeAccount | undefined,
  after: UserRow,
): Promise<Change[]> =>
  before
    ? anAdminStays(store, before, after).catch((error: unknown) => {
        throw isRefusal(error, 'last_admin') ? rowRefused(lastAdmin(before)) : error
      })
    : []

/** The reason to refuse a row that would leave no active admin. */
export const lastAdmin = ({ username }: Pick<Account, 'username'>): string =>
  `${username} is the last active admin: it must stay an admin with blocked 0, or add another admin first`

/** True if the account moves to another owner, or an interrupted import has left such a move unfinished. */
const isMoving = (before: WholeAccount, { owner_id }: Actor): boolean =>
  before.owner_id !== owner_id || before.digest === undefined

/**
 * Moves an account with its devices and subscriptions to another owner. Its documents keep their seller. The
 * account is written first: that may be refused, and afterwards nothing new is created under the old owner.
 * It lacks its digest until everything is moved, so that the next import repeats an interrupted move. Its
 * password and keys may change meanwhile.
 */
async function moveToOwner(
  store: Store,
  after: Imported<WholeCaller>,
  replacement: Parameters<typeof accountReplaced>[2],
): Promise<void> {
  await moveDevicesToOwner(store, after)
  await moveSubscriptionsToOwner(store, after)
  const moved = await findWholeAccount(store, after.id)
  const [caller = after] = await findCallers(store, [after.username])
  const { password_hash } = caller
  const conditions = [passwordStays(caller)]
  await store.transact(
    accountReplaced(
      moved,
      { ...after, password_hash, ...otherCredentials(caller) },
      { ...replacement, conditions },
    ),
  )
}

/**
 * The stored hash, if the row has no password or the same one. The digest of a row leaves the password out: a
 * fast digest in the table would let its readers guess passwords without paying for scrypt. Each clear
 * password of a file therefore costs one scrypt, as in a login.
 */
async function keptPassword(row: UserRow, caller: Caller | undefined): Promise<string | undefined> {
  if (!caller && keepsPassword(row)) throw rowRefused(NEEDS_PASSWORD)
  return caller && (await isPasswordOf(caller, row)) ? caller.password_hash : undefined
}

async function isPasswordOf(caller: Caller, row: UserRow): Promise<boolean> {
  if (keepsPassword(row) || row.password_hash === NO_PASSWORD_HASH) return true
  if (row.password === '') return isSameOrWrapped(row.password_hash, caller.password_hash)
  return (await checkPassword(row.password, caller.password_hash)).matches
}

const stayingPassword = (caller: Caller | undefined, kept: string | undefined): Change[] =>
  caller && kept !== undefined ? [passwordStays(caller)] : []

/** A minimum without a first month applies from the month after it was set. */
function minimalFrom(
  { minimal_month, minimal_from }: UserRow,
  stored: WholeAccount | undefined,
  next: () => string | undefined,
): string | undefined {
  if (minimal_month === undefined || minimal_from !== undefined) return minimal_from
  return stored?.minimal_month === minimal_month ? stored.minimal_from : next()
}

const firstOfNextMonth = (day: string): string => firstOfMonth(addDays(firstOfMonth(day), MOST_DAYS_OF_MONTH))

const MOST_DAYS_OF_MONTH = 31

const uniquehashOf = (row: UserRow, stored: WholeAccount | undefined): string =>
  row.uniquehash || stored?.uniquehash || randomBytes(16).toString('hex')

async function moveDevicesToOwner(store: Store, { id, owner_id }: Actor): Promise<void> {
  const ids = (await listDevicesOf(store, id)).map((device) => device.id)
  for (const device of await findDevices(store, ids)) {
    if (device && device.owner_id !== owner_id)
      await store.transact(deviceReplaced(device, { ...device, owner_id }))
  }
}
