import { expect, test } from 'vitest'
import { callsIn } from '#test/dump.ts'
import { rate, threeTariffs } from '#test/examples/tariffs.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld } from '#test/world.ts'
import { explainPrice, mayCallLines, priceLines } from './explain.ts'

const operator = {
  ...threeTariffs,
  rates: [
    rate({ prefix: '44', tariff_rate: '0.6', con_fee: '0.1', increment: '30', min_time: '60' }),
    rate({ tariff_id: '2', prefix: '442', tariff_rate: '2' }),
    rate({ tariff_id: '3', prefix: '44', tariff_rate: '1.5' }),
  ],
}

const options = { username: 'bob', number: '+44 20 7946 0000', at: '2026-03-10 10:00:00', seconds: 61 }

test('a direct customer: tariff, version, prefix, rate, steps, price and margin', async () => {
  const { store, now } = await aWorld(operator)

  expect(priceLines(await explainPrice(store, { ...options, provider: 1 }, now))).toEqual([
    'bob calls +44 20 7946 0000 at 2026-03-10 10:00:00 (UTC) for 61 seconds',
    'number to rate: 442079460000',
    'customer: tariff 1 Retail & more, version 1',
    '  prefix    44',
    '  rate      0.6 USD a minute, 0.1 USD for the connection; everyday 00:00:00 to 23:59:59',
    '  seconds   90 billed, in steps of 30, at least 60',
    '  price     1 USD',
    'provider: tariff 3 Potomac, version 1',
    '  prefix    44',
    '  rate      1.5 USD a minute, 0 USD for the connection; everyday 00:00:00 to 23:59:59',
    '  seconds   61 billed, in steps of 1, at least 0',
    '  price     1.525 USD',
    'margin of the operator: -0.525 USD',
    'the call is sold below its cost',
  ])
})

test('a reseller’s customer: both tariffs, in their currencies', async () => {
  const { store, now } = await aWorld(operator)

  const lines = priceLines(await explainPrice(store, { ...options, username: 'carol', seconds: 60 }, now))

  expect(lines.slice(2)).toEqual([
    'customer: tariff 2 From Rick, version 1',
    '  prefix    442',
    '  rate      2 EUR a minute, 0 EUR for the connection; everyday 00:00:00 to 23:59:59',
    '  seconds   60 billed, in steps of 1, at least 0',
    '  price     4 USD, at 0.5 EUR for 1 USD',
    'reseller: tariff 1 Retail & more, version 1',
    '  prefix    44',
    '  rate      0.6 USD a minute, 0.1 USD for the connection; everyday 00:00:00 to 23:59:59',
    '  seconds   60 billed, in steps of 30, at least 60',
    '  price     0.7 USD',
    'margin of the reseller: 3.3 USD',
    'margin of the operator: unknown, name the provider with --provider ID',
  ])
})

test.each([
  [{ number: '112' }, 'The call is internal, to an extension or an emergency number, and free.'],
  [{ number: '120255' }, 'the call is not rated: tariff 1 of account 10 has no rate for 120255'],
  [{ username: 'dave' }, 'the call is not rated: account 30 has no tariff to rate by'],
])('a call without a price has a reason: %o', async (other, line) => {
  const { store, now } = await aWorld(operator)

  expect(priceLines(await explainPrice(store, { ...options, ...other }, now)).at(-1)).toBe(line)
})

test('a prefix that a tariff blocks is named', async () => {
  const { store, now } = await aWorld({
    ...operator,
    rates: [...operator.rates, rate({ prefix: '4420', tariff_rate: '-1', destination: 'London' })],
  })

  expect(priceLines(await explainPrice(store, options, now)).slice(2)).toEqual([
    'customer: tariff 1 Retail & more, version 1',
    '  prefix    4420 London, blocked',
    'the call is not rated: tariff 1 of account 10 blocks the prefix 4420',
  ])
})

