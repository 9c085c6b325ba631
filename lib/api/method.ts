import type { Caller } from '#lib/accounts/account.ts'
import type { AccountType } from '#lib/base/account-types.ts'
import type { Random } from '#lib/devices/device.ts'
import type { ReadItems } from '#lib/settings/recent-items.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import type { Key } from '#lib/table/keys.ts'
import type { Store, TableServices } from '#lib/table/store.ts'
import type { Content } from '#lib/xml/element.ts'
import type { EnvelopeName } from '#lib/xml/envelopes.ts'
import type { ApiError } from './errors.ts'
import type { LoadedBy, Loads } from './loads.ts'
import type { ParameterTypes, ParameterValues } from './parameters.ts'
import type { AnswerTransport } from './response.ts'
import type { HashOrder } from './signature.ts'

/** The account types that may call a signed method, and the refusals of all others. */
export interface Callers {
  readonly allowed: readonly AccountType[]
  /** Refuses a missing, unknown or blocked account. */
  readonly anonymous: string
  /** Refuses an account type that is not allowed; the same as `anonymous` by default. */
  readonly others?: string
}

/**
 * `public` means neither a signature nor a caller (user_login). `signed` means a signature without a caller:
 * the owner of the key acts for the installation.
 */
export type Admission = Callers | 'public' | 'signed'

export interface Contract {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly callers: Admission
  /** Refuses GET in spite of the settings: a password does not belong into a query (wire.md 1.4). */
  readonly postOnly?: true
  readonly params: ParameterTypes
  /** The parameter that may also be the last part of the path. */
  readonly inPath?: string
  /** A request may be signed in any of the orders that apply to it. */
  readonly hashOrders: readonly HashOrder[]
  /** The refusals of this method, by code. */
  readonly errors: Readonly<Record<string, string>>
  readonly envelope: EnvelopeName
  /** The method's rights on the table. A run that writes starts again when it loses a race. */
  readonly access: 'read' | 'write'
  /**
   * It also writes accounts, and counts attempts of an address; or it only adds payments, and deletes
   * nothing.
   */
  readonly writes?: 'accounts' | 'payments'
  /** The answer may exceed the limit of a buffered one. */
  readonly streams?: true
  readonly loads?: Loads
}

/** The side effects of a method. Tests provide their own clock, random source, log and table. */
export interface Services extends TableServices {
  readonly random: Random
  readonly transport: AnswerTransport
  /** Reads settings, accounts and tariff headers. Lambdas remember them for a second, others do not. */
  readonly readItems?: ReadItems
  /** Replaces what the process remembers of a table. By default each request has its own. */
  readonly memory?: object
}

/** A request that has passed every gate, as the run of its method receives it. */
export interface ApiRequest<C extends Contract = Contract>
  extends Pick<Services, 'clock' | 'random' | 'log'> {
  readonly params: ParameterValues<C['params']>
  readonly settings: Settings
  readonly store: Store
  /** Reads items that may be up to a second old, in the order of their keys. At most one round trip. */
  getRecent(keys: readonly Key[]): Promise<(Item | undefined)[]>
  /** A key for a method's memory: the same object in all requests of a process that remembers. */
  readonly memory: object
  readonly address: string
  readonly loaded: LoadedValues<C>
  /** The account that signed the request. A public or signed method has no caller and must not read it. */
  readonly caller: Caller
  /** The account named by `u`, not necessarily authenticated; only methods without a caller read it. */
  readonly namedAccount: Caller | undefined
  /** The parameters that the hash covers. Missing for a v2 signature, and while no hash is checked. */
  readonly signedNames: readonly string[] | undefined
  /** The number of earlier runs that lost a race with another request. */
  readonly lostRaces: number
  /** Does work that takes long once for all runs of the request. A method does one such work. */
  runOnce<T>(work: () => Promise<T>): Promise<T>
  refuse(code: keyof C['errors'] & string, reason?: string): ApiError
  /** Throws for text that cannot be stored. Called after the check that the caller may change it. */
  refuseUnstorable(): void
}

/** The items that the contract loads, by the names that it gives them. */
type LoadedValues<C extends Contract> = C extends { readonly loads: infer N extends Loads }
  ? LoadedBy<N>
  : unknown

/** The request of a contract, for methods whose steps are separate functions. */
export type RequestTo<C extends Contract> = ApiRequest<C>

export type Method<C extends Contract = Contract> = C & { run(request: ApiRequest<C>): Promise<Content> }

/** Makes it a compile error to sign a parameter that the contract does not declare. */
interface SignsItsOwn<C extends Contract> {
  readonly hashOrders: readonly HashOrder<keyof C['params'] & string>[]
}

export const defineContract = <const C extends Contract>(contract: C & SignsItsOwn<C>): C => contract

/**
 * Binds a run to its contract. The run can only make refusals that the contract declares.
 *
 * @example
 * export const method = defineMethod(
 *   {
 *     name: 'greeting_get',
 *     summary: 'Greets a person.',
 *     callers: { allowed: ['admin', 'user'], anonymous: 'Bad login' },
 *     params: { name: textParam },
 *     hashOrders: [{ signs: ['name'] }],
 *     errors: { no_name: 'name is empty' },
 *     envelope: 'page',
 *     access: 'read',
 *   },
 *   async ({ caller, params, refuse }) => {
 *     if (!params.name) throw refuse('no_name')
 *     return element('greeting', `${caller.username} greets ${params.name}`)
 *   },
 * )
 */
export const defineMethod = <const C extends Contract>(
  contract: C & SignsItsOwn<C>,
  run: (request: ApiRequest<C>) => Promise<Content>,
): Method<C> => ({ ...contract, run })
