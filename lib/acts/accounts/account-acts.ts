import {
  accountLists,
  anAdminStays,
  blockedSet,
  findCallers,
  passwordHashSet,
} from '#lib/accounts/account.ts'
import { hashPassword, lackOfPassword } from '#lib/accounts/password.ts'
import { secondFactorSet } from '#lib/accounts/second-factor.ts'
import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { exceeds, OWNERS, ownsCustomers } from '#lib/base/account-types.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { isAdmin, isOwnCustomer, type Owned } from '#lib/base/scope.ts'
import type { Store } from '#lib/table/store.ts'
import { defineAct } from '../act.ts'
import type { ActContext, ActingAccount } from '../context.ts'
import { accountInput, secretInput, switchInput } from '../inputs.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly unfit_password: { readonly takes: string }
    readonly not_of_yours: { readonly username: string }
    readonly no_second_factor: { readonly username: string }
    readonly own_account: { readonly username: string }
    readonly owns_customers: { readonly username: string; readonly customers: number }
  }
}

const callers = OWNERS

/**
 * Admins change every account, resellers and partners those of their own customers, but none with a
 * permission that they lack.
 */
export const mayChangeAccount = (
  actor: ActingAccount,
  account: Owned & { readonly permissions: string },
): boolean =>
  isAdmin(actor) ||
  (callers.some((type) => type === actor.usertype) &&
    isOwnCustomer(actor, account) &&
    !exceeds(account, actor))

export function refuseOthers({ actor }: Pick<ActContext, 'actor'>, account: WholeAccount): void {
  const { username } = account
  if (!mayChangeAccount(actor, account)) throw new Refusal('not_of_yours', { username }, 'account')
  if (username === actor.username) throw new Refusal('own_account', { username }, 'account')
}

/** A blocked account stays blocked, and nothing is logged. */
export const blockAccount = defineAct({
  summary: 'Refuse an account from now on: it can neither log in nor call the API, and its sessions end',
  callers,
  input: {
    account: accountInput('the account'),
    yes: switchInput('block it although it has customers, who stay admitted'),
  },
  run: async (context, { account, yes }) => {
    const { store } = context
    refuseOthers(context, account)
    const { id, username } = account
    const answer = { id, blocked: true }
    if (account.blocked) return { answer }
    const stays = await anAdminStays(store, account)
    const customers = ownsCustomers(account) && !yes ? await countCustomers(store, id) : 0
    if (customers > 0) throw new Refusal('owns_customers', { username, customers })
    return {
      changes: [...blockedSet(account, true), ...stays],
      answer,
      log: { account: username, account_id: id, did: 'blocked' },
    }
  },
})

export const unblockAccount = defineAct({
  summary: 'Admit a blocked account again',
  callers,
  input: { account: accountInput('the account') },
  run: async (context, { account }) => {
    refuseOthers(context, account)
    const { id, username } = account
    const answer = { id, blocked: false }
    if (!account.blocked) return { answer }
    return {
      changes: blockedSet(account, false),
      answer,
      log: { account: username, account_id: id, did: 'unblocked' },
    }
  },
})

export const newPasswordInput = secretInput('the new password', 'at least 8 characters', () => true)

export function refuseUnfit(
  { settings }: Pick<ActContext, 'settings'>,
  password: string,
  name: string,
): void {
  const takes = lackOfPassword(settings, password)
  if (takes !== undefined) throw new Refusal('unfit_password', { takes }, name)
}

/** The new password is valid from the next login on. */
export const setPassword = defineAct({
  summary: 'Replace the password of an account',
  callers,
  input: {
    account: accountInput('the account'),
    password: newPasswordInput,
  },
  run: async (context, { account, password }) => {
    refuseOthers(context, account)
    refuseUnfit(context, password, 'password')
    const { id, username } = account
    const password_hash = await hashPassword(password)
    return {
      changes: [passwordHashSet({ id, username, password_hash })],
      answer: { id },
      log: { account: username, account_id: id, did: 'got another password' },
    }
  },
})

/** Its holder signs in by the password alone, and switches another one on. */
export const resetSecondFactor = defineAct({
  summary: 'Take the second factor from an account whose authenticator is lost, and end its sessions',
  callers: ['admin'],
  input: { account: accountInput('the account') },
  run: async (context, { account }) => {
    refuseOthers(context, account)
    const { id, username } = account
    const [caller] = await findCallers(context.store, [username])
    if (!caller?.second_factor) throw new Refusal('no_second_factor', { username }, 'account')
    return {
      changes: secondFactorSet(caller, undefined),
      answer: { id },
      log: { account: username, account_id: id, did: 'lost its second factor' },
    }
  },
})

/** Counts the accounts that belong to an account, itself not included. */
async function countCustomers(store: Store, ownerId: number): Promise<number> {
  let count = 0
  for await (const page of store.pages({ index: 'GSI1', partition: accountLists.ofOwner.partition(ownerId) }))
    count += page.filter(({ id }) => id !== ownerId).length
  return count
}
