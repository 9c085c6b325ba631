import type { AccountType } from '#lib/domain/accounts/account.ts'
import type { Settings } from '#lib/domain/settings.ts'
import type { Caller } from '#lib/store/accounts/account.ts'
import type { Store } from '#lib/store/store.ts'
import type { Content } from '#lib/xml/element.ts'
import type { EnvelopeName } from '#lib/xml/envelopes.ts'
import type { ApiError } from './errors.ts'
import type { Names } from './named.ts'
import type { ParameterTypes, Values } from './parameters.ts'
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
export interface Contract {
  /** As in the URL. */
  readonly name: string
  readonly aliases?: readonly string[]
  readonly summary: string
  /** `public`: neither a signature nor a caller (user_login). */
  readonly callers: Callers | 'public'
  /** POST only, whatever the settings say: a password does not belong into a query string (wire.md 1.4). */
  readonly postOnly?: true
  readonly params: ParameterTypes
  /** Any one of the orders that apply signs a request. */
  readonly hashOrders: readonly HashOrder[]
  /** Refusals only this method gives, by code. */
  readonly errors: Readonly<Record<string, string>>
  readonly envelope: EnvelopeName
  /** What the method's role may do with the table. The run of one that writes is done anew when it loses a race. */
  readonly access: 'read' | 'write'
  /** Its answer may be longer than a buffered one can be. */
  readonly streams?: true
  readonly names?: Names
}

/** A request that has passed every gate, as the run of its method gets it. */
export interface ApiRequest<C extends Contract = Contract>
  extends Pick<Services, 'clock' | 'random' | 'log'> {
  readonly params: Values<C['params']>
  readonly settings: Settings
  readonly store: Store
  /** Where the request comes from. */
  readonly address: string
  readonly named: Found<C>
  /** The account that signs. A public method has none, and must not look at it. */
  readonly caller: Caller
  /** The account under the name in `u`, checked or not; only user_login looks at it. */
  readonly claimant: Caller | undefined
  /** How often the run was begun anew because something had changed under it. */
  readonly lostRaces: number
  refuse(code: keyof C['errors'] & string): ApiError
  /** Throws for what cannot be stored. Asked once it is known that the caller may change what it names. */
  refuseUnstorable(): void
}

/** What the contract names, under its names. */
type Found<C extends Contract> = C extends { readonly names: infer N extends Names }
  ? { readonly [K in keyof N]: ReturnType<N[K]['read']> }
  : unknown

/** For methods whose steps are functions of their own: they take a `RequestTo<typeof contract>`. */
export type RequestTo<C extends Contract> = ApiRequest<C>

export type Method<C extends Contract = Contract> = C & { run(request: ApiRequest<C>): Promise<Content> }

/** Signing what the contract does not declare is a compile error. */
interface SignsItsOwn<C extends Contract> {
  readonly hashOrders: readonly HashOrder<keyof C['params'] & string>[]
}

export const defineContract = <const C extends Contract>(contract: C & SignsItsOwn<C>): C => contract

/** Ties a contract to its run, which can refuse only in the contract's words. */
export const defineMethod = <const C extends Contract>(
  contract: C & SignsItsOwn<C>,
  run: (request: ApiRequest<C>) => Promise<Content>,
): Method<C> => ({ ...contract, run })
