import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { type Seconds, secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import type { Caller } from './account.ts'

const schema = v.object({
  username: v.string(),
  /** The digest of the account's state at sign-in. */
  account: v.string(),
  /** Unix seconds. DynamoDB removes the item some time after this moment. */
  expires_at: v.number(),
})

/** A session of the console, or the link of a mail. The key has the digest of its token. */
export type Session = Readonly<v.InferOutput<typeof schema>>

/** 12 hours. */
export const SESSION_SECONDS = 12 * 60 * 60

const TOKEN_BYTES = 32

/** Changes with the account's id, type, password, second factor and blocks: each ends its sessions. */
function stateOf({ id, usertype, password_hash, blocks, second_factor }: Caller, purpose: Purpose): string {
  const further = [blocks, purpose === 'session' ? undefined : purpose, second_factor?.secret].filter(Boolean)
  return hexDigest(JSON.stringify([id, usertype, password_hash, ...further]))
}

/** A mail's token lets its reader choose a password, but does not sign in. Both end with the password. */
type Purpose = 'session' | `password ${string}`

/** It ends when the account has another email than its mail went to. */
export const choosingPassword = ({ email }: { readonly email: string }): Purpose => `password ${email.trim()}`

/** Whether a session may still act for the account that has its username now. */
export const isValidSession = (
  session: Session,
  account: Caller,
  now: Date,
  purpose: Purpose = 'session',
): boolean =>
  session.expires_at > secondsOf(now) &&
  session.username === account.username &&
  session.account === stateOf(account, purpose) &&
  !account.blocked

export const sessionKey = keyForm('SESSION#<digest>', 'SESSION')

export const keyOfSession = (token: string): Key => sessionKey(hexDigest(token))

export const toSession = (item: Item | undefined): Session | undefined => item && v.parse(schema, item)

export async function createSession(
  store: Store,
  account: Caller,
  now: Seconds,
  { purpose = 'session' as Purpose, seconds = SESSION_SECONDS } = {},
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const { username } = account
  const session: Session = { username, account: stateOf(account, purpose), expires_at: now + seconds }
  await store.transact([{ put: { ...keyOfSession(token), ...session } }])
  return token
}

/** Ends a session. Ending it twice is not an error. */
export const removeSession = (store: Store, token: string): Promise<void> =>
  store.transact([{ remove: keyOfSession(token) }])

/** A session of no account, which has ended: its write looks like any other. */
export const noSession = (now: Seconds): Change => ({
  put: {
    ...keyOfSession(randomBytes(TOKEN_BYTES).toString('hex')),
    username: '',
    account: '',
    expires_at: now,
  },
})
