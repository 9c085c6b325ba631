import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { IN_A_BROWSER } from '#test/console/browser.ts'
import { aSignedPage, expectSound, serveConsole, settled } from '#test/console/console-pages.ts'
import { keyboardOn } from '#test/console/keyboard.ts'
import { TASKS } from '#test/console/tasks.ts'
import { shareOf } from '#test/sweep.ts'
import { firstCall } from './first-call.ts'

const served = await serveConsole()

const sheet = join(await mkdtemp(join(tmpdir(), 'tollgate-sheet-')), 'sheet.csv')
await writeFile(sheet, 'Destination,Code,Rate\nGermany,49,0.02\nFrance,33,0.03\n')

describe.runIf(served.browser)('in a browser', IN_A_BROWSER, () => {
  test('a customer is added and its first call rated by keyboard, and every step is sound', async () => {
    const page = await aSignedPage(served, { width: 1440 })
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-first-call-'))
    const steps: string[] = []

    await firstCall(page, served.url, async (step) => {
      steps.push(step)
      await page.screenshot({ path: join(folder, `${steps.length}-${step}.png`) })
      await expectSound(page, step)
    })

    expect(steps).toEqual(['customer', 'device', 'switch', 'customers', 'account', 'price'])
    await page.getByText('The customer pays 0.02925 USD').waitFor()
  })

  test.each(shareOf(TASKS, 5))(
    'by keyboard, and the focus is never lost: $name',
    async ({ name, keys, run }) => {
      const page = await aSignedPage(served, { width: 1440 })
      const keyboard = keyboardOn(page)
      await run(keyboard, { url: served.url, path: sheet })
      await settled(page)
      const isKept = await page
        .waitForFunction('document.activeElement !== document.body', undefined, { timeout: 20_000 })
        .then(
          () => true,
          () => false,
        )
      expect({ isKept, pressed: keyboard.pressed() }).toEqual({ isKept: true, pressed: keys })
      await expectSound(page, name)
    },
  )

  test('the focus goes to what took the place of a row, a button or a filter', async () => {
    const suspended = (detail: string) => ({
      ...{ id: detail.padStart(24, '0'), order: `0017731404${detail}#000`, format: 'asterisk-csv', detail },
      ...{ source: 'pbx', zone: 'UTC', reason: 'unreadable', text: 'x' },
    })
    await putSuspended(served.store, [suspended('10'), suspended('11')])
    const page = await aSignedPage(served, { width: 1440, path: '/#/suspense' })
    const keyboard = keyboardOn(page)
    const focused = page.locator(':focus')
    const drop = async () => {
      await keyboard.press('button', 'Not of its format')
      await keyboard.press('button', 'Drop …')
      await expect.poll(() => focused.getAttribute('role')).toBe('status')
      await keyboard.press('button', 'Drop this CDR')
    }

    await drop()
    await page.getByRole('row', { name: 'Not of its format' }).nth(1).waitFor({ state: 'detached' })
    await expect.poll(() => focused.innerText()).toBe('Not of its format')
    await drop()
    await page.getByText('No suspended CDRs').waitFor()
    await expect.poll(() => focused.innerText()).toContain('No suspended CDRs')

    await page.goto(`${served.url}/#/calls?number=44&cause=16`)
    await keyboard.press('button', 'Remove the filter Number begins with')
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Remove the filter Cause')

    // A device of Carol may have a number, which a task has given it.
    await page.goto(`${served.url}/#/customers/11/devices`)
    await settled(page)
    const names = await page.locator('tbody .link').allInnerTexts()
    await keyboard.press('button', names[1] ?? '')
    await keyboard.press('button', 'Delete …')
    await keyboard.press('button', /^Delete /)
    await page.getByText('is deleted.').waitFor()
    await page.getByRole('row', { name: names[1] ?? '' }).waitFor({ state: 'detached' })
    await expect.poll(() => focused.innerText()).toBe(names[2] ?? names[0])
  })
})
