import { expect, test } from 'vitest'
import { findBalance } from '#lib/billing/balance.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { exampleCurrencies, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { OWN_CURRENCY, printedBalance } from './balances.ts'

test.each([
  ['the default currency', 'USD', 'GBP', { amount: '66.0000', currency: 'USD' }],
  ['another currency', 'GBP', 'EUR', { amount: '52.8000', currency: 'GBP' }],
  ['no currency', '', 'EUR', { amount: '66.0000', currency: 'USD' }],
  ['an unknown currency', 'XYZ', 'EUR', { amount: '66.0000', currency: 'USD' }],
  ['its own currency', OWN_CURRENCY, 'GBP', { amount: '52.8000', currency: 'GBP' }],
  ['its own currency, which is the default', OWN_CURRENCY, '', { amount: '66.0000', currency: 'USD' }],
])('the balance of an account in %s', async (_case, wanted, currency, printed) => {
  const users = people.map((person) => ({ ...person, balance: '66', currency }))
  const { store } = await aWorld({ users, currencies: exampleCurrencies })
  const balance = await findBalance(store, 10)

  expect(balance && (await printedBalance({ store, settings: readSettings({}) }, balance, wanted))).toEqual(
    printed,
  )
})
