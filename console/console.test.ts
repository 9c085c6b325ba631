import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  aPage,
  aSignedPage,
  type Look,
  serveConsole,
  signIn,
  violationsOn,
} from '#test/console/console-pages.ts'
import { runs } from '#test/sweep.ts'
import { buildConsole } from '#tools/server/console-routes.ts'
import { CONSOLE_HEADERS, CONSOLE_PATHS } from './served/console-file.ts'

const served = await serveConsole()

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

test('the first view is small', async () => {
  const files = ['/', '/console/console.js', '/console/console.css']
  const sizes = files.map(async (path) => gzipSync(await (await fetch(served.url + path)).text()).length)

  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000)
})

test('in CI there is a browser', () => {
  expect(served.browser !== undefined || process.env['CI'] === undefined).toBe(true)
})

describe.runIf(served.browser)('in a browser', () => {
  describe('sign-in', () => {
    test('says that the key is wrong, then that the name is, and then signs in for the life of the tab', async () => {
      const page = await aPage(served)
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
      const page = await aSignedPage(served, { path: '/#/devices' }, 'carol')
      await page.getByLabel('Customer').fill('10')
      await page.getByRole('button', { name: 'Show devices' }).click()
      await page.getByRole('alert').filter({ hasText: 'This account may not see that.' }).waitFor()
    })

    test('every page says what to do about a key that is no longer the right one', async () => {
      const page = await aSignedPage(served, { path: '/#/invoices' })
      await page.evaluate(() =>
        sessionStorage.setItem('tollgate', JSON.stringify({ username: 'admin', key: 'earlier' })),
      )
      await page.reload()
      await page.getByRole('alert').filter({ hasText: 'sign in with the right one' }).waitFor()
    })

    test('tells the secrets of the demo where its data is served, and nowhere else', async () => {
      const page = await aPage(served)
      await page.getByRole('button', { name: 'Fill in' }).click()
      expect(await page.getByRole('textbox', { name: 'Secret key' }).inputValue()).toBe('demo-secret-key')

      for (const text of Object.values(await buildConsole()).slice(0, 4))
        expect(text).not.toContain('demo-secret')
    })
  })

  describe('the explorer', () => {
    test('signs and sends a call with Enter, and shows the answer in view as a table, as a tree and as XML', async () => {
      const page = await aSignedPage(served, { path: '/#/explorer/devices_get' })
      await page.getByLabel('user_id').fill('10')
      expect(await page.getByTestId('string').innerText()).toMatch(/^user_id\s+10\s+and the\s+secret key$/)
      await expect
        .poll(() => page.getByTestId('hash').innerText(), { timeout: 20_000 })
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
      const page = await aSignedPage(served, { path: '/#/explorer/user_calls_get' })
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
      const page = await aSignedPage(served, { path: '/#/explorer/device_create' }, 'carol')
      await page.getByLabel('user_id').fill('10')
      await page.getByRole('textbox', { name: 'pin' }).fill('4711')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('tab', { name: 'History (1)' }).click()
      await page.getByRole('link', { name: /^device_create u=/ }).waitFor()

      const link = await page.getByRole('link', { name: 'Link to this call' }).getAttribute('href')
      expect(link).toBe('#/explorer/device_create?u=carol&user_id=10')
      expect(await page.locator('#console').innerHTML()).not.toMatch(/demo-secret-key|[0-9a-f]{40}[^<]*<a/)

      const other = await aSignedPage(served, { path: `/${link}` })
      expect(await other.getByLabel('user_id').inputValue()).toBe('10')
    })

    test('an address that names no part, or no method, shows it', async () => {
      const page = await aSignedPage(served, { path: '/#/doctor' })
      for (const place of ['constructor', '__proto__', 'explorer/constructor']) {
        await page.goto(`${served.url}/#/doctor`)
        await page.goto(`${served.url}/#/${place}`)
        await page.getByRole('navigation', { name: 'Methods' }).waitFor()
      }
      await page.getByText('There is no method constructor.').waitFor()
    })
  })

  test('the doctor says the remedy first, with the hash and the request as they should be', async () => {
    const page = await aSignedPage(served, { path: '/#/doctor' })
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
    await explain(`exchange_rate_update u=admin currency=EUR rate=0.925 hash=${hash}`)
    await page.getByRole('status').filter({ hasText: 'The hash is right' }).waitFor()
  })

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
      const page = await aPage(served, look)
      expect(await violationsOn(page)).toEqual([])
      await signIn(page)
      for (const view of views) {
        await page.goto(`${served.url}/#/${view}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await expect.poll(() => page.locator('.skeleton').count(), { timeout: 20_000 }).toBe(0)
        expect(await violationsOn(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      }
    },
  )
})

const isInView = (element: Element): boolean => {
  const { top, bottom, left } = element.getBoundingClientRect()
  return top >= 0 && top < innerHeight && bottom > 0 && left < innerWidth
}
