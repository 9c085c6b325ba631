import { expect, test } from 'vitest'
import { importRates } from '#test/datasets/tariff-rates.ts'
import { people } from '#test/examples/examples.ts'
import {
  bobsTariff,
  exampleTariffs,
  giveTariff,
  rate,
  ricksTariff,
  tariffCurrencies,
  withTariff,
} from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { method } from './tariff_rates_get.ts'

async function aWorldWithTariffs() {
  const world = await aWorld({
    users: withTariff(people, { rick: bobsTariff, bob: bobsTariff, carol: ricksTariff }),
    currencies: tariffCurrencies,
    tariffs: [
      ...exampleTariffs,
      { id: '3', name: 'Empty', purpose: 'retail', currency: 'USD', owner_id: '0' },
    ],
    rates: [
      rate({
        prefix: '370',
        direction: 'Lithuania & co',
        destination: 'Lithuania',
        code: 'LT',
        tariff_rate: '0.98765',
        con_fee: '0.05',
        increment: '60',
        min_time: '30',
        start_time: '08:00:00',
        end_time: '17:59:59',
        daytype: 'weekday',
        effective_from: '2026-01-01 00:00:00',
      }),
      rate({ prefix: '37' }),
      rate({ prefix: '370', start_time: '20:00:00', effective_from: '2025-12-31 22:00:00' }),
      rate({ prefix: '370', start_time: '20:00:00' }),
      rate({ prefix: '370' }),
      rate({ prefix: '1', tariff_id: ricksTariff }),
    ],
  })
  await giveTariff(world, { id: 30, username: 'dave' }, 9)
  return world
}

const cells = (rest: Readonly<Record<string, string>>) =>
  Object.entries({
    direction: '',
    destination: '',
    prefix: '',
    code: '',
    tariff_rate: '1.0000',
    con_fee: '0.0000',
    increment: '1',
    min_time: '0',
    start_time: '00:00:00',
    end_time: '23:59:59',
    daytype: 'everyday',
    effective_from: '',
    ...rest,
  })
    .map(([name, text]) => (text === '' ? `<${name}/>` : `<${name}>${text}</${name}>`))
    .join('')

test('a tariff is its header and its rates by prefix, effective_from and start_time', async () => {
  const world = await aWorldWithTariffs()
  await world.set({ Timezone: 'Europe/Vilnius' })

  expect(await world.call(method, 'bob')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><pagename>Tariff</pagename>' +
      '<tariff_name>Retail &amp; more</tariff_name><purpose>retail</purpose><currency>USD</currency><rates>' +
      `<rate>${cells({ prefix: '37' })}</rate>` +
      `<rate>${cells({ prefix: '370' })}</rate>` +
      `<rate>${cells({ prefix: '370', start_time: '20:00:00' })}</rate>` +
      `<rate>${cells({ prefix: '370', start_time: '20:00:00', effective_from: '2026-01-01 00:00:00' })}</rate>` +
      `<rate>${cells({
        direction: 'Lithuania &amp; co',
        destination: 'Lithuania',
        prefix: '370',
        code: 'LT',
        tariff_rate: '0.9877',
        con_fee: '0.0500',
        increment: '60',
        min_time: '30',
        start_time: '08:00:00',
        end_time: '17:59:59',
        daytype: 'weekday',
        effective_from: '2026-01-01 02:00:00',
      })}</rate></rates></page>`,
  )
})

test('a blocked prefix has the rate -1', async () => {
  const world = await aWorldWithTariffs()
  await world.given({ rates: [rate({ tariff_id: ricksTariff, prefix: '1', tariff_rate: 'blocked' })] })

  expect(await world.call(method, 'carol')).toContain(cells({ prefix: '1', tariff_rate: '-1.0000' }))
})

test('amounts have as many decimals as Nice_Number_Digits says', async () => {
  const world = await aWorldWithTariffs()
  await world.set({ Nice_Number_Digits: '2' })

  expect(await world.call(method, 'bob')).toContain('<tariff_rate>0.99</tariff_rate><con_fee>0.05</con_fee>')
})

