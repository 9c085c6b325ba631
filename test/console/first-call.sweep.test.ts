import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { type Keyboard, keyboardOn, tabTo } from '#test/console/keyboard.ts'
import { shareOf } from '#test/sweep.ts'
import { IN_A_BROWSER } from './browser.ts'
import { aSignedPage, expectSound, serveConsole, settled } from './console-pages.ts'

interface Task {
  readonly name: string
  /** The most keys that act. */
  readonly keys: number
  /** Begins at the overview of the demo. `path` is that of a rate sheet. */
  readonly run: (keyboard: Keyboard, files: { readonly url: string; readonly path: string }) => Promise<void>
}

/** A form that a section of the console opens: its fields, in order, and what is said at the end. */
const added =
  (
    section: string,
    noun: string,
    fields: readonly (readonly [field: RegExp, text: string, isChoice?: boolean])[],
  ) =>
  async ({ page, press, type }: Keyboard) => {
    await press('link', section)
    await press('button', `Add ${noun}`)
    for (const [field, text, isChoice] of fields) await type(field, text, isChoice ? 'combobox' : 'textbox')
    await press('button', 'Add')
    await page.getByText('Added.').first().waitFor()
  }

/** Opens the page of a customer. */
async function openCustomer({ page, press }: Keyboard, name: string) {
  await press('link', 'Customers')
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
  await press('link', name)
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

async function writeVersion({ page, press }: Keyboard) {
  await press('button', 'Make a new version')
  await page.getByText('The tariff has a new version.').waitFor()
  await press('button', 'Done')
}

/** The tasks of an operator in a month, beside the way to the first call (first-call.ts). */
const TASKS: readonly Task[] = [
  { name: 'a tariff', keys: 3, run: added('Tariffs', 'a tariff', [[/^Name/, 'By keyboard']]) },
  {
    name: 'a carrier',
    keys: 3,
    run: added('Providers', 'a provider', [
      [/^Name/, 'atlantic'],
      [/^Tariff/, 'Res', true],
    ]),
  },
  {
    name: 'a rate sheet',
    keys: 7,
    run: async (keyboard, { path }) => {
      const { press, type, choose } = keyboard
      await press('link', 'Tariffs')
      await press('link', 'Business')
      await press('button', 'Import a rate sheet')
      await choose(path)
      await type(/^Answer/, 'Merge', 'combobox')
      await press('button', 'Continue')
      await writeVersion(keyboard)
    },
  },
  {
    name: 'prices from costs',
    keys: 6,
    run: async (keyboard) => {
      const { press, type } = keyboard
      await press('link', 'Tariffs')
      await press('link', 'Retail standard')
      await press('button', 'From costs')
      await type(/^Costs, the tariff/, 'Res', 'combobox')
      await type('Percent on top', '20')
      await press('button', 'Preview')
      await writeVersion(keyboard)
    },
  },
  {
    name: 'a price',
    keys: 5,
    run: async ({ page, press, type }) => {
      await press('link', 'Tariffs')
      await press('link', 'Retail standard')
      await press('button', 'Set a price')
      await type(/^Prefix/, '4420')
      await type(/^A minute/, '0.02')
      await press('button', 'Set the price')
      await page.getByText(/The price (holds|is as)/).waitFor()
      await press('button', 'Done')
    },
  },
  {
    name: 'a suspended CDR',
    keys: 9,
    run: async ({ page, press, type }, { url }) => {
      await press('link', 'Switches')
      await press('button', 'Add a switch')
      await type(/^Name/, 'pbx9')
      await press('button', 'Add')
      const secret = (await page.locator('dt:text-is("Password") + dd').innerText()).trim()
      await press('button', 'Done')
      await sendCdr(url, { switch: 'pbx9', secret, device: 'lobby' })
      await press('link', /^Suspense/)
      await press('button', 'No customer')
      await press('button', 'Add this device')
      await type(/^Customer/, 'carol', 'combobox')
      await press('button', 'Add')
      // It retries what waited for a device, and closes the panel.
      await press('button', 'Done')
      await page.getByText('No suspended CDRs').waitFor()
    },
  },
  {
    name: 'a call that is found and explained',
    keys: 4,
    run: async ({ page, press, type }) => {
      await press('link', 'Calls')
      await press('button', 'Filter')
      await type(/^Customer/, 'carol', 'combobox')
      await press('button', 'Apply')
      await page.getByRole('button', { name: 'Remove the filter Customer' }).waitFor()
      await press('button', /^20\d\d-/)
      await page.getByRole('dialog', { name: 'Call' }).getByText('Price').first().waitFor()
      await page.keyboard.press('Escape')
    },
  },
  {
    name: 'a dry run of re-rating',
    keys: 2,
    run: async ({ page, press }) => {
      await press('link', 'Re-rating')
      await press('button', 'Dry run')
      await page.getByText('Dry run: nothing is changed yet').waitFor()
      await page.getByText(/calls rated/).waitFor()
    },
  },
  // The payment after it pays the open invoices with all that no invoice has.
  {
    name: 'a refund of what no invoice has of a payment',
    keys: 2,
    run: async ({ page, press, type }, { url }) => {
      await page.goto(`${url}/#/billing?kind=payments`)
      await press('button', 'PP-5Q881')
      await type(/^Amount/, '1.00')
      await press('button', 'Refund')
      await page.getByText('The refund is recorded.').waitFor()
    },
  },
  {
    name: 'a payment',
    keys: 3,
    run: async ({ page, press, type }) => {
      await press('link', 'Billing')
      await press('button', 'Record a payment')
      await type(/^Customer/, 'carol', 'combobox')
      await type(/^Amount/, '5.00')
      await press('button', 'Record the payment')
      await page.getByText('is recorded.').waitFor()
    },
  },
  {
    name: 'an adjustment',
    keys: 4,
    run: async (keyboard) => {
      const { page, press, type } = keyboard
      await openCustomer(keyboard, 'Carol Dent')
      await press('button', 'Adjust …')
      await type(/^Amount/, '1.00')
      await type(/^Reason/, 'goodwill')
      await press('button', 'Adjust the balance')
      await page.getByText('The balance is adjusted').waitFor()
    },
  },
  {
    name: 'a subscription',
    keys: 3,
    run: added('Subscriptions', 'a subscription', [
      [/^Customer/, 'carol', true],
      [/^Service/, 'Line', true],
    ]),
  },
  {
    name: 'a DID: bought, given to a device, and given back',
    keys: 7,
    run: async (keyboard) => {
      const { page, press, type } = keyboard
      await added('DIDs', 'a DID', [[/^Number/, '12025550188']])(keyboard)
      await press('button', '12025550188')
      await type(/^Status/, 'act', 'combobox')
      await type(/^Customer/, 'carol', 'combobox')
      await type(/^Device/, 'Carol', 'combobox')
      await press('button', 'Save')
      await page.getByText('Saved.').waitFor()
      await press('button', '12025550188')
      await type(/^Status/, 'clo', 'combobox')
      await press('button', 'Save')
      await page.getByRole('row', { name: '12025550188 closed' }).waitFor()
    },
  },
  {
    name: 'a blocked customer',
    keys: 4,
    run: async (keyboard) => {
      await openCustomer(keyboard, 'Dave Fretwell')
      await keyboard.press('button', 'Block')
      await keyboard.press('button', 'Block Dave Fretwell')
      await keyboard.page.getByText('Blocked', { exact: true }).waitFor()
    },
  },
  {
    name: 'the journal of a month',
    keys: 6,
    run: async ({ page, press, nextTab }) => {
      await press('link', 'Billing')
      await tabTo(page, 'tab', 'Documents')
      await nextTab('Month')
      await tabTo(page, 'tab', '1 Check')
      for (const step of ['2 Preview', '3 Issue', '4 Send and collect']) await nextTab(step)
      await Promise.all([page.waitForEvent('download'), press('button', 'Journal')])
    },
  },
  {
    name: 'a change of a customer',
    keys: 4,
    run: async (keyboard) => {
      await openCustomer(keyboard, 'Carol Dent')
      await keyboard.press('button', 'Edit')
      await keyboard.type('First name', 'Caroline')
      await keyboard.press('button', 'Save')
      await keyboard.page.getByRole('heading', { level: 1, name: 'Caroline Dent' }).waitFor()
    },
  },
  {
    name: 'a setting',
    keys: 2,
    run: async ({ page, press, type }) => {
      await press('link', 'Settings')
      await type('Company', 'Keyboard Telecom')
      await press('button', 'Save')
      await page.frameLocator('iframe').getByText('Keyboard Telecom').first().waitFor()
    },
  },
  {
    name: 'a month that is issued, and a credit note',
    keys: 11,
    run: async ({ page, press, type, nextTab }) => {
      await press('link', 'Billing')
      await tabTo(page, 'tab', 'Documents')
      await nextTab('Month')
      await press('button', 'Continue to Preview')
      await press('button', 'Continue to Issue')
      await page.getByText(/^\d+ documents, .* This cannot be undone\.$/).waitFor()
      await press('button', /^Issue \d+ documents/)
      await page.getByText(/ issued\.$/).waitFor()
      await tabTo(page, 'tab', 'Month')
      await nextTab('Bank file')
      await nextTab('Documents')
      await press('link', /^A-20/)
      await press('button', 'Credit …')
      await type(/^Amount/, '1.00')
      await type(/^Reason/, 'goodwill')
      await press('button', 'Preview')
      await press('button', 'Issue the credit note')
      await page.getByText(/^The credit note .* is issued/).waitFor()
    },
  },
]

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

/** Sends a CDR of a call that a device made, as a switch does. */
async function sendCdr(
  url: string,
  { secret, device, ...from }: { readonly switch: string; readonly secret: string; readonly device: string },
): Promise<void> {
  const at = new Date(Date.now() - 120_000).toISOString().slice(0, 19).replace('T', ' ')
  const cdr = {
    ...{ uniqueid: `${from.switch}.2`, calldate: at, src: device, dst: '442079460000' },
    ...{ disposition: 'ANSWERED', duration: 95, billsec: 90, accountcode: device },
    ...{ channel: `SIP/${device}-00000001`, dstchannel: 'SIP/thames-00000002' },
  }
  const sent = await fetch(`${url}/intake/asterisk-json`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${from.switch}:${secret}`)}` },
    body: JSON.stringify(cdr),
  })
  if (!sent.ok) throw new Error(`The intake answered ${sent.status}: ${await sent.text()}`)
}

