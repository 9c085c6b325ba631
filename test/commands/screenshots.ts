import { mkdir } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import type { Browser, Page } from 'playwright-core'
import { LANGUAGE, openBrowser } from '#test/console/browser.ts'
import { startDemo } from '#test/console/demo-server.ts'
import { demoKey } from '#tools/contracts/generated-files.ts'
import { root } from '#tools/machine/location.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { startEngine } from '#tools/server/engine.ts'

const FOLDER = `${root}docs/images`

interface Picture {
  readonly name: string
  readonly place: string
  readonly look: { readonly colorScheme: 'light' | 'dark'; readonly width: number; readonly height: number }
  /** The steps before the picture is taken. */
  readonly act: (page: Page) => Promise<unknown>
}

const LIGHT = { colorScheme: 'light', width: 1280, height: 860 } as const
const DARK = { colorScheme: 'dark', width: 1280, height: 860 } as const

const CALL = `curl -d 'u=admin&currency=EUR&rate=0.925&hash=da147c8ede91d6a5ab48af7e524c9a95f5bd2d59' http://localhost:3000/api/exchange_rate_update`

const send = async (page: Page) => {
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('region', { name: 'Answer', exact: true }).getByRole('table').first().waitFor()
}

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

const editDevice = async (page: Page) => {
  await settled(page)
  await page.getByRole('button', { name: 'Actions of device 11' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Extension').waitFor()
}

const lookUp = async (page: Page) => {
  await page.getByRole('combobox', { name: 'Customer' }).fill('carol')
  await page.getByRole('textbox', { name: 'Number' }).fill('+370 612 34567')
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByRole('region', { name: 'Price' }).waitFor()
}

const EXPLORER = 'explorer/devices_get?user_id=10'
const MONTH = 'overview?range=30&measure=revenue'

const PICTURES: readonly Picture[] = [
  { name: 'overview', place: MONTH, look: { ...LIGHT, height: 1100 }, act: settled },
  { name: 'overview-dark', place: MONTH, look: { ...DARK, height: 1100 }, act: settled },
  { name: 'devices', place: 'customers/10/devices', look: LIGHT, act: editDevice },
  { name: 'calls', place: 'calls?range=30', look: LIGHT, act: openFirst(/^\d{4}-/) },
  { name: 'tariffs', place: 'tariffs', look: LIGHT, act: lookUp },
  { name: 'explorer', place: EXPLORER, look: LIGHT, act: send },
  { name: 'explorer-dark', place: EXPLORER, look: DARK, act: send },
  { name: 'refused-hash', place: 'refused-hash', look: LIGHT, act: explain },
]

async function takePictures(browser: Browser, url: string): Promise<void> {
  for (const { name, place, look, act } of PICTURES) {
    const { colorScheme, ...viewport } = look
    const context = await browser.newContext({ ...LANGUAGE, colorScheme, viewport })
    const page = await context.newPage()
    // The key of the explorer is kept for the life of a tab.
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
