/**
 * Carried by every answer, whoever makes it: it may hold secrets of devices, so nobody on the way keeps it; it may say
 * text/html and is never a page, so no browser guesses another type or runs anything in it (wire.md 4.7).
 */
export const HEADERS_OF_EVERY_ANSWER = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
} as const

/** An answer from before the settings are known is text/xml whatever they say (wire.md 4.7). */
export const HEADERS_BELOW_METHODS = {
  'Content-Type': 'text/xml; charset=utf-8',
  ...HEADERS_OF_EVERY_ANSWER,
} as const
