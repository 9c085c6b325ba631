import { anAdminStays, type Caller, otherCredentials, readCaller } from '#lib/accounts/account.ts'
import {
  accountDetails,
  agreementDateOf,
  NAME_DETAILS,
  SIGNED_DETAILS,
  UNSUPPORTED_DETAILS,
} from '#lib/accounts/account-details.ts'
import { asOf } from '#lib/accounts/account-history.ts'
import { formerNameKey } from '#lib/accounts/former-name.ts'
import { hashPassword, isWeakPassword, shortestPassword } from '#lib/accounts/password.ts'
import {
  accountReplaced,
  findWholeAccount,
  passwordStays,
  type WholeAccount,
} from '#lib/accounts/whole-account.ts'
import { passwordTooShort } from '#lib/api/errors.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import {
  echoed,
  idParam,
  namedId,
  onlyDefault,
  type ParameterType,
  storedText,
  textParam,
} from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { exceeds, hasPermission } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { NO_SUCH_ID } from '#lib/base/fields.ts'
import { isZero, ZERO } from '#lib/base/money.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import { reasonIn } from '#lib/base/row-refused.ts'
import { ADMIN_ACCOUNT, isAdmin, isOwnCustomer } from '#lib/base/scope.ts'

import { watchBalances } from '#lib/billing/notifications/watched-balances.ts'
import { claimKey } from '#lib/devices/dialled.ts'
import { findNameHolders, type NameHolder, usernameNotes } from '#lib/devices/taken-name.ts'

import type { Item } from '#lib/table/items.ts'
import { callerKey, tariffKey } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { element } from '#lib/xml/element.ts'

const unsupported = <N extends string>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, onlyDefault()])) as Record<N, ParameterType<undefined>>

const contract = defineContract({
  name: 'user_details_update',
  aliases: ['user_update_api', 'user_update'],
  summary: 'Changes the sent details of a customer.',
  callers: { allowed: ['admin', 'reseller', 'accountant', 'partner'], anonymous: 'Access Denied' },
  params: {
    user_id: echoed(namedId),
    u0: storedText,
    u5: echoed(idParam),
    u9: storedText,
    u15: textParam,
    u17: storedText,
    u19: storedText,
    u23: storedText,
    u25: textParam,
    u27: storedText,
    u28: textParam,
    u18: textParam,
    u32: textParam,
    u33: storedText,
    ay: textParam,
    am: textParam,
    ad: textParam,
    pswd: textParam,
    credit: textParam,
    first_name: storedText,
    last_name: storedText,
    ...unsupported(UNSUPPORTED_DETAILS),
  },
  hashOrders: [
    { signs: ['user_id', ...SIGNED_DETAILS] },
    /** Signed by deployed clients. An id's hash alone also signs a list of devices: only names change. */
    {
      signs: ['user_id'],
      unlessSent: SIGNED_DETAILS.filter((name) => !NAME_DETAILS.some((one) => one === name)),
    },
  ],
  errors: {
    no_permission: 'You have no editing permission',
    no_id: 'User id must be present',
    not_an_id: 'User id must be non negative integer',
    no_user: 'User was not found',
    denied: 'Access Denied',
    no_tariff: 'Tariff not found',
    weak_password: 'Password must contain at least one numeric value, capital and lowercase symbol',
    not_updated: 'User was not updated',
  },
  envelope: 'rootStatus',
  access: 'write',
  writes: 'accounts',
})

type UpdateRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { store } = request
  const before = await findChangeable(request)
  const named = await findNamed(request, before)
  request.refuseUnstorable()
  const now = secondsOf(request.clock())
  const details = changedDetails(request, asOf(before, now))
  checkNamed(request, before, named)
  const conditions = [
    ...(await stayingAdmin(request, before, details)),
    passwordStays(named.copy),
    ...(details.username === before.username ? [] : usernameNotes(details, named.given)),
  ]
  const password_hash = await newPasswordHash(request, named.copy)
  const after = { ...details, password_hash, ...otherCredentials(named.copy) }
  const isFormerName = named.former !== undefined
  await store.transact(replaced(request, before, after, { now, conditions, isFormerName }))
  if (after.credit !== before.credit)
    await watchBalances({ store, settings: request.settings, now: request.clock() }, [after.id])
  return element('status', 'User updated')
})

export const handler = lambda(method)

function replaced({ refuse }: UpdateRequest, ...replacement: Parameters<typeof accountReplaced>): Change[] {
  try {
    return accountReplaced(...replacement)
  } catch (error) {
    throw refuse('not_updated', `u5: ${reasonIn(error)}`)
  }
}

async function findChangeable({ caller, params, store, refuse }: UpdateRequest): Promise<WholeAccount> {
  const isAccountant = caller.usertype === 'accountant'
  if (isAccountant && !hasPermission(caller, 'manage_users')) throw refuse('no_permission')
  const id = params.user_id.sent?.trim() ?? ''
  if (id === '') throw refuse('no_id')
  if (!/^\d+$/.test(id)) throw refuse('not_an_id')
  const account = await findWholeAccount(store, params.user_id.means)
  if (!account) throw refuse('no_user')
  const refusal = scopeRefusal(caller, account)
  if (refusal) throw refuse(refusal)
  return account
}

