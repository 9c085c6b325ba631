import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { headerOf } from '#lib/api/headers.ts'

export const CONSOLE_TYPES = {
  '/': 'text/html; charset=utf-8',
  '/console/console.js': 'text/javascript; charset=utf-8',
  '/console/console.css': 'text/css; charset=utf-8',
  '/api/openapi.json': 'application/json',
} as const

const DESCRIPTION = '/api/openapi.json'

/** The paths that a page needs at once. */
export const CONSOLE_PATHS = Object.keys(CONSOLE_TYPES)

/** The paths in the form of API Gateway. */
export const CONSOLE_ROUTES = ['/', '/console/{file}', DESCRIPTION] as const

/** A script of its own, for views that few open. Its name changes with its content. */
const PART = /^\/console\/[\w.-]+\.js$/

/** The content type of a file of the console; `undefined` for the path of none. */
export function consoleType(path: string): string | undefined {
  if (PART.test(path)) return CONSOLE_TYPES['/console/console.js']
  return CONSOLE_PATHS.includes(path) ? CONSOLE_TYPES[path as keyof typeof CONSOLE_TYPES] : undefined
}

/**
 * The page handles sessions and the secret key, so it may neither load from other origins, send to them, nor
 * be framed. Files keep their names between deployments, so browsers revalidate them.
 */
export const CONSOLE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    'font-src data:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

export const consoleFileName = (path: string): string =>
  path === '/' ? 'index.html' : path.slice(1).replaceAll('/', '-')

type ConsoleEvent = Pick<APIGatewayProxyEvent, 'resource' | 'pathParameters' | 'headers' | 'requestContext'>

/** The API's description with its own address as server. API Gateway adds the protocol. */
export function describedAt(description: string, event: ConsoleEvent): string {
  const host = headerOf(event, 'host')
  if (host === '') return description
  const base = event.requestContext.path.replace(/\/api\/openapi\.json$/, '')
  const url = JSON.stringify(`${headerOf(event, 'x-forwarded-proto') || 'http'}://${host}${base}`)
  return description.replace(/"servers": \[[^[\]]*\]/, () => `"servers": [{ "url": ${url} }]`)
}

export const consolePathOf = ({
  resource,
  pathParameters,
}: Pick<ConsoleEvent, 'resource' | 'pathParameters'>) =>
  resource.replace('{file}', pathParameters?.['file'] ?? '')

export const NO_CONSOLE_FILE = { statusCode: 404, headers: { ...CONSOLE_HEADERS }, body: '' }

/** A folder's files, compressed: every browser accepts gzip, and openapi.json is large. */
export const consoleFile =
  (folder: string) =>
  async (event: ConsoleEvent): Promise<APIGatewayProxyResult> => {
    const path = consolePathOf(event)
    const type = consoleType(path)
    const text = type && (await readFile(`${folder}/${consoleFileName(path)}`, 'utf8').catch(() => undefined))
    if (!type || text === undefined) return NO_CONSOLE_FILE
    return {
      statusCode: 200,
      headers: { ...CONSOLE_HEADERS, 'Content-Type': type, 'Content-Encoding': 'gzip' },
      body: gzipSync(path === DESCRIPTION ? describedAt(text, event) : text).toString('base64'),
      isBase64Encoded: true,
    }
  }
