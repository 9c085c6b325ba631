import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { asOf } from '#lib/accounts/account-history.ts'
import { callerLimit } from '#lib/api/caller-limit.ts'
import { ApiError, gateRefusal, httpRefusal } from '#lib/api/errors.ts'
import { callerIn } from '#lib/api/loads.ts'
import type { Contract, Services } from '#lib/api/method.ts'
import { boundedParameter, type ParameterReaders } from '#lib/api/parameters.ts'
import { readRawParameters } from '#lib/api/raw-parameters.ts'
import { type RequestContext, requireState } from '#lib/api/request-context.ts'
import { type AnswerTransport, xmlResponse } from '#lib/api/response.ts'
import { readV2 } from '#lib/api/signature-v2.ts'
import {
  admitOnce,
  findSigningKey,
  hasSecretKey,
  type KnownKeys,
  type SigningKey,
} from '#lib/api/signing-key.ts'
import { EARLIER_V2_VERSION, V2_VERSION } from '#lib/api/v2-text.ts'
import { memoize } from '#lib/base/collections.ts'
import { withOwnRights } from '#lib/base/scope.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { callerKey } from '#lib/table/keys.ts'
import { OutOfTime } from '#lib/table/requests/meter.ts'
import { requireFormat, UnreadableTable } from '#lib/table/table-format.ts'
import type { Content } from '#lib/xml/element.ts'
import { envelopes } from '#lib/xml/envelopes.ts'

/**
 * A step of the stacks. It refuses a request by throwing. A `before` must return no value, which would skip
 * every `after`, including the envelope's. Only the envelope reads the type of the response.
 */
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, unknown, Error, RequestContext>

/** Answers in XML, even if an inner step fails. A bug becomes a general message (wire.md 4.1). */
export function envelope(
  { envelope: name }: Pick<Contract, 'envelope'>,
  transport: AnswerTransport,
): Middleware {
  const { success, failure, refusal } = envelopes[name]

  return {
    after: async (request) => {
      const document = success(request.response as Content)
      request.response = await xmlResponse(document, 200, transport, request)
    },
    onError: async (request) => {
      const { message, layer, status, reason } = refusalOf(request.error)
      const document = layer === 'method' ? failure(message, reason) : refusal(message, reason)
      request.response = await xmlResponse(document, status, transport, request)
    },
  }
}

/** A timeout tells the caller whether the request may have had effect; the log names gaps (wire.md 1.4). */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof UnreadableTable) return httpRefusal('unreadable_table')
  if (!(error instanceof OutOfTime)) return httpRefusal('internal')
  return httpRefusal(error.outcome === 'unknown' ? 'unknown_outcome' : 'out_of_time')
}

/** Reads the request before any gate: an unreadable one is always refused (wire.md 1.3). */
export const rawParameters = (method: Pick<Contract, 'postOnly' | 'inPath'>): Middleware => ({
  before: async ({ event, context }) => {
    context.requestState.raw = await readRawParameters(event, method)
  },
})

/** Refuses a caller beyond its limit before any read, even for a refusable request (wire.md 1.4). */
export function limitCaller({ clock }: Pick<Services, 'clock'>): Middleware {
  const isWithinLimit = callerLimit()
  return {
    before: ({ event, context: { requestState } }) => {
      requireState(requestState, 'raw')
      const { raw, username = raw['u'] ?? '' } = requestState
      if (!isWithinLimit(username, event.requestContext.identity.sourceIp, clock()))
        throw httpRefusal('too_many_requests')
    },
  }
}

/** Remembered settings and their stamp are checked once. */
const settingsIn = memoize((stored: Item) => {
  requireFormat(stored)
  return readSettings(stored)
})

const NOTHING_STORED: Item = {}

/**
 * Finds the settings, the named account and the items that the contract loads: in one round trip, or in none
 * if a Lambda remembers all of them. It throws UnreadableTable for a table of an unknown format. A method
 * that checks the password of the account itself always reads the account.
 */
