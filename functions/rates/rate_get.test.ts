import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { importRates } from '#test/datasets/tariff-rates.ts'
import { searchedCalls } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import {
  aMinute,
  bobsTariff,
  destinations,
  exampleTariffs,
  giveTariff,
  rate,
  ricksTariff,
  tariffCurrencies,
  withTariff,
} from '#test/examples/tariffs.ts'
import { aWorld, SECRET_KEY } from '#test/world.ts'
import { method } from './rate_get.ts'

async function aWorldWithRates() {
  const world = await aWorld(
    {
      users: withTariff(people, {
        admin: bobsTariff,
        rick: bobsTariff,
        bob: bobsTariff,
        carol: ricksTariff,
      }),
      currencies: tariffCurrencies,
      tariffs: exampleTariffs,
      rates: [
        rate({ prefix: '370', destination: 'Lithuania', tariff_rate: '0.987' }),
        rate({ prefix: '3706', destination: 'Lithuania mobile', tariff_rate: '10' }),
        rate({ prefix: '3709', destination: 'Lithuania premium', tariff_rate: '-1' }),
        rate({ prefix: '44', destination: 'UK', tariff_rate: '1', effective_from: '2999-01-01 00:00:00' }),
        rate({ prefix: '370', destination: 'From Rick', tariff_rate: '2', tariff_id: ricksTariff }),
      ],
      destinations,
    },
    { Devices_Check_Rate: '1' },
  )
  await giveTariff(world, { id: 40, username: 'paula' }, 9)
  return world
}

/** The clock of the tests shows a Tuesday. */
const TODAY = '2026-03-10'

test('a free day is told, and rated, as a weekend', async () => {
  const world = await aWorldWithRates()
  const daily = { prefix: '49', destination: 'Germany', effective_from: '' }
  await world.given({
    rates: [
      rate({ ...daily, tariff_rate: '0.3', daytype: 'weekday' }),
      rate({ ...daily, tariff_rate: '0.1', daytype: 'weekend' }),
    ],
  })
  const told = () => world.call(method, 'bob', { username: 'bob', prefix: '49' })
  const charged = async (uniqueid: string) => {
    const call = { ...aMinute, uniqueid, user_id: '10', dst: '49301', calldate: `${TODAY} 13:00:00` }
    await world.given({ calls: [call] })
    return (await searchedCalls(world)).find((one) => one.uniqueid === uniqueid)?.user_price
  }
  const before = [await told(), await charged('a')]
  await world.set({ Free_Days: TODAY })

  expect(before).toEqual([expect.stringContaining('0.3#Germany#49'), '0.3'])
  expect([await told(), await charged('b')]).toEqual([expect.stringContaining('0.1#Germany#49'), '0.1'])
})

test.each([
  ['the longest prefix', '37061234567', '10.0#Lithuania mobile#3706'],
  ['a prefix itself', '370', '0.987#Lithuania#370'],
  ['everything but digits stripped', '+370 (5) 123-45', '0.987#Lithuania#370'],
  ['more digits than any number has', `370${'1'.repeat(5000)}`, '0.987#Lithuania#370'],
])('the answer has the rate, the destination and the prefix: %s', async (_case, prefix, expected) => {
  const world = await aWorldWithRates()

  expect(await world.call(method, 'bob', { prefix })).toBe(
    `<?xml version="1.0" encoding="UTF-8"?><page><rate>${expected}</rate></page>`,
  )
})

test.each([
  ['a plain user its own, whatever it names', 'bob', { username: 'carol' }, '0.987#Lithuania#370'],
  ['admin a customer', 'admin', { username: 'bob' }, '0.987#Lithuania#370'],
  ['admin itself', 'admin', { username: 'admin' }, '0.987#Lithuania#370'],
  ['the accountant a customer of admin', 'alice', { username: 'bob' }, '0.987#Lithuania#370'],
  ["admin a reseller's customer", 'admin', { username: 'carol' }, '2.0#From Rick#370'],
  ["the accountant a reseller's customer", 'alice', { username: 'carol' }, '2.0#From Rick#370'],
  ['a reseller a customer', 'rick', { username: 'carol' }, '2.0#From Rick#370'],
  ['a reseller itself', 'rick', { username: 'rick' }, '0.987#Lithuania#370'],
])('%s', async (_case, caller, params, expected) => {
  const world = await aWorldWithRates()

  expect(await world.call(method, caller, { prefix: '3705', ...params })).toContain(
    `<rate>${expected}</rate>`,
  )
})

