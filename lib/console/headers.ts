const SCRIPT = 'text/javascript; charset=utf-8'

/** What the console consists of, from the folder of the page, with its types. */
export const CONSOLE_TYPES = {
  '/': 'text/html; charset=utf-8',
  '/console/console.js': SCRIPT,
  '/console/worker.js': SCRIPT,
  '/console/console.css': 'text/css; charset=utf-8',
  '/api/openapi.json': 'application/json',
} as const

export type ConsolePath = keyof typeof CONSOLE_TYPES

export const CONSOLE_PATHS = Object.keys(CONSOLE_TYPES) as ConsolePath[]

export const isConsolePath = (path: string): path is ConsolePath => Object.hasOwn(CONSOLE_TYPES, path)

/**
 * The page works with the secret key: nothing of it comes from elsewhere, nothing goes elsewhere, nobody frames it. The
 * files change with a deployment, under the same names.
 */
export const CONSOLE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const
