import { describe, expect, test } from 'vitest'
import { carolsCall, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import type { CallRow } from '../call.ts'
import { explainCall } from './call-rating.ts'
import { unpricedReason } from './number-of-call.ts'

/** Potomac is called with country code and number. Carol's desk 1 cuts a 9. */
async function explained(
  change: Partial<CallRow>,
  settings: Readonly<Record<string, string>> = {},
  number_format = 'e164',
) {
  const world = await aWorld({
    ...threeTariffs,
    rates: ['1', '2', '3'].map((tariff_id) => rate({ tariff_id, prefix: '44', tariff_rate: tariff_id })),
    devices: [{ id: '1', user_id: '20', name: 'desk', extension: '442079460001' }],
    device_rules: [{ id: '1', device_id: '1', name: 'line', cut: '9', add: '' }],
  })
  await world.given({ providers: [{ id: '1', number_format }] })
  await world.set({ Rated_Number: 'carrier', Country_Code: '1', Apply_Number_Rules: 'on', ...settings })
  return explainCall(world.store, { ...carolsCall, provider_id: 1, ...change })
}

describe('the number that a carrier was called with', () => {
  test.each<[string, Partial<CallRow>, object]>([
    ['is rated', { dst: '9442079460000', carrier_dst: '442079460000' }, { digits: '442079460000' }],
    [
      'is not known without a provider',
      { dst: '442079460000', carrier_dst: '442079460009', provider_id: undefined },
      { digits: '442079460000' },
    ],
    ['may be missing', { dst: '442079460000' }, { digits: '442079460000' }],
    [
      'has what was dialled beside it',
      { dst: '442079460000', dialled_dst: '9442079460000', carrier_dst: '442079460000' },
      { steps: expect.arrayContaining([expect.stringContaining('dialled 9442079460000')]) },
    ],
    [
      'leaves the installation, even if a device has it',
      { dst: '442079460001', carrier_dst: '442079460001' },
      { form: 'number' },
    ],
    [
      'may be a device without a carrier',
      { dst: '442079460001', provider_id: undefined },
      { form: 'internal' },
    ],
    [
      'is dialled by the rules of a device',
      { dst: '9442079460000', device_id: 1 },
      { digits: '442079460000' },
    ],
    ['is dialled without rules', { dst: '9442079460000' }, { digits: '9442079460000' }],
  ])('%s', async (_what, change, number) => {
    expect((await explained(change)).number).toMatchObject(number)
  })

  test('is said with its steps where a tariff has no rate for it', async () => {
    const { rated } = await explained({ dst: '9490301234', carrier_dst: '490301234' })

    expect(rated).toMatch(
      /^tariff 2 of account 20 has no rate for 9490301234 \(dialled 9490301234; .+; .+\)$/,
    )
  })

  test('refuses an answered call if nothing tells its number; an unanswered one costs nothing', async () => {
    const call = { dst: '2025550171', carrier_dst: '12025550171' }

    expect((await explained(call, {}, '')).rated).toMatch(
      /^dialled 2025550171; .*; 2025550171 does not tell it either: set the number_format/,
    )
    expect(await explained({ ...call, billsec: 0 }, {}, '')).toMatchObject({
      free: undefined,
      lookups: [],
      rated: { user_price: '0', provider_price: '0' },
    })
  })
})

test('the printed number is rated with two steps', async () => {
  const { number } = await explained({ dst: '+442079460000' }, { Rated_Number: '' })

  expect(number).toEqual({
    form: 'number',
    digits: '442079460000',
    steps: ['dialled +442079460000', 'rated by 442079460000'],
  })
})

test('a printed emergency number is one, also if a provider terminated it', async () => {
  const emergency = { Rated_Number: '', Emergency_Numbers: '112' }

  expect((await explained({ dst: '112' }, emergency)).number).toMatchObject({ isEmergency: true })
})

test.each([
  ['*98', 'feature_code', 60, 'feature_code'],
  ['3001', 'short_number', 60, 'short_number'],
  ['3001', 'short_number', 0, undefined],
  ['*44', 'feature_code', 60, undefined],
  ['112', 'internal', 60, undefined],
  ['442079460000', 'user', 60, undefined],
])(
  'a call to %s that is rated as %s and lasts %i s has no price because of %s',
  (dst, rated, billsec, reason) => {
    expect(unpricedReason({ dst, rated, billsec }, { Feature_Codes: '*44' })).toBe(reason)
  },
)
