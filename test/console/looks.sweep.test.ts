import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { CUSTOMER_LANGUAGES } from '#lib/base/language/language.ts'
import { accountKey, callerKey } from '#lib/table/keys.ts'
import { IN_A_BROWSER } from '#test/console/browser.ts'
import {
  aCustomersPage,
  addVersionsAndKey,
  aSignedPage,
  expectSound,
  expectSoundDialog,
  firstOpeners,
  type Look,
  OWN_VIEWS,
  type ServedConsole,
  serveConsole,
  settled,
  VIEWS,
} from '#test/console/console-pages.ts'
import { SHARE, shareOf } from '#test/sweep.ts'
import { writeFirstDataset } from '#tools/commands/init/init.ts'

/** The folder of `npx tollgate init`: an installation of the first day. */
const empty = mkdtempSync(join(tmpdir(), 'tollgate-first-day-'))
const PASSWORD = 'a-password-of-the-first-day'
await writeFirstDataset(empty, {
  company: 'First Day',
  currency: 'EUR',
  timezone: 'UTC',
  countryCode: '',
  carrier: 'e164',
  password: PASSWORD,
})

const served = await serveConsole()
const firstDay = await serveConsole(empty)
beforeAll(() => addVersionsAndKey(served))

const LOOKS: readonly Look[] = [
  { colorScheme: 'light', width: 375 },
  { colorScheme: 'dark', width: 375 },
  { colorScheme: 'dark' },
  { colorScheme: 'light' },
]

/** By day each case has one of the looks, in turn; at night both. */
const inTurn = (looks: readonly Look[], turn: number): readonly Look[] =>
  SHARE === 1 ? looks : looks.filter((_look, index) => index === turn % looks.length)

const lookAt = async (page: Page, { url }: ServedConsole, view: string) => {
  await page.goto(`${url}/#/${view}`)
  await page.evaluate("sessionStorage.setItem('tollgate-key', 'demo-secret-key')")
}

describe.runIf(served.browser)('in a browser', IN_A_BROWSER, () => {
  test.each(LOOKS.map((look, turn) => [look, turn] as const))(
    'a share of the views of an admin is sound, and so is each dialog, opened and closed by keyboard: %j',
    async (look, turn) => {
      const page = await aSignedPage(served, look)
      for (const view of shareOf(VIEWS, turn)) {
        await lookAt(page, served, view)
        await settled(page)
        await expectSound(page, view)
        for (const place of await firstOpeners(page)) await expectSoundDialog(page, view, place)
      }
    },
  )

  test.each([
    ['alice_accounting', 0],
    ['northwind', 1],
  ])('every section of %s is sound, and refuses nothing', async (username, turn) => {
    for (const look of inTurn([{ colorScheme: 'dark', width: 375 }, { colorScheme: 'light' }], turn)) {
      const page = await aSignedPage(served, look, username)
      const links = page
        .getByRole('navigation', { name: 'Sections of the console', includeHidden: true })
        .first()
      const sections = await links
        .locator('a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
      expect(sections.length).toBeGreaterThan(3)
      for (const section of sections) {
        await lookAt(page, served, section.replace('#/', ''))
        await settled(page)
        expect([section, await page.getByRole('alert').allInnerTexts()]).toEqual([section, []])
        await expectSound(page, section)
      }
    }
  })

  test.each(CUSTOMER_LANGUAGES.map((language, turn) => [language, turn] as const))(
    'every view of a customer is sound in %s',
    async (language, turn) => {
      for (const key of [callerKey('carol'), accountKey(10)])
        await served.store.update(key, { set: { language } })
      for (const look of inTurn([{ colorScheme: 'dark', width: 768 }, { width: 1440 }], turn)) {
        const page = await aCustomersPage(served, look)
        for (const view of OWN_VIEWS) {
          await lookAt(page, served, view)
          await settled(page)
          expect([view, await page.getByRole('alert').allInnerTexts()]).toEqual([view, []])
          await expectSound(page, view)
        }
      }
    },
  )

  /** The views that show nothing but what the API answers. */
  const ANSWERED = VIEWS.filter((view) => !/refused-hash|explorer/.test(view))

  test('every view says that the API failed, and offers to retry', async () => {
    const page = await aSignedPage(served, { ...LOOKS[0], path: '/#/refused-hash' })
    const error = { code: 'internal', message: 'Internal error' }
    await page.route(/console\/api\/(?!session)/, (route) => route.fulfill({ status: 500, json: { error } }))
    for (const view of shareOf(ANSWERED, 0)) {
      await lookAt(page, served, view)
      await page.getByRole('alert').filter({ hasText: 'Internal error' }).first().waitFor()
      await page.getByRole('button', { name: 'Retry' }).first().waitFor()
      await expectSound(page, view)
    }
  })

  test('every view has the shape of what comes while the API is slow', async () => {
    const page = await aSignedPage(served, { ...LOOKS[0], path: '/#/refused-hash' })
    await page.route(/console\/api\/(?!session)/, () => undefined)
    for (const view of shareOf(ANSWERED, 1)) {
      await lookAt(page, served, view)
      await page.locator('.skeleton').first().waitFor()
      await expectSound(page, view)
    }
  })

  test.each(LOOKS.slice(0, 2))(
    'every section of an installation of the first day is sound, without an alert: %j',
    async (look) => {
      const page = await aSignedPage(firstDay, look, 'admin', PASSWORD)
      for (const view of [
        ...ANSWERED.filter((one) => !one.includes('/')),
        'calls?range=today',
        'reports?by=customer',
      ]) {
        await lookAt(page, firstDay, view)
        await settled(page)
        expect([view, await page.getByRole('alert').allInnerTexts()]).toEqual([view, []])
        await expectSound(page, view)
      }
    },
  )
})
