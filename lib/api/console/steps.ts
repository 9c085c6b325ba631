import { gzipSync } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { Caller } from '#lib/accounts/account.ts'
import { isValidSession, keyOfSession, type Session, toSession } from '#lib/accounts/session.ts'
import { requireCaller } from '#lib/acts/act.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { withOwnRights } from '#lib/base/scope.ts'
import { HEADERS_OF_EVERY_ANSWER, headerOf, RETRY_IN_A_MINUTE } from '../headers.ts'
import type { Load } from '../loads.ts'
import { readRawParameters } from '../raw-parameters.ts'
import type { RequestState } from '../request-context.ts'
import { acceptsGzip } from '../response.ts'
import type { Middleware } from '../stack/steps.ts'
import { pageIsOff } from './portal.ts'
import { forbidden, invalidValue, refusalOf } from './refusals.ts'
import { type Operation, WithCookie } from './resource.ts'
import { sessionCookieOf } from './session-cookie.ts'

/** Loads the session, which a Lambda may remember for a second. */
export const sessionLoad: Load<Session | undefined> = {
  key: (_sent, { token }) => (token ? keyOfSession(token) : undefined),
  read: toSession,
  mayBeRecent: true,
}

/** Answers with JSON, in place of the XML envelope of the signed API. */
export const jsonEnvelope = (): Middleware => ({
  after: (request) => {
    const { response } = request
    const isWrapped = response instanceof WithCookie
    const cookie = isWrapped ? { 'Set-Cookie': response.cookie } : {}
    request.response = jsonResponse(request.event, 200, isWrapped ? response.answer : response, cookie)
  },
  onError: (request) => {
    const { status, code, message, fields, remedy, reason } = refusalOf(request.error)
    const headers = code === 'too_many_requests' ? RETRY_IN_A_MINUTE : {}
    request.response = jsonResponse(
      request.event,
      status,
      { error: { code, reason, message, fields, remedy } },
      headers,
    )
  },
})

export function jsonResponse(
  event: Pick<APIGatewayProxyEvent, 'headers'>,
  statusCode: number,
  answer: unknown,
  more: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult {
  const text = JSON.stringify(answer)
  const isCompressed = acceptsGzip(event)
  return {
    statusCode,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...HEADERS_OF_EVERY_ANSWER,
      Vary: 'Accept-Encoding',
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
      ...more,
    },
    body: isCompressed ? gzipSync(text).toString('base64') : text,
    isBase64Encoded: isCompressed,
  }
}

/** Reads query, body and path. The session's cookie names the account; a sign-in has a parameter for that. */
export const sessionParameters = ({
  callers,
  mostBytes,
}: Pick<Operation, 'callers' | 'mostBytes'>): Middleware => ({
  before: async ({ event, context }) => {
    const hasBody = event.httpMethod !== 'GET' && mostBytes === undefined
    context.requestState.file = fileIn(event, mostBytes)
    const raw = await readRawParameters({ ...event, httpMethod: hasBody ? 'POST' : 'GET' })
    const other = Object.entries(event.pathParameters ?? {}).find(
      ([name, value]) => (raw[name] ?? value) !== value,
    )
    if (other) throw invalidValue(`${other[0]} is another one than in the path: leave it out`)
    const { username, token } = sessionCookieOf(event)
    context.requestState.username = callers === 'anyone' ? (raw['username'] ?? '') : username
    context.requestState.token = token
    context.requestState.raw = Object.assign(Object.create(null), raw, event.pathParameters)
  },
})

/** Refuses a larger file. API Gateway passes 10 MB, of which a Lambda event holds 4.5 MB in base64. */
function fileIn({ body, isBase64Encoded }: APIGatewayProxyEvent, mostBytes: number | undefined): Buffer {
  const bytes = Buffer.from(mostBytes === undefined ? '' : (body ?? ''), isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length <= (mostBytes ?? 0)) return bytes
  throw invalidValue(`The file has more than ${Math.floor((mostBytes ?? 0) / 1_000_000)} MB`)
}

/** A header that a page of another origin cannot send without asking, and is not allowed when it asks. */
const ACTION_HEADER = 'x-tollgate-console'

/** Refuses an action that the page did not send. It needs no account, so it comes before anything is read. */
export const actionHeader = ({ verb }: Pick<Operation, 'verb'>): Middleware => ({
  before: ({ event }) => {
    if (verb !== 'GET' && headerOf(event, ACTION_HEADER) === '')
      throw forbidden(`A request that changes something needs the header ${ACTION_HEADER}`)
  },
})

/** Refuses a missing, ended or outdated session, then account types that the operation does not admit. */
export const admitSession = (
  { callers, ...operation }: Pick<Operation, 'callers' | 'permission'>,
  clock: () => Date,
): Middleware => ({
  before: ({ context: { requestState } }) => {
    if (callers === 'anyone') return
    const caller = accountOfSession(requestState, clock())
    requireCaller({ ...operation, callers }, caller)
    requestState.caller = caller
  },
})

function accountOfSession({ loaded, namedAccount, settings }: RequestState, now: Date): Caller {
  const session = sessionLoad.read(loaded?.['session'])
  const isValid = session && namedAccount && isValidSession(session, namedAccount, now)
  if (isValid && namedAccount.usertype === 'user' && !settings?.Customer_Page) throw pageIsOff()
  if (isValid) return withOwnRights(namedAccount)
  throw new Refusal('not_signed_in', {})
}
