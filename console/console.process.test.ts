import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { codeOfStep } from '#lib/accounts/second-factor.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { setSetting } from '#lib/calls/set-settings.ts'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { putBrand } from '#lib/invoicing/documents/brand.ts'
import { noteFailedImport } from '#lib/settings/failed-import.ts'
import { IN_A_BROWSER } from '#test/console/browser.ts'
import {
  aCustomersPage,
  addVersionsAndKey,
  aPage,
  aSignedPage,
  expectSound,
  giveKey,
  OWN_VIEWS,
  serveConsole,
  settled,
  signIn,
  VIEWS,
} from '#test/console/console-pages.ts'
import { aFailureOf } from '#test/failed-imports.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { buildConsole } from '#tools/server/console-build.ts'
import { CONSOLE_HEADERS, CONSOLE_PATHS } from './served/console-file.ts'

const served = await serveConsole()
beforeAll(() => addVersionsAndKey(served))

test('it is a page with its script and style, under a policy that lets nothing in or out', async () => {
  for (const path of CONSOLE_PATHS) {
    const response = await fetch(served.url + path)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject(
      Object.fromEntries(Object.entries(CONSOLE_HEADERS).map(([name, value]) => [name.toLowerCase(), value])),
    )
  }
  expect(await (await fetch(`${served.url}/api/devices_get`)).text()).toContain(
    '<error>GET Requests are disabled',
  )
  expect((await fetch(`${served.url}/console/other.js`)).status).toBe(404)
})

test('the first view is small, and its scripts are too', async () => {
  const sizeOf = async (path: string) => gzipSync(await (await fetch(served.url + path)).text()).length
  const script = await (await fetch(`${served.url}/console/console.js`)).text()
  const scripts = ['console.js', ...[...script.matchAll(/from"\.\/(.*?)"/g)].map(([, name]) => name)]
  const sizes = await Promise.all(scripts.map((name) => sizeOf(`/console/${name}`)))
  const size = sizes.reduce((sum, one) => sum + one, 0)

  expect(size).toBeLessThan(105_000)
  expect(size + (await sizeOf('/')) + (await sizeOf('/console/console.css'))).toBeLessThan(165_000)
})

test('in CI there is a browser', () => {
  expect(served.browser !== undefined || process.env['CI'] === undefined).toBe(true)
})

