import type { Page } from 'playwright-core'
import { keyboardOn, tabTo } from '#test/console/keyboard.ts'

/** Sends a CDR of a call that a device made, as a switch does. */
export async function sendCdr(
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
export async function firstCall(page: Page, url: string, picture: (step: string) => Promise<unknown>) {
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