export function settingsAndCaller(
  { loads = {}, checksPassword }: Pick<Contract, 'loads'> & { readonly checksPassword: boolean },
  { readItems, clock }: Pick<Required<Services>, 'readItems' | 'clock'>,
): Middleware {
  const declared = Object.entries(loads)
  return {
    before: async ({ event, context: { requestState } }) => {
      requireState(requestState, 'raw', 'store')
      const { raw, store, username = raw['u'] ?? '', token = '' } = requestState
      const address = event.requestContext.identity.sourceIp
      const wanted = declared.flatMap(([name, { key: keyFor, mayBeRecent }]) => {
        const key = keyFor(raw, { address, username, token })
        return key ? [{ name, key, mayBeRecent }] : []
      })
      const [settings, ...found] = await readItems(store, [
        { key: settingsKey, mayBeRecent: true },
        { key: callerKey(username), mayBeRecent: !checksPassword },
        ...wanted,
      ])
      // A change of an account that was made for a later day may be due by now. In Unix seconds without the
      // calendar, which would bring time zones into every bundle.
      const now = () => Math.floor(clock().getTime() / 1000)
      const [caller, ...items] = found.map((item) => (item?.['history'] ? asOf(item, now()) : item))
      requestState.address = address
      requestState.settings = settingsIn(settings ?? NOTHING_STORED)
      requestState.namedAccount = caller && callerIn(caller)
      requestState.loaded = Object.fromEntries(wanted.map(({ name }, index) => [name, items[index]]))
    },
  }
}

const VERBS = ['GET', 'POST']

/** Checks the API switch, then the GET switch (wire.md 2). Other verbs are refused (wire.md 1.1). */
export const gates = ({ postOnly }: Pick<Contract, 'postOnly'>): Middleware => ({
  before: ({ event, context }) => {
    const { requestState } = context
    requireState(requestState, 'settings')
    const { Allow_API, Allow_GET_API } = requestState.settings
    if (!Allow_API) throw gateRefusal('api_disabled')
    const getAllowed = Allow_GET_API && !postOnly
    if (event.httpMethod === 'GET' && !getAllowed) throw gateRefusal('get_disabled')
    if (!VERBS.includes(event.httpMethod)) throw httpRefusal('wrong_verb')
  },
})

/**
 * Checks the signature before the account, so that nobody without a key learns which usernames exist. A
 * request is signed by the key of the installation, or by a named key of the account in `u` that allows it. A
 * method without a caller acts for the installation, and takes its key alone.
 */
export const verifyHash = (
  { name, callers, hashOrders }: Pick<Contract, 'name' | 'callers' | 'hashOrders'>,
  { clock }: Pick<Services, 'clock'>,
): Middleware => ({
  before: async ({ event, context: { requestState, awsRequestId } }) => {
    requireState(requestState, 'store', 'raw', 'settings', 'address')
    const { store, raw, settings, namedAccount, address } = requestState
    if (callers === 'public' || settings.API_Disable_hash_checking) return
    const known = { settings, keys: callers === 'signed' ? undefined : namedAccount?.keys }
    const v2 = readV2(event)
    requestState.v2 = v2
    const now = clock()
    const key = findSigningKey(known, { v2, raw, hashOrders }, { method: name, address, now })
    requestState.signingKey = await admitOnce(store, key, { v2, now, request: awsRequestId })
    refuseUnsigned(requestState.signingKey, known)
  },
})

function refuseUnsigned(key: SigningKey | undefined, known: KnownKeys): void {
  if (key && !key.refused) return
  throw gateRefusal(
    key || hasSecretKey(known) ? 'incorrect_hash' : 'no_secret_key',
    key?.refused === 'version' ? EARLIER_REFUSED : undefined,
  )
}

const EARLIER_REFUSED = `${EARLIER_V2_VERSION} does not sign the media type: sign as ${V2_VERSION}, docs/keys.md`

/** Refuses missing, unknown and blocked accounts, then account types that the contract does not allow. */
export const admitCaller = ({ callers }: Pick<Contract, 'callers'>): Middleware => ({
  before: ({ context: { requestState } }) => {
    if (typeof callers === 'string') return
    const { namedAccount } = requestState
    if (!namedAccount || namedAccount.blocked) throw new ApiError(callers.anonymous, 'method')
    const caller = withOwnRights(namedAccount)
    if (!callers.allowed.includes(caller.usertype)) {
      throw new ApiError(callers.others ?? callers.anonymous, 'method')
    }
    requestState.caller = caller
  },
})

/** Reads typed parameters. It is the last step: the gates refuse before a value is refused. */
export function typedParameters({ params }: { readonly params: ParameterReaders }): Middleware {
  const declared = Object.entries(params)
  return {
    before: ({ context: { requestState } }) => {
      requireState(requestState, 'raw')
      const { raw } = requestState
      requestState.params = Object.fromEntries(
        declared.map(([name, { read }]) => [name, read(boundedParameter(raw, name), name)]),
      )
    },
  }
}
