import type { Page } from 'playwright-core'

/** Presses Tab until the focus is on what has this role and name, as somebody without a mouse does. */
async function tabTo(
  page: Page,
  role: 'button' | 'link' | 'textbox' | 'tab' | 'combobox',
  name: string | RegExp,
) {
  const wanted = page.getByRole(role, { name, exact: typeof name === 'string' }).first()
  await wanted.waitFor()
  for (let pressed = 0; pressed < MOST_TABS; pressed += 1) {
    if (await wanted.evaluate((element) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not reach ${role} ${name}`)
}

const MOST_TABS = 120

const press = async (page: Page, role: Parameters<typeof tabTo>[1], name: string | RegExp) => {
  await tabTo(page, role, name)
  await page.keyboard.press('Enter')
}

const type = async (page: Page, field: string | RegExp, text: string) => {
  await tabTo(page, 'textbox', field)
  await page.keyboard.insertText(text)
}

const nextTab = async (page: Page, name: string) => {
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name, selected: true }).waitFor()
}

/** The CDR that a switch sends for a call of the new device. */
const cdrOf = (device: string, at: Date) =>
  JSON.stringify({
    uniqueid: 'first-call.2',
    calldate: at.toISOString().slice(0, 19).replace('T', ' '),
    src: device,
    dst: '442079460000',
    disposition: 'ANSWERED',
    duration: 95,
    billsec: 90,
    accountcode: device,
    channel: `SIP/${device}-00000001`,
    dstchannel: 'SIP/thames-00000002',
  })

/** A new customer to its first rated call: six steps without a mouse, `picture` at the end of each. */
export async function firstCall(page: Page, url: string, picture: (step: string) => Promise<unknown>) {
  await press(page, 'link', 'Customers')
  await press(page, 'button', 'Add a customer')
  await type(page, /^Username/, 'nora')
  await type(page, 'First name', 'Nora')
  await type(page, 'Last name', 'Newman')
  await tabTo(page, 'combobox', 'Tariff')
  await page.keyboard.type('Ret')
  await picture('customer')
  await press(page, 'button', 'Add')
  await page.getByRole('heading', { level: 1, name: 'Nora Newman' }).waitFor()
  await tabTo(page, 'tab', 'Summary')
  for (const name of ['Calls', 'Devices']) await nextTab(page, name)
  await press(page, 'button', 'Add a device')
  await press(page, 'button', 'Add')
  const device = (await page.locator('dt:text-is("name") + dd').innerText()).trim()
  await picture('device')
  await press(page, 'button', 'Done')
  await press(page, 'link', 'Switches')
  await press(page, 'button', /^Add/)
  await type(page, /^Name/, 'pbx8')
  await press(page, 'button', 'Add')
  const secret = (await page.locator('dt:text-is("Password") + dd').innerText()).trim()
  await picture('switch')
  await press(page, 'button', 'Done')
  const sent = await fetch(`${url}/intake/asterisk-json`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`pbx8:${secret}`)}` },
    body: cdrOf(device, new Date(Date.now() - 120_000)),
  })
  if (!sent.ok) throw new Error(`The intake answered ${sent.status}: ${await sent.text()}`)
  await press(page, 'link', 'Customers')
  await picture('customers')
  await press(page, 'link', 'Nora Newman')
  await page.getByRole('cell', { name: '442079460000' }).waitFor()
  await picture('account')
  await tabTo(page, 'tab', 'Summary')
  await nextTab(page, 'Calls')
  await press(page, 'button', /^20\d\d-/)
  await page.getByRole('dialog', { name: 'Call' }).getByText('Price').first().waitFor()
  await picture('price')
}
