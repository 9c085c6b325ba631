import { displayName } from '#lib/domain/accounts/account.ts'
import { hashPassword } from '#lib/domain/accounts/password.ts'
import { CommandError, terminalUser } from '#lib/local/terminal.ts'
import {
  type Caller,
  findAccount,
  findCallers,
  setBlocked,
  setPasswordHash,
} from '#lib/store/accounts/account.ts'
import { accountChangeLogged } from '#lib/store/installation/settings.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import { authorisedAs } from './settings-tool.ts'

/** Who does something to an account, and when. */
export interface Act {
  /** The username of an account that may change settings; without one the log names the user of this machine. */
  readonly as: string | undefined
  readonly now: Date
}

/** All that is known of an account but its secrets, a line each. */
export async function showAccount(store: Store, username: string): Promise<string[]> {
  const caller = await accountNamed(store, username)
  const account = await findAccount(store, caller.id)
  return [
    `${caller.username}: account ${caller.id}, ${caller.usertype} of owner ${caller.owner_id}`,
    `name: ${displayName(caller)}`,
    `blocked: ${caller.blocked ? 'yes' : 'no'}`,
    `tariff: ${caller.tariff_id ?? 'none'}`,
    `currency: ${caller.currency || 'the default one'}`,
    `permissions: ${caller.permissions || 'none'}`,
    `devices: ${account?.device_count ?? 0}`,
  ]
}

/** Takes effect with the next request; what is so already stays, and is not logged. */
export async function blockAccount(store: Store, username: string, act: Act): Promise<string[]> {
  return changeBlocked(store, { username, blocked: true, did: 'blocked' }, act)
}

export async function unblockAccount(store: Store, username: string, act: Act): Promise<string[]> {
  return changeBlocked(store, { username, blocked: false, did: 'unblocked' }, act)
}

interface Wanted {
  readonly username: string
  readonly blocked: boolean
  readonly did: string
}

async function changeBlocked(store: Store, { username, blocked, did }: Wanted, act: Act): Promise<string[]> {
  const caller = await accountNamed(store, username)
  if (caller.blocked === blocked) return [`${username} is ${did} already`]
  const entry = await logged(store, { username, did }, act)
  await setBlocked(store, { ...caller, blocked }, entry).catch(refuseRace)
  return [`${username} is ${did}`]
}

/** An operator is asked for more than a customer might choose. */
const SHORTEST_PASSWORD = 8

/** The password is used from the next login on. */
export async function setPassword(
  store: Store,
  { username, password }: { readonly username: string; readonly password: string },
  act: Act,
): Promise<string[]> {
  const caller = await accountNamed(store, username)
  if (password.length < SHORTEST_PASSWORD)
    throw new CommandError(`A password has at least ${SHORTEST_PASSWORD} characters`)
  const entry = await logged(store, { username, did: 'got another password' }, act)
  await setPasswordHash(store, { ...caller, password_hash: await hashPassword(password) }, entry).catch(
    refuseRace,
  )
  return [`${username} has a new password`]
}

/** Throws CommandError when there is none. */
export async function accountNamed(store: Store, username: string): Promise<Caller> {
  const [caller] = await findCallers(store, [username])
  if (!caller) throw new CommandError(`There is no account ${username}`)
  return caller
}

async function logged(
  store: Store,
  { username, did }: Pick<Wanted, 'username' | 'did'>,
  { as, now }: Act,
): Promise<Change> {
  const who = as === undefined ? terminalUser() : await authorisedAs(store, as)
  return accountChangeLogged({ at: now.toISOString(), who, account: username, did })
}

function refuseRace(error: unknown): never {
  if (!(error instanceof ConditionFailed)) throw error
  throw new CommandError('Somebody else changed this account at the same moment: look at it and try again')
}
