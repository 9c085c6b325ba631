import { mkdir } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import type { Browser, Page } from 'playwright-core'
import { LANGUAGE, openBrowser } from '#test/console/browser.ts'
import { root } from '#tools/machine/location.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { startDemo } from '#tools/server/demo-server.ts'
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
const PHONE = { colorScheme: 'light', width: 390, height: 844 } as const

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

const showMonth = async (page: Page) => {
  await page.getByRole('tab', { name: '30 days' }).click()
  await page.getByRole('figure', { name: 'Calls by day' }).waitFor()
  await page.getByText('Named by the tariff').waitFor()
}

const listDevices = async (page: Page) => {
  await page.getByLabel('Customer').fill('10')
  await page.getByRole('button', { name: 'Show devices' }).click()
  await page.getByRole('cell', { name: 'carol.mobile' }).waitFor()
  await page.getByRole('button', { name: 'Actions of device 11' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Extension').waitFor()
}

const lookUp = async (page: Page) => {
  await page.getByRole('textbox', { name: 'Number' }).fill('+370 612 34567')
  await page.getByRole('textbox', { name: 'Account' }).fill('nw_bakery')
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByRole('button', { name: 'Show the tariff' }).click()
  await page.getByRole('table').waitFor()
}

const openInvoice = async (page: Page) => {
  await page.getByRole('button', { name: 'Details of A-1010-1' }).click()
  await page.getByText('$20.98').waitFor()
}

const EXPLORER = 'explorer/devices_get?user_id=10'

const PICTURES: readonly Picture[] = [
  { name: 'explorer', place: EXPLORER, look: LIGHT, act: send },
  { name: 'explorer-dark', place: EXPLORER, look: DARK, act: send },
  { name: 'explorer-phone', place: EXPLORER, look: PHONE, act: send },
  { name: 'doctor', place: 'doctor', look: LIGHT, act: explain },
  { name: 'dashboard', place: 'dashboard', look: { ...LIGHT, height: 1150 }, act: showMonth },
  { name: 'dashboard-dark', place: 'dashboard', look: { ...DARK, height: 1150 }, act: showMonth },
  { name: 'dashboard-phone', place: 'dashboard', look: PHONE, act: showMonth },
  { name: 'devices', place: 'devices', look: LIGHT, act: listDevices },
  { name: 'rates', place: 'rates', look: LIGHT, act: lookUp },
  { name: 'invoices', place: 'invoices', look: LIGHT, act: openInvoice },
]

async function takePictures(browser: Browser, url: string): Promise<void> {
  for (const { name, place, look, act } of PICTURES) {
    const { colorScheme, ...viewport } = look
    const page = await browser.newPage({ ...LANGUAGE, colorScheme, viewport })
    await page.goto(`${url}/#/${place}`)
    await page.getByRole('button', { name: 'Fill in' }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await act(page)
    await page.screenshot({ path: `${FOLDER}/${name}.png` })
    await page.close()
  }
}

export const declare = (command: Command) =>
  command.description('It opens the console on the demo and writes into docs/images/.').action(async () => {
    const browser = await openBrowser()
    if (!browser) throw new CommandError('No Chromium is installed: install Chrome.')
    await mkdir(FOLDER, { recursive: true })
    const engine = await startEngine()
    const demo = await startDemo(engine.endpoint)
    await takePictures(browser, demo.url)
    await browser.close()
    await demo.stop()
    await engine.stop()
  })
