import { expect, test } from 'vitest'
import { secondsOf } from '#lib/base/calendar.ts'
import { versionKeys } from '#lib/rates/version-history.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { people } from '#test/examples/examples.ts'
import { rate, withTariff } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { BLANK_CALL, type CallRow } from '../call.ts'
import { explainCall } from './call-rating.ts'
import { asOfCallStart, openRateBook } from './rate-book.ts'

const EEA = ['30', '31', '32', '33', '34', '39', '43', '49']

const origins = [
  ...EEA.map((prefix) => ['EEA', prefix]),
  ...['212', '213'].map((prefix) => ['NAF', prefix]),
  ['AU', '61'],
  ['AU-M', '614'],
].map(([origin = '', prefix = '']) => ({ tariff_id: '1', origin, prefix }))

const deck: readonly Cells[] = [
  ['32', '', '0.2500'],
  ['32', 'EEA', '0.0070'],
  ['324', '', '0.3100', { con_fee: '0.01' }],
  ['324', 'EEA', '0.0180'],
  ['49', '', '0.0060'],
  ['4917', '', '0.0187', { increment: '60' }],
  ['49', 'NAF', '0.4000', { adds: '1' }],
  ['44', '', '0.0095'],
  ['44', 'AU', '0.0200', { adds: '1' }],
  ['44', 'AU-M', '0.0900', { adds: '1' }],
  ['44', 'invalid', '1.9000', { adds: '1' }],
  ['1212555', 'intrastate', '0.0046', { increment: '6' }],
  ['1212555', 'interstate', '0.0021', { increment: '6' }],
  ['1212555', 'indeterminate', '0.0058', { increment: '6' }],
].map(([prefix, origin, tariff_rate, rest = {}]) =>
  rate({ prefix, origin, tariff_rate, ...(rest as Cells) } as Cells),
)

const npas = [
  { npa: '212', state: 'NY' },
  { npa: '315', state: 'NY' },
  { npa: '312', state: 'IL' },
]

const TUESDAY = secondsOf(new Date('2026-03-10T10:00:00Z'))
const SATURDAY = secondsOf(new Date('2026-03-14T10:00:00Z'))

const anExample = (change: { rates?: readonly Cells[]; origins?: readonly Cells[]; invalid?: string } = {}) =>
  aWorld(
    {
      users: withTariff(people, { bob: '1' }),
      tariffs: [
        { id: '1', name: 'Retail', currency: '', owner_id: '0', invalid_caller: change.invalid ?? '' },
      ],
      origins: change.origins ?? origins,
      rates: change.rates ?? deck,
      npas,
      devices: [{ id: '1', user_id: '10', name: '1001', callerid: '"Desk" <+49 30 123456>' }],
    },
    { Default_Currency: 'USD' },
  )

async function priceOf(world: Awaited<ReturnType<typeof anExample>>, change: Partial<CallRow>) {
  const row: CallRow = {
    ...BLANK_CALL,
    ...{ uniqueid: 'one', calldate: TUESDAY, src: '', dst: '', disposition: 'ANSWERED', hangupcause: 16 },
    ...{ duration: 61, billsec: 61, user_id: 10 },
    ...change,
  }
  const { rated } = await explainCall(world.store, row)
  return typeof rated === 'string' ? rated : [rated.user_price, rated.origin ?? '']
}

test.each([
  ['1', '4930123456', '3221234567', '0.007117', 'EEA'],
  ['2', '12025550143', '3221234567', '0.254167', ''],
  ['3', '4930123456', '32470123456', '0.0183', 'EEA'],
  ['4', '12025550143', '32470123456', '0.325167', ''],
  ['5', '212612345678', '4930123456', '0.412767', 'NAF'],
  ['6', '212612345678', '49171234567', '0.8374', 'NAF'],
  ['7', 'anonymous', '32470123456', '0.325167', 'invalid'],
  ['7b', 'anonymous', '4930123456', '0.412767', 'invalid'],
  ['8', '', '442079460000', '1.941325', 'invalid'],
  ['8, on a keypad', '+266696687', '442079460000', '1.941325', 'invalid'],
  ['8, on a keypad', 'sip:+7378742833@sip.twilio.com', '442079460000', '1.941325', 'invalid'],
  ['9', '61412345678', '442079460000', '0.101158', 'AU-M'],
  ['9', '61212345678', '442079460000', '0.029992', 'AU'],
])('example %s: %s calls %s for %s (%s)', async (_, src, dst, price, origin) => {
  expect(await priceOf(await anExample(), { src, dst })).toEqual([price, origin])
})

test.each([
  ['13155550100', '0.00506', 'intrastate'],
  ['13125550100', '0.00231', 'interstate'],
  ['441782000000', '0.00638', 'indeterminate'],
  ['anonymous', '0.00638', 'invalid'],
])('example 10: %s calls New York for %s (%s)', async (src, price, origin) => {
  const world = await anExample()

  expect(await priceOf(world, { src, dst: '12125551234', billsec: 66 })).toEqual([price, origin])
})

