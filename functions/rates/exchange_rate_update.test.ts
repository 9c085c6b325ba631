import { expect, test } from 'vitest'
import { exchangeRatesOf } from '#lib/rates/currency.ts'
import { exampleCurrencies, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './exchange_rate_update.ts'

const UPDATED = '<page><status><success>Currency successfully updated</success></status></page>'

const aWorldWithCurrencies = () => aWorld({ users: people, currencies: exampleCurrencies })

test.each([
  ['45.5', '45.5'],
  ['0.000000000000000000000000001', '0.000000000000000000000000001'],
  ['007.50', '7.5'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
])('the rate %s is stored as the exact decimal %s', async (rate, kept) => {
  const world = await aWorldWithCurrencies()

  expect(await world.call(method, 'admin', { currency: 'EUR', rate })).toContain(UPDATED)
  expect(await exchangeRatesOf(world.store, ['EUR'], 'USD')).toEqual(
    new Map([
      ['EUR', kept],
      ['', '1'],
      ['USD', '1'],
    ]),
  )
})

test('a rate costs three read units, and two write units: the list of currencies has it, too', async () => {
  const world = await aWorldWithCurrencies()

  await world.call(method, 'admin', { currency: ' EUR ', rate: '2' })

  expect(world.log).toMatchObject([{ outcome: 'answered', read_units: 3, write_units: 2 }])
})

test.each([
  ['nobody in particular', undefined, {}, 'Access Denied'],
  ['a blocked account', 'ben', {}, 'Access Denied'],
  ['the accountant', 'alice', {}, 'Access Denied'],
  ['a reseller', 'rick', {}, 'Access Denied'],
  ['a partner', 'pat', {}, 'Access Denied'],
  ['a plain user', 'bob', {}, 'Access Denied'],
  ['no currency', 'admin', { currency: '' }, 'Currency was not found'],
  ['an unknown currency', 'admin', { currency: 'XYZ' }, 'Currency was not found'],
  ['another case', 'admin', { currency: 'eur' }, 'Currency was not found'],
  ['the default currency', 'admin', { currency: 'USD' }, 'Currency was not found'],
  ['one on automatic updates', 'admin', { currency: 'GBP' }, 'Currency was not found'],
  ['an endless name', 'admin', { currency: 'E'.repeat(5000) }, 'Currency was not found'],
  ['an unknown currency before its rate', 'admin', { currency: 'XYZ', rate: 'x' }, 'Currency was not found'],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aWorldWithCurrencies()

  expect(await world.callInVain(method, caller, { currency: 'EUR', rate: '45.5', ...params })).toContain(
    `<page><status><error>${message}</error></status></page>`,
  )
})

test.each([
  ['a blank rate', ''],
  ['zero', '0'],
  ['zero with decimals', '0.000'],
  ['a negative rate', '-1'],
  ['a sign', '+1'],
  ['an exponent', '1e3'],
  ['a decimal comma', '1,5'],
  ['no digit before the point', '.5'],
  ['no digit after the point', '5.'],
  ['a space', ' 5'],
  ['no number', 'Infinity'],
  ['a control character', '1\u0000'],
  ['more than 30 digits', '1'.repeat(31)],
])('a rate is refused: %s', async (_case, rate) => {
  const world = await aWorldWithCurrencies()

  expect(await world.callInVain(method, 'admin', { currency: 'EUR', rate })).toContain(
    '<page><status><error>Exchange rate is invalid</error></status></page>',
  )
})

test('a missing currency and a missing rate are refused', async () => {
  const world = await aWorldWithCurrencies()

  expect(await world.call(method, 'admin', {})).toContain('Currency was not found')
  expect(await world.call(method, 'admin', { currency: 'EUR' })).toContain('Exchange rate is invalid')
})

test('an unknown currency is missing from the rates, and the default one is always 1', async () => {
  const world = await aWorldWithCurrencies()

  const rates = await exchangeRatesOf(world.store, ['USD', 'XYZ', 'GBP', '', 'GBP'], 'USD')

  expect(Object.fromEntries(rates)).toEqual({ '': '1', USD: '1', GBP: '0.8' })
})

test('the rate of the default currency needs no request to the table', async () => {
  const world = await aWorld()
  const before = world.meter.spent.requests

  await exchangeRatesOf(world.store, ['USD', ''], 'USD')

  expect(world.meter.spent.requests).toBe(before)
})

test('importing the same row keeps a rate that was set since; a changed row replaces it', async () => {
  const world = await aWorldWithCurrencies()
  await world.call(method, 'admin', { currency: 'EUR', rate: '45.5' })

  await world.given({ currencies: exampleCurrencies })
  expect((await exchangeRatesOf(world.store, ['EUR'], 'USD')).get('EUR')).toBe('45.5')

  await world.given({ currencies: [{ name: 'EUR', exchange_rate: '0.93', auto_update: '0' }] })
  expect((await exchangeRatesOf(world.store, ['EUR'], 'USD')).get('EUR')).toBe('0.93')
})

test.each([
  [{ name: 'EUR', exchange_rate: '0' }, 'exchange_rate must be greater than 0'],
  [{ name: 'EUR', exchange_rate: '-1' }, 'exchange_rate must be greater than 0'],
  [{ name: 'EUR', exchange_rate: 'x' }, 'exchange_rate takes: decimal number'],
  [{ name: 'E U', exchange_rate: '1' }, 'name takes: letters and digits'],
])('a dataset row is refused: %j', async (row, reason) => {
  const world = await aWorld()

  await expect(world.given({ currencies: [row] })).rejects.toThrow(reason)
})
