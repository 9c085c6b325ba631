import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aSignedPage, serveConsole, settled, VIEWS } from '#test/console/console-pages.ts'

const served = await serveConsole()

/** Addresses of lists that find nothing, though the demo has rows of each. */
const NARROWED = [
  'suspense?reason=ambiguous_time',
  'calls?range=7&cause=999',
  'customers?search=nobody-of-this-name',
  'billing?status=pending',
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

describe.runIf(served.browser)('an empty list', () => {
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
    await answeringReads(page, answer)
    for (const view of VIEWS.filter((one) => !/explorer|refused-hash|add=/.test(one))) {
      await open(page, view)
      await page
        .locator(answer === 'never' ? '.skeleton' : '[role="alert"], .notice')
        .first()
        .waitFor()
      expect(await page.locator('.empty').allInnerTexts(), view).toEqual([])
    }
  })
})
