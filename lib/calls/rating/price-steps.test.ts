import { expect, test } from 'vitest'
import { readSettings } from '#lib/settings/settings.ts'
import { carolsCall, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import type { CallRow } from '../call.ts'
import { ratingOf, ratingOfStored } from './price-steps.ts'

/** Carol pays Rick 2 euros, Rick pays the operator a dollar, and Potomac charges so much. */
const estate = (potomacs: string) => ({
  ...threeTariffs,
  rates: ['1', '2', potomacs].map((tariff_rate, index) =>
    rate({ tariff_id: String(index + 1), prefix: '44', tariff_rate }),
  ),
})

const VIEWERS = {
  admin: { id: 0, usertype: 'admin', owner_id: 0 },
  accountant: { id: 5, usertype: 'accountant', owner_id: 0 },
  reseller: { id: 2, usertype: 'reseller', owner_id: 0 },
  customer: { id: 20, usertype: 'user', owner_id: 2 },
} as const

const call: CallRow = { ...carolsCall, provider_id: 1 }

const rated = async (change: Partial<CallRow>, viewer: keyof typeof VIEWERS, potomacs = '1.5') => {
  const { store } = await aWorld(estate(potomacs))
  return ratingOf(store, readSettings({}), { ...call, ...change }, VIEWERS[viewer])
}

test.each([
  ['admin', ['customer', 'reseller', 'provider'], '-0.5', true],
  ['accountant', ['customer', 'reseller', 'provider'], '-0.5', true],
  ['reseller', ['customer', 'reseller'], '3', false],
  ['customer', ['customer'], null, false],
] as const)(
  'the %s of a call sees the prices of %j and its own margin',
  async (viewer, payers, margin, isBelowCost) => {
    const { steps, ...rating } = await rated({}, viewer)

    expect(steps.map(({ payer }) => payer)).toEqual(payers)
    expect(rating).toMatchObject({ digits: '442079460000', free: null, problem: null, margin, isBelowCost })
  },
)

test('a step names its tariff, its rate, the currency, what is billed and the price', async () => {
  const { steps } = await rated({ billsec: 30 }, 'reseller')

  expect(steps).toEqual([
    {
      payer: 'customer',
      tariff: { id: 2, name: 'From Rick' },
      version: 1,
      rate: expect.objectContaining({ prefix: '44', perMinute: '2', currency: 'EUR', isBlocked: false }),
      exchangeRate: '0.5',
      caller: null,
      billedSeconds: 30,
      price: '2',
    },
    expect.objectContaining({ payer: 'reseller', exchangeRate: null, price: '0.5' }),
  ])
})

test('a blocked number has no price, and the reason may name the tariff of somebody else', async () => {
  const [operators, carols] = [
    await rated({ provider_id: 99 }, 'admin'),
    await rated({ provider_id: 99 }, 'customer'),
  ]

  expect(operators).toMatchObject({ problem: 'provider_id: there is no provider 99', margin: null })
  expect(carols).toMatchObject({ problem: 'There is no price for this number.', isBelowCost: false })
})

test.each([
  ['112', 'The call is internal, to an extension or an emergency number, and free.'],
  ['*98', 'The call is free: a number with *, # or letters is a feature code.'],
  [
    '3001',
    'The call is free: the number is shorter than Shortest_Rated_Number, and no rate has it as its prefix.',
  ],
])('a call to %s is free, and the reason is told', async (dst, free) => {
  expect(await rated({ dst }, 'customer')).toMatchObject({ free, steps: [], problem: null })
})

test('an incoming call is free, and the reason is told', async () => {
  expect(await rated({ incoming: true }, 'customer')).toMatchObject({
    free: 'The call is incoming, and free.',
    steps: [],
  })
})

test('a step by a tariff that never had rates has no version', async () => {
  const { store } = await aWorld(threeTariffs)
  const { steps } = await ratingOf(store, readSettings({}), { ...call, user_id: 10 }, VIEWERS.admin)

  expect(steps).toMatchObject([{ version: null, rate: null, price: null }])
})

test('a blocked prefix, and a number without a rate, are steps without a price', async () => {
  const steps = async (dst: string) => (await rated({ dst, user_id: 10 }, 'admin', '-1')).steps

  expect(await steps(call.dst)).toMatchObject([
    { payer: 'customer', price: '1' },
    { payer: 'provider', rate: { prefix: '44', isBlocked: true }, billedSeconds: null, price: null },
  ])
  expect(await steps('120255')).toMatchObject([{ rate: null, billedSeconds: null, price: null }])
})

test('a rate that was not always in force tells since when it is, in the zone', async () => {
  const { store, given } = await aWorld(estate('1'))
  const from = { effective_from: '2026-03-01 00:00:00', start_time: '08:00:00', end_time: '19:59:59' }
  await given({ rates: [rate({ tariff_id: '2', prefix: '442', daytype: 'weekday', ...from })] })

  const rating = await ratingOf(store, readSettings({ Timezone: 'Europe/Vilnius' }), call, VIEWERS.customer)

  expect(rating.steps[0]?.rate?.hours).toBe('weekday 08:00:00 to 19:59:59 since 2026-03-01 02:00:00')
})

test('a stored call whose account is gone has no steps, and any other error is thrown', async () => {
  const { store } = await aWorld(estate('1'))
  const unreachable = { ...store, getMany: () => Promise.reject(new Error('DynamoDB cannot be reached')) }
  const steps = (of: typeof store, user_id: number) =>
    ratingOfStored(of, readSettings({}), { ...call, user_id }, VIEWERS.admin)

  expect(await steps(store, 99)).toBeUndefined()
  expect(await steps(store, 20)).toMatchObject({ problem: null })
  await expect(steps(unreachable, 20)).rejects.toThrow('cannot be reached')
})

test('the margin of a direct call is what its customer pays beyond the cost', async () => {
  expect(await rated({ user_id: 10 }, 'admin', '0.25')).toMatchObject({ margin: '0.75', isBelowCost: false })
})

test('a margin is unknown without the price of the provider', async () => {
  expect(await rated({ provider_id: undefined }, 'admin')).toMatchObject({ margin: null, problem: null })
})

const NO_RATE = 'the tariff of the provider has no rate for it, or blocks its prefix'

test.each([
  ['its cost is known', {}, '1.5', null],
  ['the provider is unknown', { provider_id: undefined }, '1.5', 'the provider of the call is not known'],
  ["the provider's tariff blocks the prefix", {}, '-1', NO_RATE],
  ['nobody talked', { billsec: 0 }, '-1', null],
  ['it is free', { dst: '112', provider_id: undefined }, '1.5', null],
] as const)('why the cost of a call is unknown: %s', async (_case, change, potomacs, unknownCost) => {
  expect(await rated(change, 'admin', potomacs)).toMatchObject({ unknownCost })
  expect(await rated(change, 'reseller', potomacs)).toMatchObject({ unknownCost: null, numberSteps: [] })
})

test('a provider without a tariff is the reason why a cost is unknown; a call without a price has none', async () => {
  const world = await aWorld(estate('1.5'))
  await world.given({ providers: [{ id: '9', name: 'Free Peer' }] })
  const of = (change: Partial<CallRow>) =>
    ratingOf(world.store, readSettings({}), { ...call, ...change }, VIEWERS.admin)

  expect(await of({ provider_id: 9 })).toMatchObject({ unknownCost: 'the provider has no tariff' })
  expect(await of({ provider_id: 99 })).toMatchObject({ unknownCost: null })
})

test('a rate tells when it ends, in the zone', async () => {
  const { store, given } = await aWorld(estate('1'))
  await given({ rates: [rate({ tariff_id: '2', prefix: '442', ends_at: '2099-03-01 00:00:00' })] })

  const rating = await ratingOf(store, readSettings({ Timezone: 'Europe/Vilnius' }), call, VIEWERS.customer)

  expect(rating.steps[0]?.rate?.hours).toBe('everyday 00:00:00 to 23:59:59 until 2099-03-01 02:00:00')
})