/**
 * Account 0 and the caller itself cannot be changed, and accountants change neither admins nor accountants.
 * Only an admin changes an account with a permission that the caller lacks: a new password would give it.
 */
function scopeRefusal(caller: Caller, account: WholeAccount): 'denied' | 'no_user' | undefined {
  if (account.id === caller.id) return 'denied'
  if (!isOwnCustomer(caller, account)) return 'no_user'
  if (account.id === ADMIN_ACCOUNT || (!isAdmin(caller) && exceeds(account, caller))) return 'denied'
  const isOfOffice = account.usertype === 'admin' || account.usertype === 'accountant'
  return caller.usertype === 'accountant' && isOfOffice ? 'no_user' : undefined
}

interface Named {
  /** The copy of the account under its name, which has the credentials. */
  readonly copy: Caller
  readonly tariff: Item | undefined
  readonly namesake: Item | undefined
  /** Another object that has the new username as its own. */
  readonly holder: NameHolder | undefined
  /** The item at the claim of the username that the account gives up. */
  readonly given: Item | undefined
  /** The accounts that have given up the new username. */
  readonly former: Item | undefined
}

async function findNamed({ params, store }: UpdateRequest, { id, username }: WholeAccount): Promise<Named> {
  const keys = [
    callerKey(username),
    tariffKey(params.u5.means ?? NO_SUCH_ID),
    callerKey(params.u9 ?? username),
    ...(params.u9 === undefined ? [] : [formerNameKey(params.u9), claimKey(username)]),
  ]
  const isRenamed = params.u9 !== undefined && params.u9 !== username
  const [[copy, tariff, namesake, former, given], [holder]] = await Promise.all([
    store.getMany(keys),
    isRenamed ? findNameHolders(store, [{ id, username: params.u9 ?? '' }]) : [],
  ])
  if (!copy) throw new Error(`account ${id} has no copy under its name`)
  return { copy: readCaller(copy), tariff, namesake, holder, given, former }
}

const HELD = {
  device: 'the name or extension of a device',
  account: 'the id of another account',
  lookalike: 'mistaken for the username of another account',
}

/** A customer has a tariff of its owner. */
function checkNamed(
  request: UpdateRequest,
  { id, owner_id }: WholeAccount,
  { tariff, namesake, holder }: Named,
): void {
  const { params, settings, refuse } = request
  if (params.u5.sent !== undefined && tariff?.['owner_id'] !== owner_id) throw refuse('no_tariff')
  if (namesake && namesake['id'] !== id) throw refuse('not_updated', 'u9 is the username of another account')
  if (holder) throw refuse('not_updated', `u9 is ${HELD[holder.is]}`)
  const { pswd } = params
  if (pswd === undefined) return
  if (pswd.length < shortestPassword(settings)) throw passwordTooShort(shortestPassword(settings))
  if (isWeakPassword(settings, pswd)) throw refuse('weak_password')
}

/** The condition that an admin remains who may log in. */
const stayingAdmin = (
  { store, refuse }: UpdateRequest,
  before: WholeAccount,
  after: WholeAccount,
): Promise<Change[]> =>
  anAdminStays(store, before, after).catch((error: unknown) => {
    throw isRefusal(error, 'last_admin')
      ? refuse('not_updated', 'u15 cannot block the last active admin')
      : error
  })

/** Only what is sent changes. A prepaid account has no credit. */
function changedDetails(request: UpdateRequest, before: WholeAccount): WholeAccount {
  const { params, refuse } = request
  const wrong = accountDetails.wrong(params)
  if (wrong) throw refuse('not_updated', accountDetails.errors()[wrong])
  const after = {
    ...before,
    ...accountDetails.columns(params),
    ...agreementDate(request),
    ...(params.u5.means !== undefined && { tariff_id: params.u5.means }),
  }
  if (params.credit !== undefined && !after.postpaid && !isZero(after.credit))
    throw refuse('not_updated', 'credit is 0 for a prepaid account')
  return { ...after, credit: after.postpaid ? after.credit : ZERO, ...limitsAfter(request, after) }
}

/** A limit of 0 is none, but an imported calls_limit of 0, which blocks all calls, stays. */
function limitsAfter({ params }: UpdateRequest, { calls_limit, daily_balance_limit: day }: WholeAccount) {
  return {
    daily_balance_limit: day !== undefined && isZero(day) ? undefined : day,
    calls_limit: params.u18 !== undefined && calls_limit === 0 ? undefined : calls_limit,
  }
}

function agreementDate({ params, refuse }: UpdateRequest): Pick<WholeAccount, 'agreement_date'> | undefined {
  const { ay, am, ad } = params
  if (ay === undefined && am === undefined && ad === undefined) return undefined
  const date = agreementDateOf({ ay, am, ad })
  if (!date) throw refuse('not_updated', 'ay, am and ad are a date together')
  return { agreement_date: date.day }
}

const newPasswordHash = async ({ params: { pswd }, runOnce }: UpdateRequest, { password_hash }: Caller) =>
  pswd === undefined ? password_hash : runOnce(() => hashPassword(pswd))