test.each([
  ['nobody in particular', undefined, {}, 'Dont_be_so_smart'],
  ['an unknown account', 'nobody', {}, 'Dont_be_so_smart'],
  ['a blocked account', 'ben', {}, 'Dont_be_so_smart'],
  ['no prefix', 'bob', {}, 'Empty_prefix'],
  ['a prefix without a digit', 'bob', { prefix: '+-x' }, 'Empty_prefix'],
  ['no prefix, before no username', 'admin', {}, 'Empty_prefix'],
  ['no username', 'admin', { prefix: '370' }, 'User was not found'],
  ['a blank username', 'rick', { prefix: '370', username: '' }, 'User was not found'],
  ['an unknown username', 'admin', { prefix: '370', username: 'nobody' }, 'User was not found'],
  [
    'a username longer than any',
    'admin',
    { prefix: '370', username: 'x'.repeat(5000) },
    'User was not found',
  ],
  ["another reseller's customer", 'rita', { prefix: '370', username: 'carol' }, 'User was not found'],
  ["admin's customer, by a partner", 'pat', { prefix: '370', username: 'bob' }, 'User was not found'],
  ['a known destination without a rate', 'bob', { prefix: '4912' }, 'Rate_was_not_found'],
  ['a blocked prefix, although a shorter one has a rate', 'bob', { prefix: '3709123' }, 'Rate_was_not_found'],
  ['a rate that is not in force yet', 'bob', { prefix: '4420' }, 'Rate_was_not_found'],
  ['a destination nobody knows', 'bob', { prefix: '999' }, 'Prefix_not_found'],
  ['digits that only begin a prefix', 'bob', { prefix: '37' }, 'Prefix_not_found'],
  ['an account without a tariff', 'pat', { prefix: '370', username: 'pat' }, 'Rate_was_not_found'],
  ['an account whose tariff is gone', 'paula', { prefix: '370' }, 'Rate_was_not_found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithRates()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test.each([
  ['2998-12-31T23:59:59Z', '<error>Rate_was_not_found</error>'],
  ['2999-01-01T00:00:00Z', '<rate>1.0#UK#44</rate>'],
])('a rate is in force from its moment on: at %s', async (moment, answer) => {
  const world = await aWorldWithRates()
  world.now = new Date(moment)

  expect(await world.call(method, 'bob', { prefix: '4420' })).toContain(answer)
})

test('while Devices_Check_Rate is off, every caller gets this refusal first', async () => {
  const world = await aWorldWithRates()
  await world.set({ Devices_Check_Rate: '0' })

  expect(await world.call(method, 'bob')).toContain('<page><error>Feature_Disabled</error></page>')
  expect(await world.call(method, undefined)).toContain('<page><error>Dont_be_so_smart</error></page>')
})

test('the username alone signs the call', async () => {
  const world = await aWorldWithRates()
  const hash = (signed: string) =>
    createHash('sha1')
      .update(signed + SECRET_KEY)
      .digest('hex')
  const params = { prefix: '370', username: 'bob' }

  expect(await world.call(method, 'admin', { ...params, hash: hash('bob') })).toContain('<rate>')
  expect(await world.call(method, 'admin', { ...params, hash: hash('370bob') })).toContain('Incorrect hash')
})

test('a rate costs 5.5 read units, a missing rate the page of the directory as well', async () => {
  const world = await aWorldWithRates()

  await world.call(method, 'admin', { username: 'bob', prefix: '370' })
  await world.call(method, 'admin', { username: 'bob', prefix: '999' })

  expect(world.log).toMatchObject([
    { round_trips: 3, read_units: 5.5 },
    { round_trips: 4, read_units: 6 },
  ])
})

test('a partner may name itself', async () => {
  const world = await aWorldWithRates()
  await world.given({ users: withTariff(people, { pat: bobsTariff }) })

  expect(await world.call(method, 'pat', { prefix: '370', username: 'pat' })).toContain(
    '<rate>0.987#Lithuania#370</rate>',
  )
})

test('src names the caller: the rate for it, as a sum; a caller of no origin without it', async () => {
  const world = await aWorldWithRates()
  const tariff_id = ricksTariff
  const mobile = { tariff_id, prefix: '3706', destination: 'Lithuania mobile', tariff_rate: '10' }
  await world.given({
    origins: [
      { tariff_id, origin: 'EEA', prefix: '49' },
      { tariff_id, origin: 'NAF', prefix: '212' },
    ],
  })
  await importRates(world, [
    rate(mobile),
    rate({ ...mobile, origin: 'EEA', tariff_rate: '3' }),
    rate({ tariff_id, prefix: '370', origin: 'NAF', tariff_rate: '0.4', adds: '1' }),
  ])
  const rateFor = (src?: string) =>
    world.call(method, 'rick', { username: 'carol', prefix: '37061234567', ...(src && { src }) })

  expect(await rateFor()).toContain('<rate>10.0#')
  expect(await rateFor('+49 30 123456')).toContain('<rate>3.0#')
  expect(await rateFor('212612345678')).toContain('<rate>10.4#')
  expect(await rateFor('12025550143')).toContain('<rate>10.0#')
  expect(await rateFor('anonymous')).toContain('<rate>10.4#')
})
