import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { IN_A_BROWSER } from '#test/console/browser.ts'
import {
  aCustomersPage,
  aSignedPage,
  OWN_VIEWS,
  serveConsole,
  settled,
  VIEWS,
} from '#test/console/console-pages.ts'

const served = await serveConsole()

/** Addresses of lists that find nothing, though the demo has rows of each. */
const NARROWED = [
  'suspense?reason=ambiguous_time',
  'calls?range=7&cause=999',
  'customers?search=nobody-of-this-name',
  'billing?status=pending',
  'billing?dated-till=2000-01-01',
  'tariffs/1?prefix=999999',
]

/** Rewrites what the console's API answers to reads, but who is signed in. */
const answeringReads = (page: Page, answer: 'refused' | 'never') =>
  page.route(/\/console\/api\/(?!session)/, (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const body = JSON.stringify({ error: { code: 'forbidden', message: 'This account may not.' } })
    return answer === 'refused' ? route.fulfill({ status: 403, body }) : undefined
  })

const open = async (page: Page, view: string) => {
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#/${view}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

/** In these views no list says that it is empty, whose answer is not there. */
async function expectNothingClaimed(page: Page, answer: 'refused' | 'never', views: readonly string[]) {
  await answeringReads(page, answer)
  for (const view of views) {
    await open(page, view)
    await page
      .locator(answer === 'never' ? '.skeleton' : '[role="alert"], .notice')
      .first()
      .waitFor()
    expect(await page.locator('.empty').allInnerTexts(), view).toEqual([])
  }
}

describe.runIf(served.browser)('an empty list', IN_A_BROWSER, () => {
  test('says under a filter that the filter finds nothing, and leads to the whole list', async () => {
    const page = await aSignedPage(served)
    for (const view of NARROWED) {
      await open(page, view)
      await page.getByText(/^No results for/).waitFor()
      expect(await page.locator('.empty').allInnerTexts(), view).toHaveLength(1)
      await page.getByRole('button', { name: 'Show all' }).click()
      await settled(page)
      await expect.poll(() => page.getByText(/^No results for/).count(), { message: view }).toBe(0)
    }
  })

  test.each(['refused', 'never'] as const)('claims nothing of a list whose answer is %s', async (answer) => {
    const page = await aSignedPage(served, { path: '/#/refused-hash' })
    await expectNothingClaimed(
      page,
      answer,
      VIEWS.filter((one) => !/explorer|refused-hash|add=/.test(one)),
    )
  })

  test('says to a customer that nothing begins with what was searched', async () => {
    const page = await aCustomersPage(served)
    for (const view of ['calls?number=999999', 'prices?search=888888']) {
      await open(page, view)
      const said = page.getByText(`No results for “${view.split('=')[1]}”.`)
      // Where a part of the calls was read, the list reads on by itself while its button is in view.
      await said.waitFor()
      expect(await page.locator('.empty').allInnerTexts(), view).toHaveLength(1)
    }
  })

  test.each(['refused', 'never'] as const)(
    'claims nothing to a customer whose answer is %s',
    async (answer) => {
      const page = await aCustomersPage(served, { path: '/#/account' })
      await expectNothingClaimed(
        page,
        answer,
        OWN_VIEWS.filter((one) => one !== 'account'),
      )
    },
  )
})
