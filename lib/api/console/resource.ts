import type { AccountType } from '#lib/base/account-types.ts'
import type { LoadedBy, Loads } from '../loads.ts'
import type { Services } from '../method.ts'
import type { ParameterReader, ParameterValues } from '../parameters.ts'
import type { RequestFacts } from '../request-context.ts'
import type { LinkAccounts, NameAccounts } from './account-names.ts'
import type { AnswerGiven, OperationPath, Verb } from './answers/answers.ts'

/** A parameter, and what it takes in words. */
export interface ConsoleParameter<T = unknown> extends ParameterReader<T> {
  readonly describes: string
}

type ConsoleParameters = Readonly<Record<string, ConsoleParameter>>

/** A request that has passed every gate of the console's API. */
export interface ConsoleRequest<P extends ConsoleParameters = ConsoleParameters, L extends Loads = Loads>
  extends Pick<RequestFacts, 'settings' | 'store' | 'address' | 'caller' | 'namedAccount' | 'raw' | 'file'>,
    Pick<Services, 'clock'> {
  readonly params: ParameterValues<P>
  readonly loaded: LoadedBy<L>
  readonly link: LinkAccounts
  readonly nameAccounts: NameAccounts
  /** The key that all attempts at the request share, if there is one. */
  readonly requestKey: string | undefined
  /** The token of the session; blank if there is none. */
  readonly token: string
  /** The path of the console's API as the browser sees it, with the stage if there is one. */
  readonly root: string
}

/** The operation of one verb on one path. */
export interface Operation<
  P extends ConsoleParameters = ConsoleParameters,
  L extends Loads = Loads,
  A = unknown,
> {
  readonly verb: Verb
  /** Below `/console/api`, with the names of path parameters in braces. */
  readonly path: string
  readonly summary: string
  /** The types of account that may ask; `anyone` needs no session. */
  readonly callers: readonly AccountType[] | 'anyone'
  readonly params: P
  /** The most bytes of the file that is the body; then the parameters are in the query. */
  readonly mostBytes?: number
  /** `settings` admits accounts of any type that may change settings. */
  readonly permission?: 'settings'
  readonly loads?: L
  run(request: ConsoleRequest<P, L>): Promise<A | WithCookie<A>>
}

/** A Lambda of the console's API: the operations on one kind of thing. */
export interface Resource {
  readonly name: string
  /**
   * The rights of its role on the table. `suspense` also stores calls, `records` what operators set up.
   * `documents` reads, and stores the files of documents.
   */
  readonly access: 'read' | 'write' | 'suspense' | 'records' | 'documents'
  readonly operations: readonly Operation[]
}

/** Declares an operation. Its run receives the values of its parameters, and returns its answer. */
export const operation = <
  const V extends Verb,
  const O extends OperationPath<V>,
  const P extends ConsoleParameters,
  const L extends Loads = Loads,
>(
  verb: V,
  path: O,
  one: Omit<Operation<P, L, AnswerGiven<V, O>>, 'verb' | 'path' | 'params'> & { readonly params?: P },
): Operation => ({ verb, path, params: {}, ...one })

export const defineResource = (resource: Resource): Resource => resource

export class WithCookie<T> {
  readonly answer: T
  readonly cookie: string

  constructor(answer: T, cookie: string) {
    this.answer = answer
    this.cookie = cookie
  }
}
