import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest'
import { LANGUAGE, openBrowser } from '#test/console/browser.ts'
import { startDemo } from '#tools/server/demo-server.ts'
import type { Gateway } from '#tools/server/gateway.ts'

/** The demo with its console, and the browser that looks at it, if there is one. */
export interface ServedConsole {
  readonly browser: Browser | undefined
  readonly url: string
}

/** Serves the console while the tests of a file run. The file calls this before its first test. */
export async function serveConsole(): Promise<ServedConsole> {
  const browser = await openBrowser()
  /** The functions log to standard output, where the results of tests are read. */
  const { write } = process.stdout
  let demo: Gateway
  beforeAll(async () => {
    Object.assign(process.stdout, { write: () => true })
    demo = await startDemo(inject('endpoint'))
  })
  afterAll(async () => {
    await browser?.close()
    await demo.stop()
    Object.assign(process.stdout, { write })
  })
  return {
    browser,
    get url() {
      return demo.url
    },
  }
}

export interface Look {
  readonly path?: string
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

/** A page of its own, of which nothing may be left in the browser's console, nor have been asked elsewhere. */
export async function aPage(
  { browser, url }: ServedConsole,
  { path = '/', colorScheme = 'light', width = 1280, height = 900 }: Look = {},
): Promise<Page> {
  if (!browser) throw new Error('There is no browser to open a page')
  const context = await browser.newContext({ ...LANGUAGE, colorScheme, viewport: { width, height } })
  const page = await context.newPage()
  const complaints = complaintsOf(page, url)
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  await page.goto(url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

/** The messages, errors and requests of a page that a test must not see. The list grows while the page is open. */
function complaintsOf(page: Page, url: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => isRefusal(message.text()) || complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(request.url())
  })
  return complaints
}

/** The passwords of data/demo/README.md. */
const PASSWORDS: Readonly<Record<string, string>> = {
  admin: 'demo-admin',
  alice_accounting: 'demo-alice',
  northwind: 'demo-northwind',
  carol: 'demo-carol',
}

/** The browser itself tells of every request that is refused or gets no answer; the page shows it to the user. */
const isRefusal = (text: string): boolean => text.startsWith('Failed to load resource')

export async function signIn(
  page: Page,
  { username = 'admin', password }: { readonly username?: string; readonly password?: string } = {},
): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(password ?? PASSWORDS[username] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A page on which an account is signed in, through the form. */
export async function aSignedPage(served: ServedConsole, look: Look = {}, username = 'admin'): Promise<Page> {
  const page = await aPage(served, look)
  await signIn(page, { username })
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return page
}

/** Gives the secret key, which the tools of developers ask for once in a tab. */
export async function giveKey(page: Page, key = 'demo-secret-key'): Promise<void> {
  await page.getByRole('textbox', { name: 'Secret key' }).fill(key)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** The violations that axe-core finds on a page, of any impact. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
