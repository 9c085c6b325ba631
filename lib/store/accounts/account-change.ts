import { is } from '#lib/store/conditions.ts'
import { accountKey, callerKey } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import type { Caller } from './account.ts'

/**
 * Blocks or unblocks an account, under its id and under its name; a change that goes with it, such as an entry of a log, is made
 * together with it or not at all. Throws ConditionFailed when the name has changed hands.
 */
export const setBlocked = (
  store: Store,
  { id, username, blocked }: Pick<Caller, 'id' | 'username' | 'blocked'>,
  together: Change,
): Promise<void> =>
  store.transact([
    { update: callerKey(username), to: { set: { blocked } }, when: { id: is(id) } },
    {
      update: accountKey(id),
      to: { set: { blocked }, add: { version: 1 } },
      when: { username: is(username) },
    },
    together,
  ])

/** Gives an account another password. Throws ConditionFailed when the name has changed hands. */
export const setPasswordHash = (
  store: Store,
  { id, username, password_hash }: Pick<Caller, 'id' | 'username' | 'password_hash'>,
  together: Change,
): Promise<void> =>
  store.transact([
    { update: callerKey(username), to: { set: { password_hash } }, when: { id: is(id) } },
    together,
  ])
