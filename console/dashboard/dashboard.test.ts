import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { add, type Money } from '#lib/domain/money.ts'
import { totalIn } from '#test/answers/printed.ts'
import { aSignedPage, serveConsole, violationsOn } from '#test/console/console-pages.ts'
import { formatMoney } from '../format.ts'

const served = await serveConsole()

describe.runIf(served.browser)('the dashboard', () => {
  test('shows what the demo has, and agrees with the API on calls and money', async () => {
    const page = await aSignedPage(served, { path: '/#/dashboard' })
    await page.getByRole('region', { name: 'This month' }).getByText('$').first().waitFor()
    await page.getByRole('figure').first().waitFor({ timeout: 20_000 })

    const asked = page.waitForRequest(/user_calls_get/)
    const month = page.getByRole('tab', { name: '30 days' })
    expect(await month.evaluate(figuresAfterClick)).toBe(0)
    const sent = new URLSearchParams((await asked).postData() ?? '')
    const { calls, revenue } = await trafficSince(sent.get('period_start') ?? '')
    expect(calls).toBeGreaterThan(1000)
    const chart = page.getByRole('figure', { name: 'Calls by day' })
    await chart.waitFor({ timeout: 20_000 })
    expect(await chart.locator('.figure').first().innerText()).toBe(calls.toLocaleString('en'))
    const revenueChart = page.getByRole('figure', { name: 'Revenue by day' })
    expect(await revenueChart.locator('.figure').innerText()).toBe(formatMoney(revenue, 'USD'))

    expect(await page.locator('figure canvas').count()).toBe(6)
    await chart.locator('.plot').hover()
    await page
      .locator('.tooltip')
      .filter({ hasText: /^\d{4}-\d\d-\d\dAttempts \d+Answered \d+$/ })
      .waitFor()
    await page.getByText('Named by the tariff Reseller wholesale').waitFor()
    await page.getByRole('combobox', { name: 'Customer' }).fill('10')
    await page.getByRole('button', { name: 'Add to the comparison' }).click()
    const customers = page.getByRole('region', { name: 'Customers, 30 days' })
    await customers.getByRole('cell', { name: 'Carol Dent' }).waitFor()
    expect(await page.getByRole('region', { name: 'Calls in progress' }).first().innerText()).toContain(
      'Willow Lane Clinic',
    )
    expect(await violationsOn(page)).toEqual([])
  })

  test('says which totals are not for an account, and shows no money to it', async () => {
    const page = await aSignedPage(served, { path: '/#/dashboard' }, 'partner_piers')
    await page.getByText('The totals of today and of the month are not for this type of account.').waitFor()
    await page.getByRole('figure', { name: 'ASR by day' }).waitFor({ timeout: 20_000 })
    expect(await page.getByRole('figure', { name: 'Revenue by day' }).count()).toBe(0)
  })

  test('on a phone the first chart is within two screens', async () => {
    const page = await aSignedPage(served, { path: '/#/dashboard', width: 375, height: 812 })
    const chart = page.getByRole('figure').first()
    await chart.waitFor({ timeout: 20_000 })
    await page.getByRole('region', { name: 'Today' }).getByText('Margin').waitFor()
    const { y = Number.NaN, height = 0 } = (await chart.boundingBox()) ?? {}
    expect(y + height).toBeLessThan(2 * 812)
  })
})

/** The calls since a moment as the API counts them, and admin's revenue of the answered ones. */
async function trafficSince(period_start: string): Promise<{ calls: number; revenue: Money }> {
  const hash = createHash('sha1').update(`${period_start}demo-secret-key`).digest('hex')
  const body = new URLSearchParams({ u: 'admin', period_start, hash })
  const answer = await (await fetch(`${served.url}/api/user_calls_get`, { method: 'POST', body })).text()
  const prices = answer
    .split('</call>')
    .filter((row) => row.includes('>ANSWERED<'))
    .map((row) => /<reseller_price>([\d.]+)/.exec(row)?.[1] ?? /<user_price>([\d.]+)/.exec(row)?.[1] ?? '0')
  return { calls: totalIn(answer), revenue: add(...prices) }
}

/** The figures that are left of another period once the page has been drawn. */
async function figuresAfterClick(tab: HTMLElement | SVGElement): Promise<number> {
  tab.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  await new Promise(requestAnimationFrame)
  return document.querySelectorAll('figure').length
}
