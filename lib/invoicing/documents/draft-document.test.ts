import { expect, test } from 'vitest'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { renderedDraft } from './draft-document.ts'

const SELLER = { Seller_Name: 'Northwind', Seller_Bank: 'IBAN DE02120300000000202051', Language: 'de' }

test('the running month is printed to today, as a draft without a number and without how to pay', async () => {
  const calls = [aCall(10, '2026-05-03 10:00:00', '100'), aCall(10, '2026-06-01 10:00:00', '50')]
  const world = await aBilledWorld({ users: [admin, person(10, { postpaid: '1' })], calls }, SELLER)
  const account = await findWholeAccount(world.store, 10)
  if (!account) throw new Error('account 10 is gone')
  const draw = async (format: 'pdf' | 'html', month?: string) => {
    const source = { store: world.store, settings: await settingsOf(world.store), now: world.now }
    const { name, type, pieces } = await renderedDraft(source, account, format, month)
    return { name, type, text: Buffer.concat(await Array.fromAsync(pieces)).toString('latin1') }
  }
  const before = await world.dump()

  await expect(draw('html')).rejects.toMatchObject({ code: 'earlier_month_unbilled' })
  const last = await draw('html', '2026-05')
  expect(last.name).toBe('ENTWURF-u10-2026-05-31.html')
  expect(last.text).toContain('121,00 EUR')
  expect(await world.dump()).toEqual(before)
  await issue(world)
  const issued = await world.dump()
  await expect(draw('html', '2026-05')).rejects.toMatchObject({
    code: 'month_billed',
    values: { month: 'May 2026', customer: 'u10', number: 'A-2026-1' },
  })
  await expect(draw('html', '2026-07')).rejects.toMatchObject({ code: 'billed_month_open' })
  const page = await draw('html')
  expect(page.name).toBe('ENTWURF-u10-2026-06-02.html')
  expect(page.text).toContain('<title>ENTWURF</title>')
  expect(page.text).toContain('Dies ist keine Rechnung.')
  expect(page.text).toContain('60,50 EUR')
  expect(page.text).not.toMatch(/A-2026|IBAN|<svg/)
  const pdf = await draw('pdf')
  expect([pdf.name, pdf.text.slice(0, 5)]).toEqual(['ENTWURF-u10-2026-06-02.pdf', '%PDF-'])
  expect(await world.dump()).toEqual(issued)
})
