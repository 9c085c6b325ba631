import { mkdir } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import type { Browser, Page } from 'playwright-core'
import { LANGUAGE, openBrowser } from '#test/console/browser.ts'
import { startDemo } from '#test/console/demo-server.ts'
import { demoKey } from '#tools/contracts/generated-files.ts'
import { root } from '#tools/machine/program.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { startEngine } from '#tools/server/engine.ts'

const FOLDER = `${root}docs/images`

interface Picture {
  readonly name: string
  readonly place: string
  readonly height: number
  /** The steps before the picture is taken. */
  readonly act: (page: Page) => Promise<unknown>
}

const LOOK = { ...LANGUAGE, colorScheme: 'light' } as const
const WIDTH = 1280

const CALL = `curl -d 'u=admin&currency=EUR&rate=0.925&hash=da147c8ede91d6a5ab48af7e524c9a95f5bd2d59' http://localhost:3000/api/exchange_rate_update`

const explain = async (page: Page) => {
  await page.getByLabel('The call').fill(CALL)
  await page.getByRole('button', { name: 'Explain the hash' }).click()
  await page.getByRole('region', { name: 'Verdict' }).waitFor()
}

/** Signed in, and everything is there. */
const settled = async (page: Page) => {
  await page.getByRole('button', { name: /^Account of/ }).waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await page.locator('main :is(table, .empty):visible').first().waitFor()
}

const openFirst = (name: RegExp) => async (page: Page) => {
  await settled(page)
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('dialog').getByText('Price').first().waitFor()
}

const MONTH = 'overview?range=30&measure=revenue'

const PICTURES: readonly Picture[] = [
  { name: 'overview', place: MONTH, height: 1100, act: settled },
  { name: 'calls', place: 'calls?range=30', height: 860, act: openFirst(/^\d{4}-/) },
  { name: 'refused-hash', place: 'refused-hash', height: 860, act: explain },
]

async function takePictures(browser: Browser, url: string): Promise<void> {
  for (const { name, place, height, act } of PICTURES) {
    const context = await browser.newContext({ ...LOOK, viewport: { width: WIDTH, height } })
    const page = await context.newPage()
    // The page of refused hashes keeps the key for the life of a tab.
    await page.addInitScript((key) => sessionStorage.setItem('tollgate-key', key), demoKey())
    await page.goto(`${url}/#/${place}`)
    await page.getByRole('button', { name: 'Fill in' }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await act(page)
    await page.screenshot({ path: `${FOLDER}/${name}.png` })
    await context.close()
  }
}

export const declare = (command: Command) =>
  command.description('It opens the console on the demo and writes into docs/images/.').action(async () => {
    const browser = await openBrowser()
    if (!browser) throw new CommandError('No Chromium is installed: install Chrome')
    await mkdir(FOLDER, { recursive: true })
    const engine = await startEngine()
    const demo = await startDemo(engine.endpoint)
    try {
      await takePictures(browser, demo.url)
    } finally {
      await browser.close()
      await demo.stop()
      await engine.stop()
    }
  })
