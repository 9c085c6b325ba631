import { mkdir } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import type { Browser, Page } from 'playwright-core'
import { root } from '#lib/local/location.ts'
import { startDemo } from '#lib/local/server/demo-server.ts'
import { startEngine } from '#lib/local/server/engine.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { LANGUAGE, openBrowser } from '#lib/testing/browser.ts'

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
  await page.getByRole('button', { name: 'Sign and send' }).click()
  await page.getByRole('region', { name: 'Answer', exact: true }).getByRole('table').first().waitFor()
}

const explain = async (page: Page) => {
  await page.getByLabel('The call').fill(CALL)
  await page.getByRole('button', { name: 'Explain the hash' }).click()
}

const logIn = async (page: Page) => {
  await page.getByLabel('Password').fill('demo-admin')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: '30 days' }).click()
  await page.getByRole('button', { name: 'Name them by my tariff' }).click()
  await page.getByText('named by the tariff').waitFor()
  await page.getByRole('region', { name: 'This month' }).waitFor()
  await page.getByRole('figure', { name: 'Calls by day' }).waitFor()
}

const listDevices = async (page: Page) => {
  await page.getByLabel('Customer').fill('10')
  await page.getByRole('button', { name: 'Show devices' }).click()
  await page.getByRole('cell', { name: 'carol.mobile' }).waitFor()
}

const PICTURES: readonly Picture[] = [
  { name: 'explorer', place: 'explorer/devices_get?user_id=10', look: LIGHT, act: send },
  { name: 'explorer-dark', place: 'explorer/devices_get?user_id=10', look: DARK, act: send },
  { name: 'explorer-phone', place: 'explorer/devices_get?user_id=10', look: PHONE, act: send },
  { name: 'doctor', place: 'doctor', look: LIGHT, act: explain },
  { name: 'dashboard', place: 'dashboard', look: { ...LIGHT, height: 1150 }, act: logIn },
  { name: 'dashboard-dark', place: 'dashboard', look: { ...DARK, height: 1150 }, act: logIn },
  { name: 'dashboard-phone', place: 'dashboard', look: PHONE, act: logIn },
  { name: 'devices', place: 'devices', look: LIGHT, act: listDevices },
]

async function takePictures(browser: Browser, url: string): Promise<void> {
  for (const { name, place, look, act } of PICTURES) {
    const { colorScheme, ...viewport } = look
    const page = await browser.newPage({ ...LANGUAGE, colorScheme, viewport })
    await page.goto(`${url}/#/${place}`)
    await page.getByLabel('Secret key').fill('demo-secret-key')
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
