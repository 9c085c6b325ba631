import type { AccountType } from '#lib/domain/accounts/account.ts'
import type { Settings } from '#lib/domain/settings.ts'
import type { Caller } from '#lib/store/accounts/account.ts'
import type { Item } from '#lib/store/items.ts'
import type { Key } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import type { Content } from '#lib/xml/element.ts'
import type { EnvelopeName } from '#lib/xml/envelopes.ts'
import type { ApiError } from './errors.ts'
import type { ParameterTypes, Values } from './parameters.ts'
import type { RawParameters } from './raw-parameters.ts'
import type { Services } from './services.ts'
import type { HashOrder } from './signature.ts'

/** Who may call a signed method, and what everybody else is told. */
export interface Callers {
  readonly allowed: readonly AccountType[]
  /** Nobody, an unknown or a blocked account. */
  readonly anonymous: string
  /** The account types that are not allowed. */
  readonly others?: string
}

/** Everything the outside may know about a method. */
export interface Contract<P extends ParameterTypes = ParameterTypes, E extends string = string> {
  /** As in the URL. */
  readonly name: string
  readonly aliases?: readonly string[]
  readonly summary: string
  /** `public`: neither a signature nor a caller (user_login). */
  readonly callers: Callers | 'public'
  /** A GET is refused whatever the settings say: no password belongs into a query string (wire.md 1.1). */
  readonly postOnly?: true
  readonly params: P
  /** Any one of the orders that apply signs a call. */
  readonly hashOrders: readonly HashOrder<keyof P & string>[]
  /** Refusals only this method gives, by code. */
  readonly errors: Readonly<Record<E, string>>
  readonly envelope: EnvelopeName
  /** What the method's role may do with the table. */
  readonly access: 'read' | 'write'
  /** Its answer may be longer than a buffered one can be. */
  readonly streams?: true
  /** Items to read together with settings and caller, in the same round trip. */
  readonly alongside?: (raw: RawParameters, address: string) => readonly Key[]
}

/** A call that has passed every gate. */
export interface Call<P extends ParameterTypes = ParameterTypes, E extends string = string>
  extends Omit<Services, 'openStore' | 'delivery'> {
  readonly params: Values<P>
  readonly settings: Settings
  readonly store: Store
  /** Where the call comes from. */
  readonly address: string
  /** What the contract named, in its order. */
  readonly alongside: readonly (Item | undefined)[]
  /** The account that signed in; throws on a public method, which has none. */
  readonly caller: Caller
  /** The account under the name in `u`, checked or not; only user_login looks at it. */
  readonly claimant: Caller | undefined
  refuse(code: E): ApiError
  /** Throws for what cannot be stored. Asked once it is known that the caller may change what it names. */
  refuseUnstorable(): void
}

export interface Method<P extends ParameterTypes = ParameterTypes, E extends string = string>
  extends Contract<P, E> {
  run(call: Call<P, E>): Promise<Content>
}

/** For methods whose steps are functions of their own: they take a `CallOf<typeof contract>`. */
export const defineContract = <const P extends ParameterTypes, const E extends string>(
  contract: Contract<P, E>,
): Contract<P, E> => contract

export type CallOf<C> = C extends Contract<infer P, infer E> ? Call<P, E> : never

/** Ties a contract to its run: signing or refusing what the contract does not declare is a compile error. */
export const defineMethod = <const P extends ParameterTypes, const E extends string>(
  contract: Contract<P, E>,
  run: (call: Call<P, E>) => Promise<Content>,
): Method<P, E> => ({ ...contract, run })
