import { expect, test } from 'vitest'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { renderedStatement } from './statement.ts'

const carol = person(10, {
  ...{ username: 'carol', company_name: 'Dent <KG>', language: 'de', postpaid: '1', vat_percent: '19' },
})

async function aStatement(username = 'carol') {
  const calls = [aCall(10, '2026-05-03 10:00:00', '100')]
  const world = await aBilledWorld(
    { users: [admin, { ...carol, username }], calls, currencies: [{ name: 'USD', exchange_rate: '2' }] },
    { Seller_Name: 'Nordwind', Seller_Bank: 'IBAN DE02120300000000202051' },
  )
  await issue(world)
  const act = { as: 'u0', now: world.now }
  const paid = { customer: username, type: 'bank', again: 'yes' }
  await carryOutAs(world.store, recordPayment, act, { ...paid, amount: '19', invoice: 'A-2026-1' })
  await carryOutAs(world.store, recordPayment, act, {
    ...paid,
    amount: '5',
    currency: 'USD',
    reference: 'R7',
  })
  const account = await findWholeAccount(world.store, 10)
  if (!account) throw new Error('carol is gone')
  const source = { store: world.store, settings: await settingsOf(world.store), now: world.now }
  return async (format: 'pdf' | 'html', from = '2026-06-01') => {
    const file = await renderedStatement(source, account, { from, till: '2026-06-30' }, format)
    return { ...file, text: Buffer.concat(await Array.fromAsync(file.pieces)).toString() }
  }
}

test('a statement has each entry with what is owed then, in each currency, in the words of the customer', async () => {
  const { text, name } = await (await aStatement())('html')

  expect(name).toBe('carol-2026-06-01-2026-06-30.html')
  expect(text).toContain('<h1>Kontoauszug</h1>')
  expect(text).toContain('Dent &lt;KG&gt;')
  const cells = [...text.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/>([^<]*)<\/t[dh]>/g)].map(([, cell]) => cell),
  )
  expect(cells.slice(1)).toEqual([
    ['Vorher offen', '', '', '0,00 EUR'],
    ['Rechnung A-2026-1', '2. Juni 2026', '119,00 EUR', '119,00 EUR'],
    [expect.stringMatching(/^Zahlung \d+$/), '2. Juni 2026', '-19,00 EUR', '100,00 EUR'],
    ['Vorher offen', '', '', '0,00 USD'],
    ['Zahlung R7', '2. Juni 2026', '-5,00 USD', '-5,00 USD'],
    ['Am Ende offen', '100,00 EUR'],
    ['Am Ende offen', '-5,00 USD'],
  ])
})

test('a statement is a PDF, or a page where the font of PDFs lacks characters', async () => {
  const { text, type, lacking } = await (await aStatement())('pdf')

  expect([text.slice(0, 5), type, lacking]).toEqual(['%PDF-', 'application/pdf', ''])
  expect(await (await aStatement('カロル'))('pdf')).toMatchObject({
    ...{ type: 'text/html; charset=utf-8', name: 'カロル-2026-06-01-2026-06-30.html' },
    lacking: expect.stringContaining('カ'),
  })
})

test('entries before the first day are in its first sum alone', async () => {
  const { text } = await (await aStatement())('html', '2026-06-29')

  expect(text).toContain('100,00 EUR')
  expect(text).not.toContain('Rechnung A-2026-1')
})
