import type { Caller } from '#lib/accounts/account.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'

/** The actor. The user of a terminal without an account acts as account 0, under a name of its own. */
export type ActingAccount = Pick<Caller, 'id' | 'owner_id' | 'usertype' | 'username' | 'permissions'>

/** Where, when and by whom an act is carried out. */
export interface ActContext {
  readonly store: Store
  readonly settings: Settings
  readonly now: Date
  readonly actor: ActingAccount
  /** A person types usernames in place of ids. */
  readonly namesAreTyped: boolean
  /** The login of the session that acts. A terminal has none. */
  readonly login?: OwnLogin
  /** The number of things that a request has the time for; without it, an act does all of them. */
  readonly mostAtOnce?: number
  /** Receives the progress of a long act. */
  readonly onProgress?: (step: string | { readonly done: number; readonly total: number }) => void
}

/** Checks what its holder types, and counts failures as a sign-in does. Both throw Refusal. */
export interface OwnLogin {
  /** Returns the account as it is now. */
  confirmPassword(password: string): Promise<Caller>
  /** Asks for the code of an account that has a second factor, and for nothing of any other. */
  confirmCode(account: Caller, code: string): Promise<void>
}

/** Throws Refusal where no session acts. */
export function loginIn({ login }: Pick<ActContext, 'login'>): OwnLogin {
  if (!login) throw new Refusal('not_signed_in', {})
  return login
}
