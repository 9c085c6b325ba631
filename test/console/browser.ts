import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import pRetry from 'p-retry'
import { type Browser, chromium } from 'playwright-core'
import { installLine } from '#tools/machine/optional-packages.ts'
import { root } from '#tools/machine/program.ts'

/** The usual paths of Chrome and Chromium outside Linux x64. */
const INSTALLED = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** The package's own arguments are for Lambda: one process, which ends with the first page. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--font-render-hinting=none']

/** The language of pages. The machine's may be `C`, which is not a language. */
export const LANGUAGE = { locale: 'en-US' }

/**
 * How tests of pages run. As Playwright's own template does, CI tries one again that failed: what a browser
 * paints first is not ours to decide, and vitest reports the test as retried.
 */
export const IN_A_BROWSER = { retry: process.env['CI'] ? 1 : 0 }

/** It is not imported: vitest would remember that an optional peer was missing. */
function loadPacked(): { executablePath(): Promise<string> } {
  if (existsSync(`${root}node_modules/@sparticuz/chromium`))
    return createRequire(import.meta.url)('@sparticuz/chromium').default
  throw new Error(`Chromium, 67 MB, is not installed: run ${installLine('@sparticuz/chromium')}`)
}

/** A headless Chromium: the package's on Linux x64, elsewhere an installed one, or `undefined`. */
export async function openBrowser(): Promise<Browser | undefined> {
  if (process.platform === 'linux' && process.arch === 'x64') {
    const packed = loadPacked()
    const executablePath = await packed.executablePath()
    // Another worker may still be writing the program that it unpacks.
    return pRetry(() => chromium.launch({ executablePath, args: ARGUMENTS }), {
      minTimeout: 500,
      shouldRetry: ({ error }) => error.message.includes('ETXTBSY'),
    })
  }
  const executablePath = INSTALLED.find((path) => existsSync(path))
  return executablePath === undefined ? undefined : chromium.launch({ executablePath })
}
