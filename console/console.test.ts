import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { CONSOLE_HEADERS, CONSOLE_PATHS } from '#lib/console/console-file.ts'
import { add, type Money } from '#lib/domain/money.ts'
import { buildConsole } from '#lib/local/server/console-routes.ts'
import { startDemo } from '#lib/local/server/demo-server.ts'
import type { Gateway } from '#lib/local/server/gateway.ts'
import { LANGUAGE, openBrowser } from '#lib/testing/browser.ts'
import { runs } from '#lib/testing/sweep.ts'
import { formatMoney } from './format.ts'

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
  readonly height?: number
}

/** A page of its own, of which nothing may be left in the browser's console, nor have been asked elsewhere. */
async function aPage(
  opened: Browser,
  { url = '/', colorScheme = 'light', width = 1280, height = 900 }: Look = {},
): Promise<Page> {
  const context = await opened.newContext({
    ...LANGUAGE,
    colorScheme,
    viewport: { width, height },
  })
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
  await page.getByLabel('Username').fill(username)
  await page.getByRole('textbox', { name: 'Secret key' }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A page on which somebody is signed in, without the form. */
async function aSignedPage(opened: Browser, look: Look = {}, username = 'admin'): Promise<Page> {
  const page = await aPage(opened, look)
  await signIn(page, { username })
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return page
}

/** The findings of axe-core, of any impact. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

describe.runIf(browser)('in a browser', () => {
  const opened = browser as Browser

  describe('sign-in', () => {
    test('says that the key is wrong, then that the name is, and then signs in for the life of the tab', async () => {
      const page = await aPage(opened)
      expect(await page.getByRole('navigation').count()).toBe(0)
      await signIn(page, { key: 'demo-secret-kex' })
      await page.getByText('Incorrect hash: this is not the secret key').waitFor()
      expect(await page.getByRole('textbox', { name: 'Secret key' }).getAttribute('aria-invalid')).toBe(
        'true',
      )
      await signIn(page, { username: 'nobody' })
      await page.getByText('Bad login: the key is right, but no active account has this username.').waitFor()
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0)

      await signIn(page)
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
      await page.reload()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('textbox', { name: 'Secret key' }).waitFor()
      expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0)
      expect(await page.getByRole('textbox', { name: 'Secret key' }).inputValue()).toBe('')
    })

    test('takes a plain user, and tells that a page is not for one', async () => {
      const page = await aSignedPage(opened, { url: '/#/devices' }, 'carol')
      await page.getByLabel('Customer').fill('10')
      await page.getByRole('button', { name: 'Show devices' }).click()
      await page.getByRole('alert').filter({ hasText: 'This account may not see that.' }).waitFor()
    })

    test('every page says what to do about a key that is no longer the right one', async () => {
      const page = await aSignedPage(opened, { url: '/#/invoices' })
      await page.evaluate(() =>
        sessionStorage.setItem('tollgate', JSON.stringify({ username: 'admin', key: 'earlier' })),
      )
      await page.reload()
      await page.getByRole('alert').filter({ hasText: 'sign in with the right one' }).waitFor()
    })

    test('tells the secrets of the demo where its data is served, and nowhere else', async () => {
      const page = await aPage(opened)
      await page.getByRole('button', { name: 'Fill in' }).click()
      expect(await page.getByRole('textbox', { name: 'Secret key' }).inputValue()).toBe('demo-secret-key')

      for (const text of Object.values(await buildConsole()).slice(0, 4))
        expect(text).not.toContain('demo-secret')
    })
  })

  describe('the explorer', () => {
    test('signs and sends a call with Enter, and shows the answer in view as a table, as a tree and as XML', async () => {
      const page = await aSignedPage(opened, { url: '/#/explorer/devices_get' })
      await page.getByLabel('user_id').fill('10')
      expect(await page.getByTestId('string').innerText()).toMatch(/^user_id\s+10\s+and the\s+secret key$/)
      await expect
        .poll(() => page.getByTestId('hash').innerText())
        .toBe('697f723e7fee87cc5c2179bdc011c4483023a308')

      await page.getByLabel('user_id').press('Enter')
      const answer = page.getByRole('region', { name: 'Answer', exact: true })
      await answer.getByRole('cell', { name: 'carol.mobile' }).waitFor()
      expect(await answer.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await answer.evaluate(isInView)).toBe(true)
      await answer.getByRole('tab', { name: 'Tree' }).click()
      expect(await answer.innerText()).toContain('username carol.mobile')
      await answer.getByRole('tab', { name: 'Tree' }).press('ArrowRight')
      expect(await page.getByTestId('xml').innerText()).toMatch(
        /^<page>\n {2}<devices>\n {4}<device>\n {6}<device_id>10<\/device_id>/,
      )
      const download = page.waitForEvent('download')
      await answer.getByRole('button', { name: 'Download the answer' }).click()
      expect((await download).suggestedFilename()).toBe('devices_get.xml')
    })

    test('folds parameters of old clients, renders hints, and pages and sorts long tables', async () => {
      const page = await aSignedPage(opened, { url: '/#/explorer/user_calls_get' })
      expect(await page.getByLabel('only_did').isVisible()).toBe(false)
      await page.getByText('7 parameters that only old clients send').click()
      expect(await page.getByLabel('only_did').isVisible()).toBe(true)
      expect(await page.locator('form').innerText()).not.toContain('`')

      await page.getByLabel('period_start').fill(String(Math.floor(Date.now() / 1000) - 7 * 86_400))
      await page.getByRole('button', { name: 'Send' }).click()
      const answer = page.getByRole('region', { name: 'Answer', exact: true })
      await answer.getByText(/^1–50 of \d+$/).waitFor()
      await answer.getByRole('button', { name: 'Next' }).click()
      await answer.getByText(/^51–100 of \d+$/).waitFor()
      const billsec = answer.getByRole('columnheader', { name: 'billsec', exact: true })
      await billsec.getByRole('button').click()
      await billsec.getByRole('button').click()
      expect(await billsec.getAttribute('aria-sort')).toBe('descending')
      const [first = 0, second = 0] = (await answer.locator('td:nth-child(6)').allInnerTexts()).map(Number)
      expect(first).toBeGreaterThanOrEqual(second)
      expect(await billsec.evaluate((element) => getComputedStyle(element).textAlign)).toBe('right')
    })

    test('a link reopens the call, and holds no secret', async () => {
      const page = await aSignedPage(opened, { url: '/#/explorer/device_create' }, 'carol')
      await page.getByLabel('user_id').fill('10')
      await page.getByRole('textbox', { name: 'pin' }).fill('4711')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('tab', { name: 'History (1)' }).click()
      await page.getByRole('link', { name: /^device_create u=/ }).waitFor()

      const link = await page.getByRole('link', { name: 'Link to this call' }).getAttribute('href')
      expect(link).toBe('#/explorer/device_create?u=carol&user_id=10')
      expect(await page.locator('#console').innerHTML()).not.toMatch(/demo-secret-key|[0-9a-f]{40}[^<]*<a/)

      const other = await aSignedPage(opened, { url: `/${link}` })
      expect(await other.getByLabel('user_id').inputValue()).toBe('10')
    })

    test('an address that names no part, or no method, shows it', async () => {
      const page = await aSignedPage(opened, { url: '/#/doctor' })
      for (const place of ['constructor', '__proto__', 'explorer/constructor']) {
        await page.goto(`${demo.url}/#/doctor`)
        await page.goto(`${demo.url}/#/${place}`)
        await page.getByRole('navigation', { name: 'Methods' }).waitFor()
      }
      await page.getByText('There is no method constructor.').waitFor()
    })
  })

  test('the doctor says the remedy first, with the hash and the request as they should be', async () => {
    const page = await aSignedPage(opened, { url: '/#/doctor' })
    const explain = async (line: string) => {
      await page.getByLabel('The call').fill(line)
      await page.getByRole('button', { name: 'Explain the hash' }).click()
    }
    await explain('good morning')
    await page.getByRole('alert').filter({ hasText: 'No API call recognised' }).waitFor()
    await explain(
      `curl -d 'u=admin&currency=EUR&rate=0.925&hash=da147c8ede91d6a5ab48af7e524c9a95f5bd2d59' ${demo.url}/api/exchange_rate_update`,
    )

    const told = await page.getByRole('region', { name: 'Verdict' }).innerText()
    expect(told).toMatch(/Sign currency \+ rate \+ key\.\s+The hash was made of rate \+ currency \+ key/)
    const hash = createHash('sha1').update('EUR0.925demo-secret-key').digest('hex')
    expect(told).toContain(`--data-urlencode 'hash=${hash}'`)
    expect(told).not.toContain('demo-secret-key')
    await explain(`exchange_rate_update u=admin currency=EUR rate=0.925 hash=${hash}`)
    await page.getByRole('status').filter({ hasText: 'The hash is right' }).waitFor()
  })

  test('a device is created, changed and deleted, and its rules are kept', async () => {
    const page = await aSignedPage(opened, { url: '/#/devices' })
    await page.getByLabel('Customer').fill('10')
    await page.getByRole('button', { name: 'Show devices' }).click()
    await page.getByRole('region', { name: 'Devices of Carol Dent' }).waitFor()
    expect(page.url()).toContain('#/devices?customer=10')
    expect(await page.title()).toBe('Devices · Tollgate')
    expect(await page.locator('#console').innerText()).not.toContain('carolMobile2011')
    await page.getByRole('button', { name: 'Show the secret of device 11' }).click()
    await page.getByText('carolMobile2011').waitFor()

    await page.getByRole('button', { name: 'New device' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Description').fill('Front desk')
    await panel.getByRole('button', { name: 'Create the device' }).click()
    const says = await page.getByText(/^Created \d+ with id \d+\.$/).innerText()
    const id = says.match(/id (\d+)/)?.[1]

    const choose = async (action: string) => {
      await page.getByRole('button', { name: `Actions of device ${id}` }).click()
      await page.getByRole('button', { name: action, exact: true }).click()
    }
    await choose('Edit')
    await panel.getByLabel('Comment').fill('On the new phone')
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Device ${id} was changed.`).waitFor()

    await choose('Rules')
    await panel.getByLabel('Rule name').fill('Abroad')
    await panel.getByLabel('Cut').fill('00')
    await panel.getByRole('button', { name: 'Add the rule' }).click()
    await panel.getByRole('cell', { name: 'Abroad', exact: true }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Escape')

    await choose('Delete')
    await panel.getByRole('button', { name: `Delete device ${id}` }).click()
    await page.getByText(`Device ${id} was deleted.`).waitFor()
  })

  describe('the dashboard', () => {
    test('shows what the demo has, and agrees with the API on calls and money', async () => {
      const page = await aSignedPage(opened, { url: '/#/dashboard' })
      await page.getByRole('region', { name: 'This month' }).getByText('$').first().waitFor()
      await page.getByRole('figure').first().waitFor({ timeout: 20_000 })

      const asked = page.waitForRequest(/user_calls_get/)
      const month = page.getByRole('tab', { name: '30 days' })
      expect(await month.evaluate(figuresAfterClick)).toBe(0)
      const sent = new URLSearchParams((await asked).postData() ?? '')
      const { calls, revenue } = await trafficSince(sent.get('period_start') ?? '')
      expect(calls).toBeGreaterThan(1000)
      const chart = page.getByRole('figure', { name: 'Calls by day' })
      await chart.waitFor({ timeout: 20_000 })
      expect(await chart.locator('.figure').first().innerText()).toBe(calls.toLocaleString('en'))
      const revenueChart = page.getByRole('figure', { name: 'Revenue by day' })
      expect(await revenueChart.locator('.figure').innerText()).toBe(formatMoney(revenue, 'USD'))

      expect(await page.locator('figure canvas').count()).toBe(6)
      await chart.locator('.plot').hover()
      await page
        .locator('.tooltip')
        .filter({ hasText: /^\d{4}-\d\d-\d\dAttempts \d+Answered \d+$/ })
        .waitFor()
      await page.getByText('Named by the tariff Reseller wholesale').waitFor()
      await page.getByRole('combobox', { name: 'Customer' }).fill('10')
      await page.getByRole('button', { name: 'Add to the comparison' }).click()
      const customers = page.getByRole('region', { name: 'Customers, 30 days' })
      await customers.getByRole('cell', { name: 'Carol Dent' }).waitFor()
      expect(await page.getByRole('region', { name: 'Calls in progress' }).first().innerText()).toContain(
        'Willow Lane Clinic',
      )
      expect(await findings(page)).toEqual([])
    })

    test('says which totals are not for an account, and shows no money to it', async () => {
      const page = await aSignedPage(opened, { url: '/#/dashboard' }, 'partner_piers')
      await page.getByText('The totals of today and of the month are not for this type of account.').waitFor()
      await page.getByRole('figure', { name: 'ASR by day' }).waitFor({ timeout: 20_000 })
      expect(await page.getByRole('figure', { name: 'Revenue by day' }).count()).toBe(0)
    })

    test('on a phone the first chart is within two screens', async () => {
      const page = await aSignedPage(opened, { url: '/#/dashboard', width: 375, height: 812 })
      const chart = page.getByRole('figure').first()
      await chart.waitFor({ timeout: 20_000 })
      await page.getByRole('region', { name: 'Today' }).getByText('Margin').waitFor()
      const { y = Number.NaN, height = 0 } = (await chart.boundingBox()) ?? {}
      expect(y + height).toBeLessThan(2 * 812)
    })
  })

  test('rates: the price of a number in words, and a tariff that is searched', async () => {
    const page = await aSignedPage(opened, { url: '/#/rates' }, 'northwind')
    await page.getByRole('textbox', { name: 'Number' }).fill('+370 612 34567')
    await page.getByRole('textbox', { name: 'Account' }).fill('nw_bakery')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByText('nw_bakery calls +370 612 34567 for 0.88022 a minute').waitFor()
    await page.getByRole('textbox', { name: 'Account' }).fill('carol')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByRole('alert').filter({ hasText: 'User was not found' }).waitFor()

    await page.getByRole('button', { name: 'Show the tariff' }).click()
    await page.getByText(/^1–50 of 442$/).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('lithuania')
    await page.getByRole('cell', { name: 'Lithuania mobile' }).first().waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('invoices: total with tax and status first, lines folded, and a page of paper for each', async () => {
    const page = await aSignedPage(opened, { url: '/#/invoices' }, 'northwind')
    const invoice = page.getByRole('row').filter({ hasText: 'NW-020-3' })
    await expect
      .poll(() => invoice.innerText())
      .toMatch(/\d{4}-\d\d-\d\d\s+(Paid|Unpaid)\s+[\d.]+\s+\$[\d.]+/)
    expect(await page.getByRole('columnheader', { name: 'Quantity' }).count()).toBe(0)
    await invoice.getByRole('button', { name: 'Details of NW-020-3' }).click()
    await page.getByRole('columnheader', { name: 'Quantity' }).waitFor()
    expect(await findings(page)).toEqual([])

    await page.evaluate(() => Object.assign(window, { print: () => {} }))
    await page.getByRole('button', { name: 'Print the invoices' }).click()
    await page.emulateMedia({ media: 'print' })
    const papers = page.getByRole('article')
    await papers.first().waitFor()
    const printed = await papers.count()
    expect(await page.getByRole('banner').isVisible()).toBe(false)
    const paper = await page.pdf({ preferCSSPageSize: true })
    expect(paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBe(printed)
  })

  /** The calls since a moment as the API counts them, and admin's revenue of the answered ones. */
  async function trafficSince(period_start: string): Promise<{ calls: number; revenue: Money }> {
    const hash = createHash('sha1').update(`${period_start}demo-secret-key`).digest('hex')
    const body = new URLSearchParams({ u: 'admin', period_start, hash })
    const answer = await (await fetch(`${demo.url}/api/user_calls_get`, { method: 'POST', body })).text()
    const prices = answer
      .split('</call>')
      .filter((row) => row.includes('>ANSWERED<'))
      .map((row) => /<reseller_price>([\d.]+)/.exec(row)?.[1] ?? /<user_price>([\d.]+)/.exec(row)?.[1] ?? '0')
    return { calls: Number(answer.match(/<total_calls>(\d+)/)?.[1]), revenue: add(...prices) }
  }

  /** `npm test` looks at one of them, `npm run sweep` at all. */
  const looks: Look[] = [
    { colorScheme: 'dark', width: 375 },
    { colorScheme: 'light', width: 375 },
    { colorScheme: 'dark' },
    { colorScheme: 'light' },
  ]
  const views = ['explorer/user_calls_get', 'doctor', 'dashboard', 'devices', 'rates', 'invoices']

  test.each(looks.slice(0, runs(1, 4)))(
    'axe-core finds nothing in any view, and nothing scrolls sideways: %j',
    async (look) => {
      const page = await aPage(opened, look)
      expect(await findings(page)).toEqual([])
      await signIn(page)
      for (const view of views) {
        await page.goto(`${demo.url}/#/${view}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await expect.poll(() => page.locator('.skeleton').count(), { timeout: 20_000 }).toBe(0)
        expect(await findings(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      }
    },
  )
})

const isInView = (element: Element): boolean => {
  const { top, bottom, left } = element.getBoundingClientRect()
  return top >= 0 && top < innerHeight && bottom > 0 && left < innerWidth
}

/** The figures that are left of another period once the page has been drawn. */
async function figuresAfterClick(tab: HTMLElement | SVGElement): Promise<number> {
  tab.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  await new Promise(requestAnimationFrame)
  return document.querySelectorAll('figure').length
}
