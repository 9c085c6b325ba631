import type { APIGatewayProxyEvent } from 'aws-lambda'

/** The value of a request header, or blank if it is missing. `wanted` is in lower case. */
export const headerOf = ({ headers }: Pick<APIGatewayProxyEvent, 'headers'>, wanted: string): string =>
  Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''

/**
 * Headers of every answer. No cache may store secrets of devices. An answer in text/html is not a page:
 * a browser must neither guess another type nor run anything in it (wire.md 4.7).
 */
export const HEADERS_OF_EVERY_ANSWER = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
} as const

/** The limits of requests and of wrong secrets are those of a minute. */
export const RETRY_IN_A_MINUTE = { 'Retry-After': '60' } as const

/** Names the release only to a caller whose signature was right (wire.md 4.7). */
export const VERSION_HEADER = 'X-Tollgate-Version'

/** An answer that is made before the settings are known is always text/xml (wire.md 4.7). */
export const HEADERS_BELOW_METHODS = {
  'Content-Type': 'text/xml; charset=utf-8',
  ...HEADERS_OF_EVERY_ANSWER,
} as const
