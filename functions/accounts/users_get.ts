import { logIn, loginCounters } from '#lib/api/login.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { isSameText } from '#lib/domain/accounts/password.ts'
import { ADMIN_ACCOUNT, actsFor, seesEveryone } from '#lib/domain/accounts/scope.ts'
import { type Account, accountsOfOwners, listOwnerIds, readAccount } from '#lib/store/accounts/account.ts'
import { rowStream } from '#lib/xml/batches.ts'
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
  const isListed = ({ id }: Account) => id !== ADMIN_ACCOUNT && id !== caller.id
  const toContent = (batch: readonly Account[]) => writeUsers(batch.filter(isListed).map(toRow))
  return element(
    'status',
    element('users', rowStream(accountsOfOwners(store, owners, readAccount), toContent)),
  )
})

export const handler = lambda(method)

/** A wrong password counts as a failed login, and a caller at the limit of those is refused (wire.md users_get). */
const isPasswordRight = async (request: UsersRequest, password: string): Promise<boolean> =>
  typeof (await logIn(request, { username: request.caller.username, password })) !== 'string'

const isHashRight = ({ caller, params }: UsersRequest): boolean =>
  caller.uniquehash !== '' && isSameText(params.uniquehash ?? '', caller.uniquehash)

const writeUsers = rowWriter('user', [
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
])

/** No balances, LCRs of accounts and hidden accounts are stored. */
const toRow = ({ blocked, ...account }: Account) => ({
  ...account,
  balance: '',
  blocked: blocked ? 1 : 0,
  lcr_id: '',
  hidden: 0,
})