test('the call gets the same price when it is stored', async () => {
  const world = await aWorld(operator)
  const call = {
    uniqueid: 'a',
    src: '1',
    dst: options.number,
    calldate: options.at,
    billsec: 61,
    duration: 70,
    hangupcause: 16,
  }

  await consume(world, { type: 'call', ...call, user_id: 10, provider_id: 1 })

  const [stored] = callsIn(await world.dump())
  expect(stored).toMatchObject({ user_price: '1', provider_price: '1.525' })
  expect(world.log.at(-1)).toMatchObject({ below_cost: 1 })
})

test.each([
  [{ username: 'nobody' }, 'no account nobody'],
  [{ provider: 99 }, 'There is no provider 99'],
  [{ at: 'noon' }, 'is not a time'],
  [{ at: '2026-02-30 10:00:00' }, 'is not a time'],
])('refuses an unknown account, an unknown provider and a malformed time: %o', async (other, words) => {
  const { store, now } = await aWorld(operator)

  await expect(explainPrice(store, { ...options, ...other }, now)).rejects.toThrow(words)
})

test('by the number of the carrier, each step is a line', async () => {
  const { store, now } = await aWorld(
    {
      ...operator,
      providers: [{ id: '1', name: 'Potomac', tariff_id: '3', tech_prefix: '77#', number_format: 'e164' }],
      devices: [{ id: '5', user_id: '10', name: '1001' }],
      device_rules: [{ id: '2', device_id: '5', name: "the line's 9", cut: '9' }],
    },
    { Rated_Number: 'carrier', Apply_Number_Rules: 'on' },
  )
  const call = { ...options, number: '9442079460000', provider: 1, called: '77#442079460000', device: '1001' }

  expect(priceLines(await explainPrice(store, call, now)).slice(0, 8)).toEqual([
    'bob calls 9442079460000 at 2026-03-10 10:00:00 (UTC) for 61 seconds',
    "  digit rule 2 (the line's 9) makes it 442079460000",
    '  the carrier Potomac was called with 77#442079460000',
    '  without its tech_prefix 77# 442079460000',
    '  its number_format is e164',
    'number to rate: 442079460000',
    'customer: tariff 1 Retail & more, version 1',
    '  prefix    44',
  ])
  await expect(explainPrice(store, { ...call, device: 'nobody' }, now)).rejects.toThrow('no device "nobody"')
})

test('--caller shows how the number that calls decided, and the parts of a sum', async () => {
  const { store, now } = await aWorld({
    ...operator,
    origins: [{ tariff_id: '1', origin: 'NAF', prefix: '212' }],
    rates: [
      ...operator.rates,
      rate({ prefix: '44', origin: 'NAF', tariff_rate: '0.4', con_fee: '0.05', adds: '1' }),
    ],
  })

  const lines = priceLines(await explainPrice(store, { ...options, caller: '+212 612345678' }, now))

  expect(lines.slice(3, 7)).toEqual([
    '  caller 212612345678; origin NAF by 212; base 44 0.6 and 0.1; added 44 NAF 0.4 and 0.05',
    '  prefix    44',
    '  rate      1 USD a minute, 0.15 USD for the connection; everyday 00:00:00 to 23:59:59',
    '  seconds   90 billed, in steps of 30, at least 60',
  ])
})

test('a blocked account is named after the price, and --rules lists each rule', async () => {
  const users = operator.users.map((user) => (user.username === 'bob' ? { ...user, blocked: '1' } : user))
  const { store, now } = await aWorld({ ...operator, users })

  const price = await explainPrice(store, options, now)

  const answer = 'may it begin now? no: blocked, bob is blocked (Call_Control is off: no switch asks)'
  expect(mayCallLines(price)).toEqual([answer])
  expect(mayCallLines(price, true).slice(0, 4)).toEqual([
    answer,
    '  unknown_account     passed   bob',
    '  blocked             REFUSED  bob is blocked',
    '  unknown_rate        -',
  ])
  expect(mayCallLines(await explainPrice(store, { ...options, username: 'carol' }, now))).toEqual([])
})
