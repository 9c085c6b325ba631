import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import type { Caller } from '#lib/accounts/account.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Invocation } from '#lib/table/invocation.ts'
import type { Item } from '#lib/table/items.ts'
import type { Store } from '#lib/table/store.ts'
import type { RawParameters } from './raw-parameters.ts'
import type { SentV2 } from './signature-v2.ts'
import type { SigningKey } from './signing-key.ts'

/** The facts about a request that the steps of the stack find, in the order of the stack. */
export interface RequestFacts {
  invocation: Invocation
  store: Store
  raw: RawParameters
  /** The body of an operation that takes a file; blank for all others. */
  file: Buffer
  address: string
  /** The name of the account, if a session or a sign-in gives it in place of `u`. */
  username: string
  /** The token of the session; a signed request has none. */
  token: string
  settings: Settings
  /** The account that the request names, whether or not it may call. */
  namedAccount: Caller | undefined
  /** The v2 signature of the request; the parameter `hash` is then ignored. */
  v2: SentV2 | undefined
  /** The key that signed the request, also if it does not allow the request. */
  signingKey: SigningKey | undefined
  /** The loaded items by the contract's names; not checked before the caller is admitted. */
  loaded: Readonly<Record<string, Item | undefined>>
  /** A public method has none. */
  caller: Caller
  /** The result of work that all runs of the request share. */
  sharedResult: Promise<unknown> | undefined
  params: Readonly<Record<string, unknown>>
  /** When its phases ended, and what the answer says of them; absent without SERVER_TIMING. */
  marks: number[]
  timing: string
}

/** The facts that the steps so far have found. A request that is refused early has few. */
export type RequestState = Partial<RequestFacts>

export interface RequestContext extends Context {
  requestState: RequestState
}

/** Asserts that earlier steps have found these facts. Throws if the stack has another order. */
export function requireState<N extends keyof RequestFacts>(
  requestState: RequestState,
  ...names: readonly N[]
): asserts requestState is RequestState & Pick<RequestFacts, N> {
  const missing = names.filter((name) => requestState[name] === undefined)
  if (missing.length > 0) throw new Error(`No step before this one has found ${missing.join(' and ')}`)
}

/**
 * The ids of a request in its line of the log: `request` is that of API Gateway, which its access log has
 * with the address of the client; `invocation` is that of Lambda, which X-Ray and Lambda's own lines have.
 */
export const requestIds = (
  { requestContext }: Pick<APIGatewayProxyEvent, 'requestContext'>,
  { awsRequestId }: Pick<Context, 'awsRequestId'>,
) => ({ request: requestContext.requestId, invocation: awsRequestId })