test.each([
  ['a plain user its own', 'bob', {}, 'Retail &amp; more'],
  ['a plain user its own, by its id', 'bob', { user_id: 10 }, 'Retail &amp; more'],
  ['a plain user its own, by the tariff', 'bob', { tariff_id: 1 }, 'Retail &amp; more'],
  ["admin any, a reseller's too", 'admin', { tariff_id: 2 }, 'From Rick'],
  ['admin the one of a customer', 'admin', { user_id: 10 }, 'Retail &amp; more'],
  ['a user_id before a tariff_id', 'admin', { user_id: 10, tariff_id: 2 }, 'Retail &amp; more'],
  ['a tariff_id before a user_id of 0', 'admin', { user_id: 0, tariff_id: 2 }, 'From Rick'],
  ['a blank user_id counts as none', 'admin', { user_id: '', tariff_id: 2 }, 'From Rick'],
  ["the accountant admin's tariffs", 'alice', { tariff_id: 3 }, 'Empty'],
  ['the accountant the one of a customer', 'alice', { user_id: 10 }, 'Retail &amp; more'],
  ['a reseller its own', 'rick', { tariff_id: 2 }, 'From Rick'],
  ['a reseller the one assigned to it', 'rick', { tariff_id: 1 }, 'Retail &amp; more'],
  ['a reseller the one assigned to it, unnamed', 'rick', {}, 'Retail &amp; more'],
  ['a reseller the one of a customer', 'rick', { user_id: 20 }, 'From Rick'],
])('%s', async (_case, caller, params, name) => {
  const world = await aWorldWithTariffs()

  expect(await world.call(method, caller, params)).toContain(`<tariff_name>${name}</tariff_name>`)
})

test('a tariff without rates has an empty list', async () => {
  const world = await aWorldWithTariffs()

  expect(await world.call(method, 'admin', { tariff_id: 3 })).toContain(
    '<currency>USD</currency><rates/></page>',
  )
})

test.each([
  ['nobody in particular', undefined, { tariff_id: 1 }],
  ['a blocked account', 'ben', { tariff_id: 1 }],
  ['an account without a tariff', 'admin', {}],
  ['an account whose tariff is gone', 'dave', {}],
  ['an unknown tariff', 'admin', { tariff_id: 99 }],
  ['a tariff that is not a number', 'admin', { tariff_id: 'one' }],
  ['a tariff past any number', 'admin', { tariff_id: '9'.repeat(40) }],
  ['an unknown user', 'admin', { user_id: 99 }],
  ['a user that is not a number, although there is a tariff', 'admin', { user_id: 'ten', tariff_id: 1 }],
  ["a reseller's customer, by admin", 'admin', { user_id: 20 }],
  ["another's tariff, by a plain user", 'bob', { tariff_id: 2 }],
  ['another account, by a plain user', 'bob', { user_id: 20 }],
  ["a reseller's tariff, by the accountant", 'alice', { tariff_id: 2 }],
  ["admin's tariff, by a reseller without it", 'rita', { tariff_id: 1 }],
  ["another reseller's tariff", 'rita', { tariff_id: 2 }],
  ["another reseller's customer", 'rita', { user_id: 20 }],
  ["admin's customer, by a partner", 'pat', { user_id: 10 }],
  ["admin's tariff, by a partner", 'pat', { tariff_id: 1 }],
])('refuses %s', async (_case, caller, params) => {
  const world = await aWorldWithTariffs()

  expect(await world.call(method, caller, params)).toContain(
    '<page><status><error>No tariff found</error></status></page>',
  )
})

test('a tariff costs the read units of its pages', async () => {
  const world = await aWorldWithTariffs()

  await world.call(method, 'admin', { user_id: 10 })

  expect(world.log).toMatchObject([{ read_units: 4.5 }])
})

test("a partner sees the tariff that is assigned to it, and its customer's", async () => {
  const world = await aWorldWithTariffs()
  await world.given({ users: withTariff(people, { pat: bobsTariff, paula: ricksTariff }) })

  expect(await world.call(method, 'pat')).toContain('<prefix>37</prefix>')
  expect(await world.call(method, 'pat', { user_id: 40 })).toContain('<prefix>1</prefix>')
})

test('rates of origins are listed on request, with their origin', async () => {
  const world = await aWorldWithTariffs()
  const tariff_id = '3'
  await world.given({ origins: [{ tariff_id, origin: 'NAF', prefix: '212' }] })
  const own = { tariff_id, prefix: '37', tariff_rate: '0.4', origin: 'NAF', adds: '1' }
  await importRates(world, [rate({ tariff_id, prefix: '37' }), rate(own)])

  const plain = await world.call(method, 'admin', { tariff_id })
  const all = await world.call(method, 'admin', { tariff_id, origins: '1' })

  expect(plain.match(/<rate>/g)).toHaveLength(1)
  expect(plain).not.toContain('origin')
  expect(all).toContain('<effective_from/><origin/><adds>0</adds></rate>')
  expect(all).toContain('<origin>NAF</origin><adds>1</adds></rate>')
})
