import { expect, test } from 'vitest'
import { exampleCurrencies, people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, signedForm } from '#test/world.ts'
import { method } from './user_balance_get.ts'

const users = people.map((person) => ({ ...person, balance: '66', currency: 'EUR' }))

const aWorldOfBalances = (settings = {}) =>
  aWorld(
    { users, currencies: exampleCurrencies },
    { Devices_Check_Balance: '1', Balance_From: '2026-03-01', ...settings },
  )

const page = (content: string) => `<?xml version="1.0" encoding="UTF-8"?><page>${content}</page>`

test.each([
  ['without a currency', {}, '<balance>66.0000</balance>'],
  ['in a currency', { currency: 'GBP' }, '<balance>52.8000</balance>'],
  ["in the account's own currency", { currency: 'USER' }, '<balance>59.4000</balance>'],
  ['in an unknown currency', { currency: 'eur' }, '<balance>66.0000</balance>'],
  [
    'in its own currency with its name, whatever else is asked',
    { currency: 'GBP', user_currency: '1' },
    '<balance>59.4000</balance><currency>EUR</currency>',
  ],
])('the balance %s', async (_case, params, content) => {
  const world = await aWorldOfBalances()

  expect(await world.call(method, undefined, { username: 'bob', ...params })).toBe(page(content))
})

test.each([
  [undefined, 'carol'],
  ['admin', 'carol'],
  ['alice', 'carol'],
  ['rick', 'carol'],
  ['rick', 'rick'],
  ['pat', 'paula'],
  ['bob', 'bob'],
  [undefined, 'ben'],
])('u=%s reads the balance of %s', async (u, username) => {
  const world = await aWorldOfBalances()

  expect(await world.call(method, u, { username })).toContain('<balance>66.0000</balance>')
})

test.each([
  ['the setting is off', undefined, { username: 'bob' }, { Devices_Check_Balance: '0' }, 'Feature disabled'],
  ['no balances are kept', undefined, { username: 'bob' }, { Balance_From: '' }, 'Feature disabled'],
  ['an unknown account', 'admin', { username: 'nobody' }, {}, 'User was not found'],
  ['no account', undefined, {}, {}, 'User was not found'],
  ['an account in another case', undefined, { username: 'Bob' }, {}, 'User was not found'],
  ['an unknown caller', 'nobody', { username: 'bob' }, {}, 'User was not found'],
  ['a blank caller', '', { username: 'bob' }, {}, 'User was not found'],
  ['a blocked caller', 'ben', { username: 'ben' }, {}, 'User was not found'],
  ['another customer', 'bob', { username: 'carol' }, {}, 'User was not found'],
  ["another reseller's customer", 'rita', { username: 'carol' }, {}, 'User was not found'],
])('refuses: %s', async (_case, u, params, settings, message) => {
  const world = await aWorldOfBalances(settings)

  expect(await world.callInVain(method, u, params)).toBe(page(`<error>${message}</error>`))
})

test.each([
  ['the name', {}, '79e75e75f9cd6821e7b661250a45294b4579f262'],
  ['name and currency', { currency: 'EUR' }, 'c3b91f83efe914fe0a9c86155b45dd757082126d'],
])('the vector over %s is a signature, and the caller is not signed', async (_what, sent, hash) => {
  const world = await aWorldOfBalances({ API_Secret_Key: 'secret' })
  const body = new URLSearchParams({ u: 'admin', username: 'user_admin', ...sent, hash }).toString()

  expect(bodyOf(await world.send(method, { body }))).toContain(
    '<page><error>User was not found</error></page>',
  )
})

test('a refusal of a gate has the root status', async () => {
  const world = await aWorldOfBalances()

  expect(bodyOf(await world.send(method, { body: 'username=bob' }))).toContain(
    '<?xml version="1.0" encoding="UTF-8"?><status><error>Incorrect hash</error></status>',
  )
})

test('a balance costs three units beside the settings and the name', async () => {
  const world = await aWorldOfBalances()
  await world.send(method, { body: signedForm(method, { username: 'bob' }) })

  expect(world.log.at(-1)).toMatchObject({ round_trips: 2, read_units: 6, write_units: 0 })
})