describe.runIf(served.browser)('in a browser', IN_A_BROWSER, () => {
  /** The page begins with this month, on whose first day the demo has no calls yet. */
  const callsOfAMonth = (url: string): string =>
    `${url}/#/calls?from=${new Date(Date.now() - 31 * 86_400_000).toISOString().slice(0, 10)}`

  describe('sign-in', () => {
    test('says that the password is wrong, and then signs in with a cookie that no script sees', async () => {
      const page = await aPage(served)
      expect(await page.getByRole('navigation').count()).toBe(0)
      await signIn(page, { password: 'wrong' })
      await page.getByRole('alert').filter({ hasText: 'The username or the password is wrong' }).waitFor()

      await signIn(page)
      const account = page.getByRole('button', { name: 'Account of Ada Operator' })
      await account.waitFor()
      expect(await page.evaluate(() => document.cookie)).toBe('')
      await page.reload()
      await account.press('Enter')
      await page.getByRole('button', { name: 'Dark' }).press('Enter')
      await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).colorScheme)).toBe('dark')
      await page.getByRole('button', { name: 'Sign out' }).press('Enter')
      await page.getByRole('textbox', { name: 'Password' }).waitFor()
      await page.reload()
      await page.getByRole('textbox', { name: 'Password' }).waitFor()
    })

    test.each(['en-US@posix', 'C'])('opens and draws in a browser whose language is %s', async (language) => {
      const page = await aPage(served)
      await page.addInitScript((value) => {
        Object.defineProperty(Navigator.prototype, 'language', { get: () => value })
      }, language)
      await page.reload()
      await signIn(page)
      await page.locator('.plot canvas').first().waitFor()
    })

    test('asks for the code of a second factor, which is switched on and off in the account menu', async () => {
      const page = await aSignedPage(served, { width: 375 }, 'harbourline', 'demo-harbourline')
      const open = async () => {
        await page.getByRole('button', { name: 'Account of Harbourline Telecom' }).click()
        await page.getByRole('button', { name: 'Second factor …' }).click()
      }
      await open()
      await page.getByRole('img', { name: 'Code for the authenticator' }).waitFor()
      await expectSound(page, 'an offered second factor')
      const href = await page.getByRole('link', { name: 'Open it on this device' }).getAttribute('href')
      const secret = new URL(href ?? '').searchParams.get('secret') ?? ''
      const code = (steps: number) => codeOfStep(secret, Math.floor(Date.now() / 30_000) + steps)
      await page.getByRole('textbox', { name: 'Current password' }).fill('demo-harbourline')
      await page.getByLabel('Code of the authenticator').fill(code(0))
      await page.getByRole('button', { name: 'Switch it on' }).click()
      const recovery = (await page.locator('dialog pre').innerText()).split('\n')
      expect(recovery).toHaveLength(10)
      await expectSound(page, 'the recovery codes')
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      await page.getByRole('button', { name: 'Account of Harbourline Telecom' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()

      await signIn(page, { username: 'harbourline', password: 'demo-harbourline' })
      const asked = page.getByRole('textbox', { name: 'Code of the authenticator, or a recovery code' })
      await asked.fill('123')
      await expectSound(page, 'the second step of a sign-in')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('This code is wrong, too old, or was used').waitFor()
      await asked.fill(code(1))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await open()
      await page.getByText('It is on, with 10 recovery codes left').waitFor()
      await page.getByRole('textbox', { name: 'Current password' }).fill('demo-harbourline')
      await asked.fill(recovery[0] ?? '')
      await page.getByRole('button', { name: 'Switch it off' }).click()
      await page.getByText('The second factor is off.').waitFor()
    })

    test('a hint that begins with a code name keeps its first letter', async () => {
      const page = await aSignedPage(served, { path: '/#/customers/2' })
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      const hint = page.locator('.hint', { hasText: 'api_settings' })
      await hint.waitFor({ state: 'attached' })
      expect(await hint.evaluate((one) => getComputedStyle(one, '::first-letter').textTransform)).toBe('none')
    })

    test('a plain user gets its own page, and only the sections that are for it', async () => {
      const page = await aCustomersPage(served, { path: '/#/customers' })
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      const views = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts()
      expect(views).toEqual(['Overview', 'Calls', 'Prices', 'Devices', 'Documents', 'Account'])
      expect(await page.getByText(/Tollgate|Explorer|Refused hash/).count()).toBe(0)
    })

    test('tells the secrets of the demo where its data is served, and nowhere else', async () => {
      const page = await aPage(served)
      await page.getByRole('button', { name: 'Fill in' }).click()
      await expect.poll(() => page.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('demo-admin')

      for (const [path, text] of Object.entries(await buildConsole()))
        if (path !== '/api/openapi.json') expect(text).not.toMatch(/demo-secret|demo-admin/)
    })
  })

  describe('the business', () => {
    test('a server that cannot be reached is named, and the page comes back by itself', async () => {
      const page = await aSignedPage(served)
      await page.context().setOffline(true)
      await page.getByRole('link', { name: 'Tariffs' }).click()
      await page
        .getByRole('alert')
        .filter({ hasText: 'The server cannot be reached.' })
        .getByText('Retry')
        .waitFor()
      await page.context().setOffline(false)
      await page.getByRole('link', { name: 'Retail standard' }).waitFor()
    })

    test('7 days are seven whole days', async () => {
      const page = await aSignedPage(served, { path: '/#/overview?range=7' })
      await page.getByText('As a table').click()
      await expect.poll(() => page.getByRole('figure').getByRole('row').count()).toBe(8)
      await page.getByRole('grid', { name: 'Top customers' }).getByRole('link').first().waitFor()
    })

    test('other days are chosen with the keyboard, and never backwards', async () => {
      const path = '/#/reports?range=custom&from=2026-03-02&till=2026-03-10'
      const page = await aSignedPage(served, { path })
      await page.getByRole('button', { name: '2026-03-02 – 2026-03-10' }).press('Enter')
      const days = page.getByRole('dialog', { name: 'Days' })
      const day = (name: string) => days.getByRole('button', { name, exact: true })
      await day('28 February').press('ArrowRight')
      // The calendar moves its focus a moment later, which may be between the two halves of the next press.
      await page.locator('calendar-month :focus').getByText('1', { exact: true }).waitFor()
      await day('3 March').press('Enter')
      await day('2 March').press('Enter')
      await page.getByRole('button', { name: '2026-03-02 – 2026-03-03' }).waitFor()
      expect(page.url()).toMatch(/#\/reports\?range=custom&from=2026-03-02&till=2026-03-03$/)
      await page.getByText('No calls on these days').waitFor()
    })

    test('a report is compared with the days before, summed up, and saved as it is shown', async () => {
      const page = await aSignedPage(served, { path: '/#/reports?by=provider&compare=revenue' })
      const table = page.getByRole('grid', { name: 'Calls by provider' })
      await table.getByRole('gridcell', { name: 'Thames Wholesale' }).waitFor()
      const [total = ''] = await table.getByRole('row', { name: /^Total/ }).allInnerTexts()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV' }).click()
      const lines = readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\r\n')
      expect(lines[0]).toMatch(
        /^provider,attempts,.*,margin_USD,unknown_cost,revenue_before,revenue_change_percent$/,
      )
      expect(lines).toHaveLength(await table.getByRole('row').count())
      expect(lines.at(-1)?.split(',')[1]).toBe(total.split('\t')[1]?.replaceAll(',', ''))
    })

    test('calls of many pages are one list, of which the rows in view are in the page', async () => {
      const page = await aSignedPage(served, { path: '/#/calls?range=30' })
      await page.getByRole('grid', { name: 'Calls' }).waitFor()
      const toTheEnd = () => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      await expect
        .poll(() => toTheEnd().then(() => page.getByText(/^[3-9]00 of [3-9]00 calls/).count()))
        .toBe(1)
      expect(await page.getByRole('grid', { name: 'Calls' }).getByRole('row').count()).toBeLessThan(100)
    })

    test('a filter that leaves few calls reads on when it is told to', async () => {
      const page = await aSignedPage(served, { path: '/#/calls?range=30&number=61255501743' })
      await page.getByText(/^\d of 1,000 calls that were read; there are more/).waitFor()
      await page.getByRole('button', { name: 'Read on' }).click()
      await page.getByText(/^\d of 2,000 calls/).waitFor()
      await page.getByRole('button', { name: 'Remove the filter Number begins with' }).click()
      await page.getByText(/^[12]00 of [12]00 calls/).waitFor()
    })

    test('a customer is found by the beginning of a name, from everywhere', async () => {
      const page = await aSignedPage(served)
      await page.keyboard.press('/')
      await page.getByRole('dialog', { name: 'Search' }).getByRole('textbox').fill('dent')
      await page.getByRole('option', { name: /Carol Dent/ }).click()
      await page.getByRole('heading', { level: 1, name: 'Carol Dent' }).waitFor()
      await page.getByRole('tab', { name: 'Devices' }).click()
      await page.getByRole('gridcell', { name: 'carol.mobile' }).waitFor()
      expect(await page.getByRole('button', { name: /7 days/ }).count()).toBe(0)
    })

    test('a customer is titled by its company; its row leads there, and selected text does not', async () => {
      const page = await aPage(served, { path: '/#/customers' })
      await signIn(page)
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Customers')
      await page.getByRole('link', { name: 'Erin Quist' }).click()
      await page.getByRole('button', { name: 'Edit' }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('Company').fill('Quist & Sons')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { level: 1, name: 'Quist & Sons' }).waitFor()
      await page.getByText('Erin Quist · erin').waitFor()
      await page.getByRole('button', { name: 'New payment' }).waitFor()

      await page.goto(`${served.url}/#/customers`)
      const row = page.getByRole('row').filter({ hasText: 'Quist & Sons' })
      await row.waitFor()
      await settled(page)
      const { x, y, width, height } = (await row.getByText('erin').boundingBox()) ?? expect.fail()
      await page.mouse.move(x + 1, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + width - 1, y + height / 2)
      await page.mouse.up()
      expect(page.url()).toMatch(/#\/customers$/)
      await page.evaluate(() => getSelection()?.empty())
      await row.getByRole('gridcell').last().click()
      await page.getByRole('heading', { level: 1, name: 'Quist & Sons' }).waitFor()
    })

    test('an invoice is found by its number, and is in its own currency', async () => {
      const page = await aSignedPage(served, { path: '/#/billing' })
      const row = page.getByRole('row').filter({ hasText: 'R-2024-001-7' })
      expect(await row.innerText()).toMatch(/116\.3\d\s+140\.74\s+140\.74\s+EUR/)
      await page.keyboard.press('/')
      await page.getByRole('dialog', { name: 'Search' }).getByRole('textbox').fill('r-2024-001-7')
      await page.getByRole('option', { name: /invoice of/ }).click()
      await page.getByRole('heading', { level: 1, name: 'Invoice R-2024-001-7' }).waitFor()
      await page.getByRole('term').filter({ hasText: 'Total' }).waitFor()
      await page.getByText('€140.74', { exact: true }).waitFor()
      await page.goto(`${served.url}/#/invoices/R-2024-001-7`)
      await page.getByText('€140.74', { exact: true }).waitFor()
      await page.goto(`${served.url}/#/invoices/R-0`)
      await page.getByText('No invoice has the number R-0').waitFor()
    })

    test('invoices are filtered by customer, days and what is late, and each filter has a cross', async () => {
      const page = await aSignedPage(served, { path: '/#/billing' })
      await page.getByRole('button', { name: 'Filter' }).click()
      const form = page.getByRole('dialog', { name: 'Filter the documents' })
      await form.getByRole('combobox', { name: 'Customer' }).fill('carol')
      await form.getByRole('textbox', { name: 'Dated to' }).fill('2020-01-01')
      await form.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('No results for these filters').waitFor()
      await page.getByRole('button', { name: 'Remove the filter Dated to' }).click()
      await page.getByRole('link', { name: 'A-1010-1' }).waitFor()
      expect(await page.getByRole('link', { name: 'R-2024-001-7' }).count()).toBe(0)
      await page.getByRole('button', { name: 'overdue', exact: true }).click()
      await page.getByRole('link', { name: 'A-1010-1' }).waitFor({ state: 'detached' })
      expect(page.url()).toMatch(/customer=10&status=overdue$/)
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      expect(await form.getByRole('combobox', { name: 'Customer' }).inputValue()).toBe('Carol Dent')
      await form.getByRole('button', { name: 'Apply' }).click()
      await form.waitFor({ state: 'detached' })
      expect(page.url()).toMatch(/customer=10&status=overdue$/)
    })

    test('an invoice is paid on its page, which then says so and by what', async () => {
      const page = await aSignedPage(served, { path: '/#/invoices/A-1011-2' })
      await page.getByRole('button', { name: 'Record a payment' }).click()
      const form = page.getByRole('dialog', { name: 'Record a payment' })
      await expect.poll(() => form.getByLabel('Amount').inputValue()).toBe('12.1')
      await form.getByLabel('Reference').fill('TX-A-1011-2')
      await form.getByRole('button', { name: 'Record the payment' }).click()
      const history = page.getByRole('table', { name: 'History of A-1011-2' })
      await history.getByRole('row').filter({ hasText: 'TX-A-1011-2' }).filter({ hasText: '12.10' }).waitFor()
      await page.getByText('$0.00 open').waitFor()
      await page.getByRole('button', { name: 'Record a payment' }).waitFor({ state: 'detached' })
    })

    test('a customer is asked for no payment by card of what is paid in advance', async () => {
      const by = { as: 'admin', now: new Date() }
      const set = (name: string, value: string) => carryOutAs(served.store, setSetting, by, { name, value })
      await set('Page_Address', 'https://pay.example.com/')
      await set('Stripe_Key', 'sk_test_0123456789')
      const page = await aPage(served)
      // The settings are remembered for a second.
      await page.waitForTimeout(1100)
      await signIn(page, { username: 'carol' })
      await page.getByText('What you have paid in advance covers them.').waitFor()
      const states = page.getByRole('row').filter({ hasText: 'A-1010-2' }).getByText('paid in advance')
      await expect.poll(() => states.count()).toBe(2)
      expect(await page.getByRole('button', { name: /^Pay/ }).count()).toBe(0)
      await set('Stripe_Key', '')
      await set('Page_Address', '')
    })

    test("the demo's last month is issued in four steps, and an invoice is saved as a PDF", async () => {
      const page = await aSignedPage(served, { path: '/#/billing' })
      await page.getByRole('tab', { name: 'Month' }).click()
      const found = page.getByRole('row').filter({ hasText: 'Flat 500 is never charged' })
      expect(await found.getByRole('link', { name: 'Services' }).getAttribute('href')).toBe('#/services')
      await page.getByRole('button', { name: 'Continue to Preview' }).click()
      await page
        .getByRole('row')
        .filter({ hasText: 'Harbourline Telecom' })
        .filter({ hasText: '80.00' })
        .waitFor()
      await page.getByRole('button', { name: 'Continue to Issue' }).click()
      await page.getByRole('button', { name: /^Issue \d+ documents/ }).click()
      await page.getByText(/: \d+ issued\.$/).waitFor()
      await page.getByRole('button', { name: 'Send the documents' }).waitFor()
      await page.getByRole('row').filter({ hasText: 'Harbourline Telecom' }).waitFor()
      await page.goto(`${served.url}/#/billing`)
      await page.getByRole('link', { name: 'R-2024-001-7' }).click()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'PDF' }).click()
      const file = readFileSync(await (await download).path(), 'latin1')
      expect(file.slice(0, 5)).toBe('%PDF-')
      expect((await download).suggestedFilename()).toBe('R-2024-001-7.pdf')
    })

    test('a month that cannot be billed has nothing to press for it', async () => {
      const page = await aSignedPage(served, { path: '/#/billing?view=month&step=issue&month=2020-01' })
      await page.getByText(/2020-01 is before Invoices_From/).waitFor()
      expect(await page.locator('main .button.primary').count()).toBe(0)
      await page.getByRole('tab', { name: '1 Check' }).click()
      await page.getByText(/2020-01 is before Invoices_From/).waitFor()
      expect(await page.locator('main .button.primary').count()).toBe(0)
    })

    test('a month of the journal is closed once, and the page says what is open', async () => {
      const page = await aSignedPage(served, { path: '/#/billing?view=month&step=collect&month=2020-01' })
      const close = async () => {
        await page.getByRole('button', { name: 'Close the month …' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Close the month' }).click()
      }
      await close()
      await page
        .getByText('2020-01 is closed with 0 entries. The journal is open from 2020-02-01.')
        .first()
        .waitFor()
      await close()
      await page.getByRole('dialog').getByText('2020-01 is closed already').waitFor()
    })

    test.each([768, 1024])('no row of payments is wider than a window of %i', async (width) => {
      const page = await aSignedPage(served, { width, path: '/#/billing?kind=payments' })
      await page.getByRole('row').filter({ hasText: 'WIRE-2207' }).waitFor()
      const beyond = () => page.locator('.scrolling').evaluate((one) => one.scrollWidth - one.clientWidth)
      await expect.poll(beyond).toBe(0)
    })

    test('a payment is recorded for a customer found by name, and never for one of several', async () => {
      const page = await aSignedPage(served, { path: '/#/billing?kind=payments' })
      await page.getByRole('button', { name: 'Record a payment' }).click()
      const form = page.getByRole('dialog', { name: 'Record a payment' })
      await form.getByLabel('Amount').fill('12.50')
      await form.getByRole('combobox', { name: 'Customer' }).fill('nw_')
      await form.getByRole('button', { name: 'Record the payment' }).click()
      await form.getByText(/^Several customers are found by “nw_”: write nw_/).waitFor()
      await form.getByRole('combobox', { name: 'Customer' }).fill('dent')
      await form.getByRole('button', { name: 'Record the payment' }).click()
      await page.getByText('A payment of 12.50 USD by Carol Dent is recorded.').waitFor()
      await page.getByRole('row').filter({ hasText: 'Carol Dent' }).filter({ hasText: '12.50' }).waitFor()
    })

    test('calls are filtered by the name of a customer, summed up, and saved as CSV', async () => {
      const page = await aSignedPage(served, { path: '/#/calls?range=30' })
      await page.getByRole('button', { name: 'Filter' }).press('Enter')
      const form = page.getByRole('dialog', { name: 'Filter the calls' })
      await form.getByRole('combobox', { name: 'Customer' }).fill('dent')
      await form.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('Customer Carol Dent').waitFor()
      expect(page.url()).toMatch(/customer=10$/)
      await page.getByRole('button', { name: 'Sum up' }).click()
      const totals = await page.getByText(/^[\d,]+ calls · [\d,]+ minutes · \$[\d.]+$/).innerText()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV' }).click()
      const lines = readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\r\n')
      expect(lines[0]).toBe('time,from,to,seconds,result,cause,customer_id,customer,price,cost')
      expect(totals).toMatch(new RegExp(`^${lines.length - 1} calls`))
    })

    test('a customer and its device are added without a key: refusals stand beside their field', async () => {
      const page = await aSignedPage(served, { path: '/#/customers?add=yes' })
      const form = page.getByRole('dialog', { name: 'Add a customer' })
      await form.getByLabel('First name').fill('Ned')
      await form.getByLabel('Credit', { exact: true }).fill('12,50')
      await form.getByRole('button', { name: 'Add' }).click()
      await expect
        .poll(() => form.getByLabel('Credit', { exact: true }).getAttribute('aria-invalid'))
        .toBe('true')
      await form.getByText('12,50: write 12.50').waitFor()
      await form.getByLabel('Credit', { exact: true }).fill('12.50')
      await form.getByLabel('Username').fill('ned')
      await form.getByLabel('Username').press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Ned' }).waitFor()

      await page.getByRole('tab', { name: 'Devices' }).click()
      await page.getByRole('button', { name: 'Add a device' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText(/^Added. Note these values now/).waitFor()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('grid', { name: 'Devices' }).locator('tbody').getByRole('button').first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete …' }).click()
      await page.getByRole('button', { name: /^Delete \d/ }).click()
      await page.getByText('No devices yet').waitFor()
    })

    test('a number is given to a customer and a device by their names', async () => {
      const page = await aSignedPage(served, { path: '/#/dids' })
      await page.getByRole('button', { name: '12025550199' }).click()
      const form = page.getByRole('dialog', { name: 'Change a DID' })
      await form.getByLabel('Device').and(form.getByRole('combobox')).waitFor()
      await form.getByLabel('Customer').fill('carol')
      await form.getByRole('option', { name: 'carol.mobile' }).waitFor({ state: 'attached' })
      await form.getByLabel('Device').selectOption('carol.mobile')
      await form.getByLabel('Status').selectOption('active')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('row', { name: /12025550199 active Carol Dent/ }).waitFor()
      await page.getByRole('button', { name: '12025550199' }).click()
      await expect.poll(() => form.getByLabel('Customer').inputValue()).toBe('Carol Dent')
      await form.getByRole('option', { name: 'carol.mobile' }).waitFor({ state: 'attached' })
    })

    test('a call leads to its customer', async () => {
      const page = await aSignedPage(served, { path: '/#/calls?range=30&number=61255501743' })
      await page.getByRole('grid', { name: 'Calls' }).getByRole('button').first().click()
      await page.getByRole('dialog', { name: 'Call' }).getByRole('link').click()
      await page.getByRole('tab', { name: 'Summary' }).waitFor()
    })

    test('versions of a tariff are compared under an address of their own', async () => {
      const page = await aSignedPage(served, { path: '/#/tariffs/9' })
      await page.getByRole('button', { name: 'Compare' }).click()
      const changes = page.getByRole('dialog', { name: 'Version 1 to version 2' })
      await changes.getByText('0 added, 0 removed, 1 changed, 0 unchanged').waitFor()
      expect(page.url()).toMatch(/#\/tariffs\/9\?compare=1$/)
    })

    test('one price is set as a new version', async () => {
      const page = await aSignedPage(served, { path: '/#/tariffs/9' })
      await page.getByRole('button', { name: 'Set the price of 1', exact: true }).click()
      const form = page.getByRole('dialog', { name: 'Set a price of Twice imported' })
      await form.getByLabel('A minute, USD').fill('cheap')
      await form.getByLabel('A minute, USD').press('Enter')
      await expect.poll(() => form.getByLabel('A minute, USD').getAttribute('aria-invalid')).toBe('true')
      await form.getByLabel('A minute, USD').fill('0.06')
      await form.getByRole('button', { name: 'Set the price' }).click()
      await form.getByText(/^The price holds from 20/).waitFor()
      const again = await form.getByRole('link', { name: 'rated again' }).getAttribute('href')
      expect(again).toMatch(/^#\/reratings\?tariff=9&from=20\d\d-\d\d-\d\d$/)
      await form.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('gridcell', { name: '0.06', exact: true }).first().waitFor()

      await page.getByRole('button', { name: 'Set a price' }).click()
      await form.getByLabel('Prefix').fill('1')
      await form.getByLabel('A minute, USD').fill('0.07')
      await form.getByLabel('From', { exact: true }).fill('2099-01-01 00:00:00')
      await form.getByRole('button', { name: 'Set the price' }).click()
      await form.getByText('The price holds from 2099-01-01 00:00:00.').waitFor()
      expect(await form.getByRole('link', { name: 'rated again' }).count()).toBe(0)
    })

    test('a rate sheet is asked about, previewed and imported as a new version', async () => {
      const page = await aSignedPage(served, { path: '/#/tariffs/9', colorScheme: 'dark', width: 375 })
      await page.getByRole('button', { name: 'Import a rate sheet' }).click()
      const panel = page.getByRole('dialog', { name: 'Import a rate sheet into Twice imported' })
      const choose = (name: string, text: string) =>
        panel
          .getByLabel('Rate sheet', { exact: true })
          .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
      await choose('sheet.pdf', '%PDF-1.7')
      await panel.getByRole('alert').filter({ hasText: 'The sheet is a PDF' }).waitFor()
      await choose('sheet.csv', 'Foo,Bar\n33,0.1\nxx,0.2')
      await panel.getByLabel('Column of the dial codes').selectOption('Foo')
      await panel.getByLabel('Column of the rates').selectOption('Bar')
      await expectSound(page, 'the questions about a rate sheet')
      await panel.getByRole('button', { name: 'Continue' }).click()
      await panel.getByLabel('Answer').selectOption('merge')
      await panel.getByRole('button', { name: 'Continue' }).click()
      const button = panel.getByRole('button', { name: 'Make a new version' })
      expect(await button.isDisabled()).toBe(true)
      await panel.getByRole('switch', { name: 'Import without the refused rows (1)' }).check()
      await expectSound(page, 'the preview of a rate sheet')
      await button.click()
      await panel.getByText('The tariff has a new version.').waitFor()
      await panel.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('gridcell', { name: '33', exact: true }).first().waitFor()
      await page.getByRole('button', { name: 'Import a rate sheet' }).click()
      await choose('next.csv', 'Foo,Bar\n34,0.2')
      await panel.getByText(/is read as the last sheet of this tariff was. Merge: /).waitFor()
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'From costs' }).click()
      const markup = page.getByRole('dialog', { name: 'Prices of Twice imported from costs' })
      await markup.getByLabel('Costs, the tariff').selectOption('1')
      await markup.getByLabel('Percent on top').fill('12.5')
      await markup.getByLabel('Prefix').fill('44')
      await markup.getByRole('button', { name: 'Preview' }).click()
      await markup.getByText(/^\d+ rates added, 0 removed/).waitFor()
      await expectSound(page, 'the preview of a markup')
      await markup.getByRole('button', { name: 'Make a new version' }).click()
      await markup.getByText('The tariff has a new version.').waitFor()
    })

    test('calls are rated again: a dry run first, then the change', async () => {
      const page = await aSignedPage(served, { path: '/#/reratings' })
      const form = page.getByRole('form', { name: 'Re-rating' })
      await form.getByRole('textbox', { name: /^From/ }).fill('2026-01-01')
      await form.getByLabel('By').selectOption('active')
      await form.getByLabel('Customer').fill('carol')
      await form.getByRole('button', { name: 'Dry run' }).click()
      await page.getByRole('heading', { name: 'Dry run: nothing is changed yet' }).waitFor()
      await expect.poll(() => form.getByRole('button', { name: 'Dry run' }).isEnabled()).toBe(true)
      await expectSound(page, 'the dry run of a re-rating')
    })

    test('a key of an integration is revoked after a question', async () => {
      const page = await aSignedPage(served, { path: '/#/keys' })
      await page.getByRole('gridcell', { name: 'devices_get, rate_get' }).waitFor()
      await page.getByRole('button', { name: 'Actions of the key crm' }).click()
      await page.getByRole('button', { name: 'Revoke …' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke crm' }).click()
      await page.getByText('No keys of integrations yet').waitFor()
    })

    test('a failed import needs attention until it is dismissed', async () => {
      await noteFailedImport(served.store, aFailureOf('records/may/calls.csv'))
      const page = await aSignedPage(served)
      await page.getByRole('link', { name: '1 file' }).click()
      await page.getByRole('button', { name: 'records/may/calls.csv' }).click()
      await page.getByRole('dialog').getByText('line 2: user_id: there is no account 999').waitFor()
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await page.getByText('No import has failed').waitFor()
    })

    test('a missing rate is added from the day of its suspended CDR, which is retried and shown again', async () => {
      const what = {
        format: 'asterisk-csv',
        source: 'pbx',
        zone: 'UTC',
        reason: 'unknown_rate',
        text: 'x',
      } as const
      const detail = 'tariff 1 of account 10 has no rate for 99970012345'
      const call = { start: 1_773_140_400 }
      await putSuspended(served.store, [
        { ...what, ...call, id: 'f'.repeat(24), order: '001773140400#f', detail },
      ])
      const page = await aSignedPage(served, { path: '/#/suspense' })
      await page.getByRole('button', { name: 'No price', exact: true }).click()
      await page.getByRole('link', { name: 'Add this rate' }).click()
      await expect
        .poll(() => page.getByLabel('From', { exact: true }).inputValue())
        .toBe('2026-03-10 00:00:00')
      await page.getByLabel('A minute').fill('0.5')
      await page.getByRole('button', { name: 'Set the price', exact: true }).click()
      await page.getByText('The price holds from 2026-03-10 00:00:00.').waitFor()
      await page.getByRole('gridcell', { name: 'Not of its format' }).waitFor()
    })

    test('the section of suspended CDRs counts one less as soon as one is dropped', async () => {
      const what = { format: 'asterisk-csv', source: 'pbx', zone: 'UTC', text: 'x' } as const
      const [detail, id] = ['no account or device is "a"', 'e'.repeat(24)]
      await putSuspended(served.store, [
        { ...what, reason: 'unknown_account', start: 1_773_140_400, id, order: '001773140400#e', detail },
      ])
      const page = await aSignedPage(served, { path: '/#/suspense?reason=unknown_account' })
      const count = page.locator('.sidebar .count')
      const before = Number(await count.innerText())
      await page.getByRole('button', { name: 'No customer', exact: true }).click()
      await page.getByRole('button', { name: 'Drop …' }).click()
      await page.getByRole('button', { name: 'Drop this CDR' }).click()
      await expect.poll(async () => Number((await count.allInnerTexts())[0] ?? 0)).toBe(before - 1)
    })

    test('a setting is changed, and the log says who did it', async () => {
      const page = await aSignedPage(served, { path: '/#/settings?setting=Use_strong_passwords' })
      const strong = page.getByRole('switch', { name: 'Strong passwords' })
      await expect.poll(() => strong.evaluate((element) => element === document.activeElement)).toBe(true)
      await strong.check()
      await page.getByLabel('Maximum devices').fill('many')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Device_Limit takes a whole number or nothing').waitFor()
      await page.getByLabel('Maximum devices').fill('5000')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Customers and devices: saved.').waitFor()
      const index = page.getByRole('navigation', { name: 'Groups of settings' })
      await index.getByRole('link', { name: 'Log' }).click()
      await page
        .getByRole('grid', { name: 'Log of changes' })
        .getByRole('gridcell', { name: 'Use_strong_passwords' })
        .first()
        .waitFor()
    })

    test('a setting that a link of the page named leads back to it when it is saved', async () => {
      const page = await aSignedPage(served, { path: '/#/billing?view=month' })
      await page.getByRole('tab', { name: '1 Check' }).waitFor()
      await page.evaluate("location.hash = '#/settings?setting=Use_strong_passwords'")
      await page.getByLabel('Maximum devices').fill('5001')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Customers and devices: saved.').waitFor()
      await page.getByRole('tab', { name: '1 Check' }).waitFor()
    })
  })

  describe('the explorer', () => {
    test('signs and sends a call with Enter, and shows the answer as a table, a tree and XML', async () => {
      const page = await aSignedPage(served, { path: '/#/explorer/devices_get' })
      await giveKey(page)
      await page.getByLabel('user_id').fill('10')
      await expect
        .poll(() => page.getByTestId('string').innerText())
        .toMatch(/^user_id\s+10\s+and the\s*secret key$/)
      expect((await page.getByTestId('string').boundingBox())?.height).toBeLessThan(60)
      await expect
        .poll(() => page.getByTestId('hash').innerText())
        .toBe('697f723e7fee87cc5c2179bdc011c4483023a308')

      await page.getByLabel('user_id').press('Enter')
      const answer = page.getByRole('region', { name: 'Answer', exact: true })
      await answer.getByRole('gridcell', { name: 'carol.mobile' }).waitFor()
      await expect.poll(() => answer.evaluate((element) => element === document.activeElement)).toBe(true)
      await expect.poll(() => answer.evaluate(isInView)).toBe(true)
      await answer.getByRole('tab', { name: 'Tree' }).click()
      await expect.poll(() => answer.innerText()).toContain('username carol.mobile')
      await answer.getByRole('tab', { name: 'Tree' }).press('ArrowRight')
      await expect
        .poll(() => page.getByRole('tabpanel').locator('.code').innerText())
        .toMatch(/^<page>\n {2}<devices>\n {4}<device>\n {6}<device_id>10<\/device_id>/)
      const download = page.waitForEvent('download')
      await answer.getByRole('button', { name: 'Download the answer' }).click()
      expect((await download).suggestedFilename()).toBe('devices_get.xml')
    })

    test('two quick arrow keys move by two tabs', async () => {
      const page = await aSignedPage(served, { path: '/#/customers/10' })
      await page.getByRole('tab', { name: 'Summary' }).focus()
      await page.evaluate(() => {
        for (const key of ['ArrowRight', 'ArrowRight'])
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      })

      await page.getByRole('tab', { name: 'Devices', selected: true }).waitFor()
    })

    test("folds old clients' parameters, names unread values, renders hints, pages and sorts", async () => {
      const page = await aSignedPage(served, { path: '/#/explorer/user_calls_get' })
      await giveKey(page)
      await page.getByLabel('only_did').waitFor({ state: 'hidden' })
      await page.getByText('7 parameters that only old clients send').click()
      await page.getByLabel('only_did').waitFor()
      expect(await page.getByRole('form', { name: 'Request' }).innerText()).not.toContain('`')

      await page.getByLabel('period_start').fill('2026-10-01')
      await page.getByText('Not read: an ISO date; a timestamp is 1790812800').waitFor()
      await page.getByLabel('period_start').fill(String(Math.floor(Date.now() / 1000) - 7 * 86_400))
      await page.getByRole('button', { name: 'Send' }).click()
      const answer = page.getByRole('region', { name: 'Answer', exact: true })
      await answer.getByText(/^1–100 of \d+$/).waitFor()
      await answer.getByRole('button', { name: 'Next' }).click()
      await answer.getByText(/^101–\d+ of \d+$/).waitFor()
      const billsec = answer.getByRole('columnheader', { name: 'billsec', exact: true })
      await billsec.getByRole('button').click()
      await billsec.getByRole('button').click()
      await expect.poll(() => billsec.getAttribute('aria-sort')).toBe('descending')
      const [first = 0, second = 0] = (await answer.locator('td:nth-child(6)').allInnerTexts()).map(Number)
      expect(first).toBeGreaterThanOrEqual(second)
      expect(await billsec.evaluate((element) => getComputedStyle(element).textAlign)).toBe('right')
    })

    test('a link reopens the call, and holds no secret', async () => {
      const page = await aSignedPage(served, { path: '/#/explorer/device_create' })
      await giveKey(page)
      await page.getByLabel('user_id').fill('10')
      await page.getByRole('textbox', { name: 'pin' }).fill('4711')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('tab', { name: 'History (1)' }).click()
      await page.getByRole('link', { name: /^device_create u=/ }).waitFor()

      const link = '#/explorer/device_create?u=admin&user_id=10'
      await expect
        .poll(() => page.getByRole('link', { name: 'Link to this call' }).getAttribute('href'))
        .toBe(link)
      expect(await page.locator('#console').innerHTML()).not.toMatch(/demo-secret-key|[0-9a-f]{40}[^<]*<a/)

      const other = await aSignedPage(served, { path: `/${link}` })
      await giveKey(other)
      await expect.poll(() => other.getByLabel('user_id').inputValue()).toBe('10')
    })

    test('an address that names no section says so, as one that names no method', async () => {
      const page = await aSignedPage(served, { path: '/#/constructor%' })
      await page.getByText('No page at #/constructor%').waitFor()
      await page.getByRole('link', { name: 'Go to the first page' }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await page.goto(`${served.url}/#/explorer/constructor`)
      await giveKey(page)
      await page.getByText('There is no method constructor.').waitFor()
    })
  })

  test('the page of refused hashes begins with the remedy, the right hash and request', async () => {
    const page = await aSignedPage(served, { path: '/#/refused-hash' })
    await giveKey(page, 'wrong-key')
    await page.getByText('Incorrect hash: this is not the secret key').waitFor()
    await giveKey(page)
    const explain = async (line: string) => {
      await page.getByLabel('The call').fill(line)
      await page.getByRole('button', { name: 'Explain the hash' }).click()
    }
    await explain('good morning')
    await page.getByRole('alert').filter({ hasText: 'No API call recognised' }).waitFor()
    await explain(
      `curl -d 'u=admin&currency=EUR&rate=0.925&hash=da147c8ede91d6a5ab48af7e524c9a95f5bd2d59' ${served.url}/api/exchange_rate_update`,
    )

    const told = await page.getByRole('region', { name: 'Verdict' }).innerText()
    expect(told).toMatch(/Sign currency \+ rate \+ key\.\s+The hash was made of rate \+ currency \+ key/)
    const hash = createHash('sha1').update('EUR0.925demo-secret-key').digest('hex')
    expect(told).toContain(`--data-urlencode 'hash=${hash}'`)
    expect(told).not.toContain('demo-secret-key')
    await page
      .getByRole('textbox', { name: 'Uniquehash of the account' })
      .fill('3f5c08a41f5ba3c4612abdbdb4d3077a')
    await explain('devices_get u=bob user_id=10 hash=3f5c08a41f5ba3c4612abdbdb4d3077a')
    await page.getByText('The uniquehash of the account was sent instead of a hash.').waitFor()
    await explain(`exchange_rate_update u=admin currency=EUR rate=0.925 hash=${hash}`)
    await page.getByRole('status').filter({ hasText: 'The hash is right' }).waitFor()
    await explain(`curl -d u=bob -H 'Tollgate-Signature: 00' ${served.url}/api/devices_get`)
    const digest = createHash('sha256').update('u=bob').digest('hex')
    await page.getByText(digest).waitFor()
  })

  describe('the page of a customer', () => {
    test('works by keyboard alone: a price, a secret on demand, the language, a PDF and a CSV', async () => {
      const page = await aCustomersPage(served)
      await page.getByRole('link', { name: 'Prices' }).press('Enter')
      await page.getByLabel('Number').fill('+44 20 7946 0000')
      await page.getByLabel('Number').press('Enter')
      await page.getByText('United Kingdom London (4420)').waitFor()
      await page.getByLabel('Destination or prefix').fill('germany berlin')
      await page.getByLabel('Destination or prefix').press('Enter')
      await page.getByRole('cell', { name: 'Germany Berlin' }).waitFor()

      await page.getByRole('link', { name: 'Devices' }).press('Enter')
      const device = page.getByRole('region', { name: 'SIP carol.mobile' })
      expect(await device.getByRole('button', { name: 'Copy: Secret' }).count()).toBe(0)
      await device.getByRole('button', { name: 'Show' }).press('Enter')
      await device.getByRole('button', { name: 'Copy: Secret' }).waitFor()
      await device.getByRole('button', { name: 'Hide' }).press('Enter')
      await device.getByRole('button', { name: 'Copy: Secret' }).waitFor({ state: 'detached' })

      await page.getByRole('link', { name: 'Account' }).press('Enter')
      await page.getByLabel('Language').selectOption('Deutsch')
      await page.getByRole('link', { name: 'Dokumente' }).press('Enter')
      const pdf = page.waitForEvent('download')
      await page.getByRole('button', { name: 'A-1010-2 als PDF speichern' }).press('Enter')
      expect(readFileSync(await (await pdf).path(), 'latin1').slice(0, 5)).toBe('%PDF-')
      expect((await pdf).suggestedFilename()).toBe('A-1010-2.pdf')
      await page.getByRole('link', { name: 'Anrufe' }).press('Enter')
      await page.goto(callsOfAMonth(served.url))
      await page.getByRole('cell', { name: 'angenommen' }).first().waitFor()
      const csv = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Als CSV speichern' }).press('Enter')
      const lines = readFileSync(await (await csv).path(), 'utf8')
        .trim()
        .split('\r\n')
      expect(lines[0]).toBe('Zeit,Anrufer,Angerufen,Ziel,Status,Dauer (s),Preis (USD)')
      expect(lines.filter((line) => line.includes(',USA,')).length).toBeGreaterThan(10)
      expect(lines.length).toBeGreaterThan(100)
    })

    test('an invoice is read on the screen', async () => {
      const page = await aCustomersPage(served, { path: '/#/documents' })
      await page.getByRole('link', { name: 'A-1010-2' }).click()
      await page.getByRole('heading', { level: 1, name: 'A-1010-2' }).waitFor()
      await page.frameLocator('iframe').getByText('Potomac Tidewater Telecom').first().waitFor()
      await page.locator('.page-header').getByRole('link').click()
      await page.getByRole('cell', { name: 'A-1010-1', exact: true }).waitFor()
    })

    test('shows what months cost and where calls went; address and email are changed', async () => {
      const page = await aCustomersPage(served, {}, 'dave_workshop', 'demo-dave')
      await page.getByRole('figure', { name: 'Spending by month, USD' }).waitFor()
      await page.getByRole('link', { name: 'Calls' }).click()
      await page.goto(callsOfAMonth(served.url))
      await page.getByRole('columnheader', { name: 'Destination' }).waitFor()
      await page.getByRole('cell', { name: 'USA', exact: true }).first().waitFor()
      await page.getByRole('link', { name: 'Account' }).click()
      await page.getByLabel('Street').fill('1 Example Street')
      await page
        .getByRole('form', { name: 'Address and phone' })
        .getByRole('button', { name: 'Save' })
        .click()
      const stored = async () => (await findWholeAccount(served.store, 11)) ?? { address: '', email: '' }
      await expect.poll(async () => (await stored()).address, { timeout: 60_000 }).toBe('1 Example Street')
      const email = page.getByRole('form', { name: 'Email' })
      await email.getByLabel('Email').fill('dave@new.example')
      await email.getByRole('textbox', { name: 'Current password' }).fill('wrong')
      await email.getByRole('button', { name: 'Save' }).click()
      await email.getByText('The current password is wrong.').waitFor()
      await email.getByRole('textbox', { name: 'Current password' }).fill('demo-dave')
      await email.getByRole('button', { name: 'Save' }).click()
      await expect.poll(async () => (await stored()).email, { timeout: 60_000 }).toBe('dave@new.example')
    })

    test('has the name and the colour of its reseller, also at the next sign-in', async () => {
      await served.store.transact(putBrand(2, { logo: '', colour: '#f2b705', footer: '' }))
      const page = await aCustomersPage(served, {}, 'nw_bakery', 'demo-bakery')
      await page.getByText('Northwind Voice').first().waitFor()
      await expect.poll(() => page.evaluate(primaryColour)).toBe('#f2b705')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { level: 1, name: 'Northwind Voice' }).waitFor()
    })

    test('a customer is told that the page is switched off', async () => {
      const page = await aPage(served)
      const set = async (after: string) => {
        const by = { as: 'admin', now: new Date() }
        await carryOutAs(served.store, setSetting, by, { name: 'Customer_Page', value: after })
        // The settings are remembered for a second.
        await page.waitForTimeout(1100)
      }
      await set('off')
      await signIn(page, { username: 'carol' })
      await page.getByText('This page is switched off for customers.').waitFor()
      await set('on')
    })

    test('axe-core finds nothing in it on a dark phone, and nothing scrolls sideways', async () => {
      const page = await aCustomersPage(
        served,
        { colorScheme: 'dark', width: 375 },
        'dave_workshop',
        'demo-dave',
      )
      for (const view of OWN_VIEWS) {
        await page.goto(`${served.url}/#/${view}`)
        await settled(page)
        await expectSound(page, view)
      }
    })
  })

  test('a slow preview of one file is not shown for another that was chosen after it', async () => {
    const page = await aSignedPage(served, { path: '/#/imports' })
    let release = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    let asked = 0
    await page.route('**/imports/users?*', async (route) => {
      asked += 1
      if (asked === 1) await slow
      await route.continue()
    })
    const name = 'users.csv'
    const choose = (text: string) =>
      page.getByLabel('File', { exact: true }).setInputFiles({
        ...{
          name,
          mimeType: 'text/csv',
          buffer: Buffer.from(`id,username,usertype,owner_id,password\n${text}`),
        },
      })
    const first = page.waitForRequest('**/imports/users?*')
    await choose('901,nina,user,0,A l0ng password\n902,nora,user,0,A l0ng password')
    const request = await first
    await choose('903,nell,user,0,A l0ng password')
    await page.getByText('This file has 1 row').waitFor()
    release()
    await (await request.response())?.finished()
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByText('Imported: 1 row').waitFor()
    await choose('903,nell,user,0,')
    await page.getByText('There is nothing to import.').waitFor()
    expect(await page.getByRole('button', { name: /^Import \d/ }).count()).toBe(0)
  })

  test('a mended file of the same name is read again, as what its name says', async () => {
    const page = await aSignedPage(served, { path: '/#/imports' })
    const path = join(mkdtempSync(join(tmpdir(), 'tollgate-upload-')), 'services.csv')
    for (const [owner, said] of [
      ['no-such-owner', '0 new'],
      ['0', '1 new'],
    ] as const) {
      writeFileSync(path, `id,owner_id,name\n950,${owner},Router\n`)
      const chooser = page.waitForEvent('filechooser')
      await page.getByLabel('File', { exact: true }).click()
      await (await chooser).setFiles(path)
      await page.getByText(`This file has 1 row: ${said}`).waitFor()
    }
    expect(await page.getByLabel('What it has').inputValue()).toBe('services')
  })

  test('an endpoint without an event is told to choose one', async () => {
    const page = await aSignedPage(served, { path: '/#/webhooks' })
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    await page.getByLabel('Address').fill('https://example.com/hook')
    await page.getByRole('button', { name: 'Add the endpoint' }).click()
    await page.getByText('Choose at least one event').waitFor()
  })

  test('a note on a customer is written on its page, and a colleague reads it there', async () => {
    const page = await aSignedPage(served, { path: '/#/customers/11', width: 375 })
    await page.getByRole('textbox', { name: 'Note' }).fill('Calls back after 5')
    await page.getByRole('button', { name: 'Save the note' }).click()
    await page.getByText('The note is saved.').waitFor()
    await expectSound(page, 'the note on a customer')
    const colleague = await aSignedPage(served, { path: '/#/customers/11' }, 'alice_accounting')
    await colleague.getByText('Calls back after 5').waitFor()
  })

  test('a row of a bank file is answered on a phone', async () => {
    const page = await aSignedPage(served, { path: '/#/billing?view=bank-file', width: 375 })
    const buffer = Buffer.from(
      'Date,Counterparty,Description,Amount\n2026-03-02,Nobody Known,thank you,"1,055.50"',
    )
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
    await page.getByLabel('Row 1: invoice, or @ and an account').fill('skip')
    await page.getByText('1,055.50').waitFor()
    await page.getByRole('button', { name: 'Apply the answers' }).click()
    await page.getByText('to answer: 0').waitFor()
  })

  // At night all of them, with their dialogs (test/console/looks.sweep.test.ts).
  test('axe-core finds nothing in a third of the views on a dark phone, and nothing scrolls sideways', async () => {
    const page = await aSignedPage(served, { colorScheme: 'dark', width: 375 })
    await page.evaluate(() => sessionStorage.setItem('tollgate-key', 'demo-secret-key'))
    for (const view of VIEWS.filter((_view, index) => index % 3 === 0)) {
      await page.goto(`${served.url}/#/${view}`)
      await settled(page)
      await expectSound(page, view)
    }
  })
})

const primaryColour = () => document.documentElement.style.getPropertyValue('--primary')

const isInView = (element: Element): boolean => {
  const { top, bottom, left } = element.getBoundingClientRect()
  return top >= 0 && top < innerHeight && bottom > 0 && left < innerWidth
}
