import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { CONSOLE_HEADERS, CONSOLE_PATHS } from '#lib/console/console-file.ts'
import { startDemo } from '#lib/local/server/demo-server.ts'
import type { Gateway } from '#lib/local/server/gateway.ts'
import { LANGUAGE, openBrowser } from '#lib/testing/browser.ts'
import { runs } from '#lib/testing/sweep.ts'

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

test('it is a page with its script and style, under a policy that lets nothing in or out', async () => {
  for (const path of CONSOLE_PATHS) {
    const response = await fetch(demo.url + path)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject(
      Object.fromEntries(Object.entries(CONSOLE_HEADERS).map(([name, value]) => [name.toLowerCase(), value])),
    )
  }
  expect(await (await fetch(`${demo.url}/api/devices_get`)).text()).toContain(
    '<error>GET Requests are disabled',
  )
  expect((await fetch(`${demo.url}/console/other.js`)).status).toBe(404)
})

test('the first view is small', async () => {
  const files = ['/', '/console/console.js', '/console/console.css']
  const sizes = files.map(async (path) => gzipSync(await (await fetch(demo.url + path)).text()).length)

  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000)
})

test('in CI there is a browser', () => {
  expect(browser !== undefined || process.env['CI'] === undefined).toBe(true)
})

interface Look {
  readonly url?: string
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
}

/** A page of its own, of which nothing may be left in the browser's console, nor have been asked elsewhere. */
async function aPage(
  opened: Browser,
  { url = '/', colorScheme = 'light', width = 1280 }: Look = {},
): Promise<Page> {
  const context = await opened.newContext({ ...LANGUAGE, colorScheme, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(demo.url) && !request.url().startsWith('data:'))
      complaints.push(request.url())
  })
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  await page.goto(demo.url + url)
  return page
}

