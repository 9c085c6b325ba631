import axe, { type AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest'
import { addKey } from '#lib/acts/accounts/key-acts.ts'
import type { Store } from '#lib/table/store.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { LANGUAGE, openBrowser } from '#test/console/browser.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { type DemoServer, startDemo } from './demo-server.ts'

/** The demo with its console, and the browser that looks at it, if there is one. */
export interface ServedConsole {
  readonly browser: Browser | undefined
  readonly url: string
  readonly store: Store
}

/** Serves the console while the tests of a file run. The file calls this before its first test. */
export async function serveConsole(dataset?: string): Promise<ServedConsole> {
  const browser = await openBrowser()
  /** The functions log to standard output, where the results of tests are read. */
  const { write } = process.stdout
  let demo: DemoServer
  beforeAll(async () => {
    Object.assign(process.stdout, { write: () => true })
    demo = await startDemo(inject('endpoint'), dataset)
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
    get store() {
      return demo.store
    },
  }
}

export interface Look {
  readonly path?: string
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

/**
 * A page that must leave nothing in the browser's console and ask nothing of other hosts. With a `login` it
 * opens with the cookie of a session.
 */
export async function aPage(
  { browser, url }: ServedConsole,
  { path = '/', colorScheme = 'light', width = 1280, height = 900 }: Look = {},
  login?: { readonly username: string; readonly password: string },
): Promise<Page> {
  if (!browser) throw new Error('There is no browser to open a page')
  const context = await browser.newContext({ ...LANGUAGE, colorScheme, viewport: { width, height } })
  // No test is decided by time: Playwright's 30 s are short beside the other tests of a slow machine.
  context.setDefaultTimeout(200_000)
  const page = await context.newPage()
  const complaints = complaintsOf(page, url)
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  if (login) {
    const headers = { 'X-Tollgate-Console': '1' }
    const answer = await context.request.post(`${url}/console/api/session`, { data: login, headers })
    expect(answer.status()).toBe(200)
  }
  await page.goto(url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

/** Messages, errors and requests that a test must not see. The list grows while the page is open. */
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

/** The browser reports every refused or unanswered request itself; the page shows it to the user. */
const isRefusal = (text: string): boolean => text.startsWith('Failed to load resource')

/** Signs in through the form. */
export async function signIn(
  page: Page,
  { username = 'admin', password }: { readonly username?: string; readonly password?: string } = {},
): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(password ?? PASSWORDS[username] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A page on which an account is signed in. */
export async function aSignedPage(
  served: ServedConsole,
  look: Look = {},
  username = 'admin',
  password = PASSWORDS[username] ?? '',
): Promise<Page> {
  const page = await aPage(served, look, { username, password })
  await page.getByRole('button', { name: /^Account of/ }).waitFor()
  return page
}

/** The page of a customer that is signed in, in any language. */
export async function aCustomersPage(
  served: ServedConsole,
  look: Look = {},
  username = 'carol',
  password = PASSWORDS[username] ?? '',
): Promise<Page> {
  const page = await aPage(served, look, { username, password })
  await page.locator('.portal-top').waitFor()
  return page
}

/** Gives the secret key, which the tools of developers ask for once in a tab. */
export async function giveKey(page: Page, key = 'demo-secret-key'): Promise<void> {
  await page.getByRole('textbox', { name: 'Secret key' }).fill(key)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** The demo lacks a tariff, 9, with two versions, and a key of an integration. */
export async function addVersionsAndKey({ store }: ServedConsole): Promise<void> {
  const clock = () => new Date()
  const ratesAt = (tariff_rate: string) => ({
    rates: [{ tariff_id: '9', direction: 'USA', destination: 'USA', prefix: '1', tariff_rate }],
  })
  const tariffs = [{ id: '9', name: 'Twice imported', currency: 'USD', owner_id: '0', purpose: 'retail' }]
  await importRows({ store, clock }, { tariffs, ...ratesAt('0.04') })
  await importRows({ store, clock }, ratesAt('0.05'))
  const limits = { methods: 'devices_get,rate_get', from: '10.0.0.0/8' }
  await carriedOut({ store, now: clock() }, addKey, { name: 'crm', as: 'carol', ...limits })
}

/** Every view of an admin, below the address of the page. */
export const VIEWS = [
  ...[
    'overview',
    'customers',
    'customers?add=yes',
    'customers/10',
    'customers/10/devices',
    'customers/10/billing',
  ],
  ...[
    'customers/10/tariff',
    'customers/10/log',
    'calls?range=30',
    'suspense',
    'imports',
    'tariffs',
    'billing?view=month',
    'billing?view=month&step=collect',
  ],
  ...[
    'tariffs/9?compare=1',
    'billing',
    'invoices/R-2024-001-7',
    'reports?by=device&compare=minutes',
    'settings',
    'keys',
    'refused-hash',
  ],
  ...[
    'providers',
    'dids',
    'services',
    'subscriptions',
    'reratings',
    'locations',
    'switches',
    'explorer/user_calls_get',
  ],
]

/** Every view of a customer. */
export const OWN_VIEWS = [
  'home',
  'calls',
  'prices?number=442079460000',
  'devices',
  'documents',
  'documents?kind=statement',
  'documents?view=2',
  'account',
]

/** The page has drawn what its address named before, and run what follows from that. */
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Waits until nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(TWO_FRAMES)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
}

/** A view is sound if axe-core finds nothing, of any impact, and nothing scrolls sideways. */
export async function expectSound(page: Page, view: string): Promise<void> {
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const found = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults
  const violations = found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
  expect({ view, isWide, violations }).toEqual({ view, isWide: false, violations: [] })
}

const OPENERS = 'main [aria-haspopup="dialog"]'

/**
 * The places of the buttons that open a dialog, among all of a view. Of a list with one in each row, the
 * first one; none while a dialog is open.
 */
export const firstOpeners = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('body:not(:has(dialog[open])) ${OPENERS}')]
    .map((button, place) => [button.closest('tbody, ul')?.querySelector('[aria-haspopup]') ?? button, button, place])
    .flatMap(([first, button, place]) => (first === button && button.checkVisibility() ? [place] : []))`)

/** Opens a dialog with Enter, closes it with Escape. Focus enters a panel, or follows a popup's button. */
export async function expectSoundDialog(page: Page, view: string, place: number): Promise<void> {
  // Held, because a button that the page loads meanwhile moves the places of others.
  const opener = await page.locator(OPENERS).nth(place).elementHandle()
  if (!opener) throw new Error(`${view} has no opener ${place}`)
  const text = await opener.innerText()
  const what = `${view}, ${text}`
  await opener.press('Enter')
  const dialog = page.locator('dialog[open], [role="dialog"]:popover-open')
  await dialog.waitFor()
  await settled(page)
  await expectSound(page, what)
  const isIn = () => dialog.evaluate((shown) => shown.matches(':focus-within, [popover]'))
  await expect.poll(isIn, { message: `${what} has the focus` }).toBe(true)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  // A panel that has closed gives the focus back as it leaves the page, with the openers in it.
  await page.locator('.side-panel').waitFor({ state: 'detached' })
  const focused = () => page.evaluate(`document.querySelector('${OPENERS}:focus')?.innerText`)
  await expect.poll(focused, { message: `the focus is back from ${what}` }).toBe(text)
}
