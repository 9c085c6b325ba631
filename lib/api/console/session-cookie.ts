import type { APIGatewayProxyEvent } from 'aws-lambda'
import { SESSION_SECONDS } from '#lib/accounts/session.ts'
import { headerOf } from '../headers.ts'

/** The name of the account and the token of its session. Both are blank without a cookie. */
export interface SessionCookie {
  readonly username: string
  readonly token: string
}

const NAME = 'tollgate_session'

const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]*)\\.([\\w-]*)`)

/** The cookie also has the username, so that session, account and settings are read in one round trip. */
export function sessionCookieOf(event: Pick<APIGatewayProxyEvent, 'headers'>): SessionCookie {
  const [, username = '', token = ''] = COOKIE.exec(headerOf(event, 'cookie')) ?? []
  return { username: Buffer.from(username, 'base64url').toString(), token }
}

/** The cookie of a new session. Scripts cannot read it, and no foreign page can make a browser send it. */
export const newSessionCookie = ({ username, token }: SessionCookie, path: string): string =>
  cookie(`${Buffer.from(username).toString('base64url')}.${token}`, SESSION_SECONDS, path)

export const endedSessionCookie = (path: string): string => cookie('', 0, path)

const cookie = (value: string, seconds: number, path: string): string =>
  `${NAME}=${value}; Max-Age=${seconds}; Path=${path}; HttpOnly; Secure; SameSite=Strict`

const ROOT = '/console/api'

/**
 * The path of the console's API as the browser sees it. API Gateway puts the stage before it, or the path of
 * a domain, and tells both only in the context of the request.
 */
export function rootOf({
  path,
  requestContext,
}: Pick<APIGatewayProxyEvent, 'path' | 'requestContext'>): string {
  const seen = requestContext.path ?? path
  const end = seen.indexOf(`${ROOT}/`)
  return end < 0 ? ROOT : seen.slice(0, end + ROOT.length)
}
