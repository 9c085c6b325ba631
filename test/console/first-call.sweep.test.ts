import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aSignedPage, expectSound, serveConsole, settled } from '#test/console/console-pages.ts'
import { keyboardOn } from '#test/console/keyboard.ts'
import { TASKS } from '#test/console/tasks.ts'
import { shareOf } from '#test/sweep.ts'
import { firstCall } from './first-call.ts'

const served = await serveConsole()

describe.runIf(served.browser)('in a browser', () => {
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

  test('a share of the tasks of an operator is done by keyboard, and the focus is never lost', async () => {
    const page = await aSignedPage(served, { width: 1440 })
    const path = join(await mkdtemp(join(tmpdir(), 'tollgate-sheet-')), 'sheet.csv')
    await writeFile(path, 'Destination,Code,Rate\nGermany,49,0.02\nFrance,33,0.03\n')
    for (const { name, keys, run, isOpenerGone = false } of shareOf(TASKS, 5)) {
      await page.goto(`${served.url}/#/overview`)
      await settled(page)
      const keyboard = keyboardOn(page)
      await run(keyboard, { url: served.url, path })
      await settled(page)
      const isKept = isOpenerGone || (await page.evaluate('document.activeElement !== document.body'))
      expect
        .soft({ name, isKept, pressed: keyboard.pressed() })
        .toEqual({ name, isKept: true, pressed: keys })
      await expectSound(page, name)
    }
  })
})