/** A new customer to its first rated call: six steps without a mouse, `picture` at the end of each. */
async function firstCall(page: Page, url: string, picture: (step: string) => Promise<unknown>) {
  const { press, type, nextTab } = keyboardOn(page)
  await press('link', 'Customers')
  await press('button', 'Add a customer')
  await type(/^Username/, 'nora')
  await type('First name', 'Nora')
  await type('Last name', 'Newman')
  await type('Tariff', 'Ret', 'combobox')
  await picture('customer')
  await press('button', 'Add')
  await page.getByRole('heading', { level: 1, name: 'Nora Newman' }).waitFor()
  await press('button', 'Add a device')
  await press('button', 'Add')
  const device = (await page.locator('dt:text-is("name") + dd').innerText()).trim()
  await picture('device')
  await press('button', 'Done')
  await press('link', 'Switches')
  await press('button', 'Add a switch')
  await type(/^Name/, 'pbx8')
  await press('button', 'Add')
  const secret = (await page.locator('dt:text-is("Password") + dd').innerText()).trim()
  await picture('switch')
  await press('button', 'Done')
  await sendCdr(url, { switch: 'pbx8', secret, device })
  await press('link', 'Customers')
  await picture('customers')
  await press('link', 'Nora Newman')
  await page.getByRole('gridcell', { name: '442079460000' }).waitFor()
  await picture('account')
  await tabTo(page, 'tab', 'Summary')
  await nextTab('Calls')
  await press('button', /^20\d\d-/)
  await page.getByRole('dialog', { name: 'Call' }).getByText('Price').first().waitFor()
  await picture('price')
}
