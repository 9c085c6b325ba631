import { describe, expect, test } from 'vitest'
import { aSignedPage, serveConsole, violationsOn } from '#test/console/console-pages.ts'

const served = await serveConsole()

describe.runIf(served.browser)('in a browser', () => {
  test('a device is created, changed and deleted, and its rules are kept', async () => {
    const page = await aSignedPage(served, { path: '/#/devices' })
    await page.getByLabel('Customer').fill('10')
    await page.getByRole('button', { name: 'Show devices' }).click()
    await page.getByRole('region', { name: 'Devices of Carol Dent' }).waitFor()
    expect(page.url()).toContain('#/devices?customer=10')
    expect(await page.title()).toBe('Devices · Tollgate')
    expect(await page.locator('#console').innerText()).not.toContain('carolMobile2011')
    await page.getByRole('button', { name: 'Show the secret of device 11' }).click()
    await page.getByText('carolMobile2011').waitFor()

    await page.getByRole('button', { name: 'New device' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Description').fill('Front desk')
    await panel.getByRole('button', { name: 'Create the device' }).click()
    const says = await page.getByText(/^Created \d+ with id \d+\.$/).innerText()
    const id = says.match(/id (\d+)/)?.[1]

    const choose = async (action: string) => {
      await page.getByRole('button', { name: `Actions of device ${id}` }).click()
      await page.getByRole('button', { name: action, exact: true }).click()
    }
    await choose('Edit')
    await panel.getByLabel('Comment').fill('On the new phone')
    await panel.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Device ${id} was changed.`).waitFor()

    await choose('Rules')
    await panel.getByLabel('Rule name').fill('Abroad')
    await panel.getByLabel('Cut').fill('00')
    await panel.getByRole('button', { name: 'Add the rule' }).click()
    await panel.getByRole('cell', { name: 'Abroad', exact: true }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await page.keyboard.press('Escape')

    await choose('Delete')
    await panel.getByRole('button', { name: `Delete device ${id}` }).click()
    await page.getByText(`Device ${id} was deleted.`).waitFor()
  })

  test('rates: the price of a number in words, and a tariff that is searched', async () => {
    const page = await aSignedPage(served, { path: '/#/rates' }, 'northwind')
    await page.getByRole('textbox', { name: 'Number' }).fill('+370 612 34567')
    await page.getByRole('textbox', { name: 'Account' }).fill('nw_bakery')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByText('nw_bakery calls +370 612 34567 for 0.88022 a minute').waitFor()
    await page.getByRole('textbox', { name: 'Account' }).fill('carol')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByRole('alert').filter({ hasText: 'User was not found' }).waitFor()

    await page.getByRole('button', { name: 'Show the tariff' }).click()
    await page.getByText(/^1–50 of 442$/).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('lithuania')
    await page.getByRole('cell', { name: 'Lithuania mobile' }).first().waitFor()
    expect(await violationsOn(page)).toEqual([])
  })

  test('invoices: total with tax and status first, lines folded, and a page of paper for each', async () => {
    const page = await aSignedPage(served, { path: '/#/invoices' }, 'northwind')
    const invoice = page.getByRole('row').filter({ hasText: 'NW-020-3' })
    await expect
      .poll(() => invoice.innerText(), { timeout: 20_000 })
      .toMatch(/\d{4}-\d\d-\d\d\s+(Paid|Unpaid)\s+[\d.]+\s+\$[\d.]+/)
    expect(await page.getByRole('columnheader', { name: 'Quantity' }).count()).toBe(0)
    await invoice.getByRole('button', { name: 'Details of NW-020-3' }).click()
    await page.getByRole('columnheader', { name: 'Quantity' }).waitFor()
    expect(await violationsOn(page)).toEqual([])

    await page.evaluate(() => Object.assign(window, { print: () => {} }))
    await page.getByRole('button', { name: 'Print the invoices' }).click()
    await page.emulateMedia({ media: 'print' })
    const papers = page.getByRole('article')
    await papers.first().waitFor()
    const printed = await papers.count()
    expect(await page.getByRole('banner').isVisible()).toBe(false)
    const paper = await page.pdf({ preferCSSPageSize: true })
    expect(paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBe(printed)
  })
})