async function signIn(page: Page, { key = 'demo-secret-key', username = 'admin' } = {}): Promise<void> {
  await page.getByLabel('Secret key').fill(key)
  await page.getByLabel('Call as').fill(username)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

describe.runIf(browser)('in a browser', () => {
  const opened = browser as Browser

  test('a call is signed, sent and shown as a table, as a tree and as it came', async () => {
    const page = await aPage(opened, { url: '/#/explorer/devices_get' })
    await signIn(page)
    await page.getByLabel('user_id').fill('10')

    expect(await page.getByTestId('string').innerText()).toBe('10secret key')
    await expect
      .poll(() => page.getByTestId('hash').innerText())
      .toBe('697f723e7fee87cc5c2179bdc011c4483023a308')

    await page.getByRole('button', { name: 'Sign and send' }).click()
    const answer = page.getByRole('region', { name: 'Answer', exact: true })
    await answer.getByRole('cell', { name: 'carol.mobile' }).waitFor()
    await answer.getByRole('button', { name: 'tree' }).click()
    expect(await answer.innerText()).toContain('username carol.mobile')
    await answer.getByRole('button', { name: 'raw' }).click()
    expect(await page.getByTestId('raw').innerText()).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?><page>/,
    )
  })

  test('a link reopens the call, and holds no secret', async () => {
    const page = await aPage(opened, { url: '/#/explorer/device_create' })
    await signIn(page, { username: 'carol' })
    await page.getByLabel('user_id').fill('10')
    await page.getByLabel('pin').fill('4711')
    await page.getByRole('button', { name: 'Sign and send' }).click()
    await page
      .getByRole('link', { name: /^device_create/ })
      .last()
      .waitFor()

    const link = await page.getByRole('link', { name: 'Link to this call' }).getAttribute('href')
    expect(link).toBe('#/explorer/device_create?u=carol&user_id=10')
    expect(await page.content()).not.toMatch(/demo-secret-key|[0-9a-f]{40}[^<]*<a/)

    const other = await aPage(opened, { url: `/${link}` })
    await signIn(other)
    expect(await other.getByLabel('user_id').inputValue()).toBe('10')
  })

  test('a wrong key is refused, and the page says what to do', async () => {
    const page = await aPage(opened, { url: '/#/explorer/services_get' })
    await signIn(page, { key: 'demo-secret-kex' })
    await page.getByRole('button', { name: 'Sign and send' }).click()

    await page.getByRole('alert').filter({ hasText: 'Incorrect hash' }).waitFor()
    expect(await page.content()).toContain('enter the right one')
  })

  test('signing out forgets the key, also one that was to be kept', async () => {
    const page = await aPage(opened)
    await page.getByLabel('Keep it').check()
    await signIn(page)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(1)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Secret key').waitFor()

    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0)
    expect(await page.getByLabel('Secret key').inputValue()).toBe('')
  })

  test('the doctor tells a portal developer that the order is the wrong one', async () => {
    const page = await aPage(opened, { url: '/#/doctor' })
    await signIn(page)
    await page
      .getByLabel('The call')
      .fill(
        `curl -d 'u=admin&currency=EUR&rate=0.925&hash=da147c8ede91d6a5ab48af7e524c9a95f5bd2d59' ${demo.url}/api/exchange_rate_update`,
      )
    await page.getByRole('button', { name: 'Explain the hash' }).click()

    const told = page.getByRole('region', { name: 'What the doctor says' })
    expect(await told.innerText()).toContain('The hash was made of rate + currency + key')
    expect(await told.innerText()).toContain('Sign currency + rate + key.')
    expect(await told.innerText()).not.toContain('demo-secret-key')
  })

  test('a device is created, changed and deleted, and its rules are kept', async () => {
    const page = await aPage(opened, { url: '/#/devices' })
    await signIn(page)
    await page.getByLabel('Customer').fill('10')
    await page.getByRole('button', { name: 'Show devices' }).click()
    await page.getByRole('cell', { name: 'carol.mobile' }).waitFor()

    await page.getByLabel('description', { exact: true }).fill('Front desk')
    await page.getByLabel('pin', { exact: true }).fill('4711')
    await page.getByRole('button', { name: 'Create a device' }).click()
    const says = await page.getByText(/^Created \d+ with id \d+\.$/).innerText()
    const id = says.match(/id (\d+)/)?.[1]

    await page.getByRole('button', { name: `Rules of ${id}` }).click()
    const rules = page.getByRole('form', { name: 'Add a rule' })
    await rules.getByLabel('name').fill('Abroad')
    await rules.getByLabel('cut').fill('00')
    await rules.getByRole('button').click()
    await page.getByRole('cell', { name: 'Abroad', exact: true }).waitFor()

    await page.getByRole('button', { name: `Delete ${id}` }).click()
    await page.getByRole('button', { name: `Really delete ${id}` }).click()
    await page.getByText(`Device ${id} was deleted.`).waitFor()
  })

  test('the dashboard shows what the demo has: totals, charts, destinations, customers, calls in progress', async () => {
    const page = await aPage(opened, { url: '/#/dashboard' })
    await signIn(page)
    await page.getByLabel('Password').fill('demo-admin')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('region', { name: 'This month' }).waitFor()
    await page.getByRole('button', { name: '30 days' }).click()
    const from = Math.floor(Date.now() / 1000) - 30 * 86_400
    const counted = await totalCalls(from)
    const chart = page.getByRole('figure', { name: 'Calls by day' })
    await expect.poll(async () => sumOf(await chart.textContent()), { timeout: 200_000 }).toBe(counted)

    expect(counted).toBeGreaterThan(1000)
    expect(await chart.locator('canvas').count()).toBe(1)
    await page.getByRole('button', { name: 'Name them by my tariff' }).click()
    await page.getByText('named by the tariff Reseller wholesale').waitFor()
    await page.getByLabel('Ids of customers').fill('10')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('region', { name: 'Customers' }).getByRole('table').waitFor()
    expect(await page.getByRole('region', { name: 'Calls in progress' }).first().innerText()).toContain(
      'Willow Lane Clinic',
    )
    expect(await seriousFindings(page)).toEqual([])
  })

  test('what an account may not ask for is absent, and says why', async () => {
    const page = await aPage(opened, { url: '/#/dashboard' })
    await signIn(page, { username: 'partner_piers' })
    await page.getByLabel('Password').fill('demo-piers')
    await page.getByRole('button', { name: 'Log in' }).click()

    await page.getByText('Totals are not shown: quickstats_get is for admin, reseller, user').waitFor()
  })

  test('a number is looked up in the tariffs of accounts, and invoices are shown with their products', async () => {
    const page = await aPage(opened, { url: '/#/rates' })
    await signIn(page, { username: 'northwind' })
    await page.getByRole('textbox', { name: 'Number' }).fill('+370 612 34567')
    await page.getByRole('textbox', { name: 'Accounts' }).fill('nw_bakery, carol')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByRole('cell', { name: 'Lithuania mobile' }).waitFor()
    await page.getByRole('cell', { name: 'User was not found' }).waitFor()
    await page.getByRole('link', { name: 'Invoices' }).click()
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('region', { name: 'Invoice NW-020-3' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  /** As the API counts them. */
  async function totalCalls(from: number): Promise<number> {
    const hash = createHash('sha1').update(`${from}demo-secret-key`).digest('hex')
    const body = new URLSearchParams({ u: 'admin', period_start: String(from), hash })
    const answer = await fetch(`${demo.url}/api/user_calls_get`, { method: 'POST', body })
    return Number((await answer.text()).match(/<total_calls>(\d+)/)?.[1])
  }

  /** What the table below a chart adds up to. */
  const sumOf = (text: string | null): number =>
    [...(text ?? '').matchAll(/\d{4}-\d\d-\d\d(\d+?)(?=\d{4}-|$)/g)].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    )

  /** `npm test` looks at one of them, `npm run sweep` at all. */
  const looks: Look[] = [
    { colorScheme: 'light' },
    { colorScheme: 'dark' },
    { colorScheme: 'light', width: 375 },
  ]
  const urls = ['/#/explorer/user_calls_get', '/#/doctor']

  test.each(looks.flatMap((look) => urls.map((url) => ({ ...look, url }))).slice(0, runs(1, 6)))(
    'nothing serious keeps people from using it: %j',
    async (look) => {
      const page = await aPage(opened, look)
      expect(await seriousFindings(page)).toEqual([])
      await signIn(page)
      expect(await seriousFindings(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    },
  )
})