test('example 7b: with invalid_caller standard, a caller without a number pays what every caller does', async () => {
  const world = await anExample({ invalid: 'standard' })

  expect(await priceOf(world, { src: 'anonymous', dst: '4930123456' })).toEqual(['0.0061', ''])
  expect(world.meter.noted).toEqual({ caller_invalid: 1 })
  await priceOf(world, { src: '4930123456', dst: '4930123456' })
  expect(world.meter.noted).toEqual({ caller_invalid: 1 })
})

test('example 11: the name of a device stands for the number that it shows', async () => {
  const world = await anExample()
  const call = { src: '1001', dst: '3221234567' }

  expect(await priceOf(world, { ...call, device_id: 1 })).toEqual(['0.007117', 'EEA'])
  expect(await priceOf(world, call)).toEqual(['0.254167', 'invalid'])
})

test('example 12: the origin comes before the window', async () => {
  const weekend = rate({ prefix: '32', tariff_rate: '0.2000', daytype: 'weekend' })
  const world = await anExample({ rates: [...deck, weekend] })
  const call = { dst: '3221234567', calldate: SATURDAY }

  expect(await priceOf(world, { ...call, src: '4930123456' })).toEqual(['0.007117', 'EEA'])
  expect(await priceOf(world, { ...call, src: '12025550143' })).toEqual(['0.203333', ''])
})

test('example 13: an ended rate of an origin leaves the rate of every caller', async () => {
  const ended = { ends_at: '2026-03-01 00:00:00', after_end: 'fallback' }
  const rates = deck.map((row) =>
    row['prefix'] === '32' && row['origin'] === 'EEA' ? { ...row, ...ended } : row,
  )

  expect(await priceOf(await anExample({ rates }), { src: '4930123456', dst: '3221234567' })).toEqual([
    '0.254167',
    '',
  ])
})

test('example 16: of two origins with one prefix, that with fewer prefixes decides', async () => {
  const world = await anExample({
    origins: [...origins, { tariff_id: '1', origin: 'national 49', prefix: '49' }],
    rates: [
      ...deck,
      rate({ prefix: '49', origin: 'national 49', tariff_rate: '0.0040' }),
      rate({ prefix: '49', origin: 'EEA', tariff_rate: '0.0050' }),
    ],
  })
  const dst = '4930123456'

  expect(await priceOf(world, { src: '4989123456', dst })).toEqual(['0.004067', 'national 49'])
  expect(await priceOf(world, { src: '3221234567', dst })).toEqual(['0.005083', 'EEA'])
})

test('the number that the carrier was shown decides before the one that called', async () => {
  const world = await anExample()
  const call = { src: '12025550143', dst: '3221234567' }

  expect(await priceOf(world, { ...call, carrier_src: '+4930123456' })).toEqual(['0.007117', 'EEA'])
})

test('a call that the rates of no origin fit says who calls, and a blocked one which rate blocks it', async () => {
  const rates = [
    rate({ prefix: '32', origin: 'EEA', tariff_rate: '0.0070' }),
    rate({ prefix: '32', origin: 'NAF', tariff_rate: '-1' }),
  ]
  const world = await anExample({ rates, invalid: 'standard' })
  const to = { dst: '3221234567' }

  expect(await priceOf(world, { ...to, src: '12025550143' })).toBe(
    'tariff 1 of account 10 has no rate for 3221234567 (caller 12025550143)',
  )
  expect(await priceOf(world, { ...to, src: 'anonymous' })).toBe(
    'tariff 1 of account 10 has no rate for 3221234567 (caller no number, not usable)',
  )
  expect(await priceOf(world, { ...to, src: '212612345678' })).toBe(
    'tariff 1 of account 10 blocks the prefix 32 (caller 212612345678; origin NAF by 212; base 32 NAF blocked)',
  )
})

test('the origins in force when a call began rate it, or the oldest that are kept', async () => {
  const world = await anExample()
  const importAgain = async (prefix: string) => {
    world.now = new Date(world.now.getTime() + 86_400_000)
    await world.given({
      origins: [
        ...origins.filter(({ origin }) => origin !== 'EEA'),
        { tariff_id: '1', origin: 'EEA', prefix },
      ],
    })
  }
  const rateThen = async () => {
    const book = await openRateBook(world.store, [])
    const { tariff } = await book.tariff(1)
    const caller = async () => ({ digits: '4930123456', detail: '4930123456' })
    const call = { at: TUESDAY, zone: 'UTC', digits: '3221234567', caller }
    const [then, present] = await Promise.all([
      asOfCallStart(book).rate(tariff, call),
      book.rate(tariff, call),
    ])
    return [then?.tariff_rate, present?.tariff_rate]
  }
  await importAgain('31')
  expect(await rateThen()).toEqual(['0.007', '0.25'])

  await importAgain('33')
  expect(await rateThen()).toEqual(['0.007', '0.25'])
  await world.store.removeBatch([versionKeys.kept(tariffKey(1).PK, 1)])

  expect(await rateThen()).toEqual(['0.25', '0.25'])
  expect(world.meter.noted).toMatchObject({ oldest_version: 1 })
})
