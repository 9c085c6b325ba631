import { accountsOfOwners, listOwnerIds } from '#lib/accounts/account.ts'
import { asOf } from '#lib/accounts/account-history.ts'
import { wholeAccountColumns } from '#lib/accounts/whole-account.ts'
import { logIn, loginCounters } from '#lib/api/login.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { totalOf } from '#lib/base/balance.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { isSameText } from '#lib/base/digest.ts'
import { fixed, niceDigits } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT, actsFor, seesEveryone } from '#lib/base/scope.ts'
import { balancesOfAccounts } from '#lib/billing/balance.ts'
import { type Row, rowReader } from '#lib/table/columns.ts'
import { picked } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { joinedBatches, rowStream } from '#lib/xml/batches.ts'
import { element } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const contract = defineContract({
  name: 'users_get',
  summary: 'The accounts in scope, by id.',
  callers: {
    allowed: ['admin', 'accountant', 'reseller', 'partner'],
    anonymous: 'Access Denied',
    others: 'You are not authorized to view this page',
  },
  params: { p: textParam, uniquehash: textParam },
  /** A caller that names itself by its uniquehash sends no password, and signs `u` alone. */
  hashOrders: [{ signs: ['u', 'p'] }],
  errors: { not_proved: 'Access Denied' },
  envelope: 'rootStatus',
  access: 'write',
  streams: true,
  loads: loginCounters,
})

type UsersRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { caller, params, store, refuse } = request
  const isProved = params.p ? await isPasswordRight(request, params.p) : isHashRight(request)
  if (!isProved) throw refuse('not_proved')

  const owners = seesEveryone(caller) ? await listOwnerIds(store) : [actsFor(caller) ?? caller.id]
  const isListed = ({ id }: ListedAccount) => id !== ADMIN_ACCOUNT && id !== caller.id
  const toContent = async (batch: readonly ListedAccount[]) => {
    const shown = batch.filter(isListed)
    const balances = await printedBalances(request, shown)
    return writeUsers(shown.map((account, index) => toRow(account, balances[index] ?? '')))
  }
  const now = secondsOf(request.clock())
  const read = (item: Item) => readListed(asOf(item, now))
  const listed = accountsOfOwners(store, owners, read, [...LISTED, 'history'])
  const accounts = joinedBatches(listed, BALANCES_IN_ONE_READ)
  return element('status', element('users', rowStream(accounts, toContent)))
})

export const handler = lambda(method)

/** A wrong password counts as a failed login, and may reach the limit of those (wire.md users_get). */
const isPasswordRight = async (request: UsersRequest, password: string): Promise<boolean> =>
  typeof (await logIn(request, { username: request.caller.username, password })) !== 'string'

const isHashRight = ({ caller, params }: UsersRequest): boolean =>
  caller.uniquehash !== '' && isSameText(params.uniquehash ?? '', caller.uniquehash)

const FIELDS = [
  'id',
  'username',
  'first_name',
  'last_name',
  'balance',
  'blocked',
  'lcr_id',
  'tariff_id',
  'owner_id',
  'usertype',
  'hidden',
] as const
const writeUsers = rowWriter('user', FIELDS)

/** A balance is two items, and a request reads 100 items. */
const BALANCES_IN_ONE_READ = 50

const LISTED = FIELDS.filter((name) => name !== 'lcr_id')

const listedColumns = picked(wholeAccountColumns, LISTED)

type ListedAccount = Row<typeof listedColumns>

/** A list may be long: only the columns that it prints are read. */
const readListed = rowReader(listedColumns)

/** Balances are blank while none are kept, and no LCRs of accounts are stored. */
const toRow = ({ blocked, hidden, ...account }: ListedAccount, balance: string) => ({
  ...account,
  balance,
  blocked: Number(blocked),
  lcr_id: '',
  hidden: Number(hidden),
})

async function printedBalances(
  { settings, store }: UsersRequest,
  batch: readonly ListedAccount[],
): Promise<string[]> {
  if (settings.Balance_From === '') return []
  const balances = await balancesOfAccounts(store, batch)
  return balances.map((balance) => fixed(totalOf(balance), niceDigits(settings)))
}
