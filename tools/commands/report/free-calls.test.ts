import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { csv, NOON, send } from '#test/mediation/csv-switch.ts'
import { aWorld } from '#test/world.ts'
import { freeCallsReport } from './report.ts'

const operator = {
  users: people.map((person) => ({ ...person, tariff_id: '1' })),
  tariffs: [{ id: '1', name: 'Retail', owner_id: '0' }],
  rates: [rate({ prefix: '1', tariff_rate: '0.03' }), rate({ prefix: '1800', tariff_rate: '0' })],
  devices: [{ id: '100', user_id: '10', name: 'bobs-phone', extension: '1001' }],
  dids: [{ id: '1', did: '12025550100', owner_id: '0', user_id: '10' }],
  calls: [
    {
      uniqueid: 'came',
      calldate: '2026-03-10 08:00:00',
      dst: '44',
      user_id: '10',
      disposition: 'ANSWERED',
      duration: '9',
      billsec: '9',
      user_price: '0',
      provider_price: '0.5',
    },
  ],
}

const ALL = { days: { from: '2026-03-01', till: '2026-03-31' }, customers: undefined, filters: new Map() }

test('calls with seconds that cost nothing are summed up by reason', async () => {
  const world = await aWorld(operator)
  world.now = NOON
  const calls = [
    { dst: '12025550171' },
    { dst: '1001' },
    { dst: '1001', billsec: '30' },
    { dst: '18005550199' },
    { dst: '*98' },
    { dst: '3001' },
    { dst: '3001', billsec: '0', disposition: 'NO ANSWER' },
    { dst: '12025550100', account_code: '' },
  ]
  const header = [
    ...Object.keys({
      uniqueid: '',
      start: '',
      src: '',
      dst: '',
      duration: '',
      billsec: '',
      disposition: '',
      account_code: '',
    }),
  ]
  await send(
    world,
    csv(
      calls.map((call, index) => ({ ...call, uniqueid: `u${index}` })),
      header,
    ),
  )

  const report = await freeCallsReport(world.store, { ...ALL, by: ['customer'] })
  const lines = await Array.fromAsync(report.rows, (row) => Object.values(row).join(' '))

  expect(Object.keys(report.columns)).toEqual([
    'free_reason',
    'customer',
    'attempts',
    'billsec',
    'minutes',
    'cost',
  ])
  expect(lines).toEqual([
    'came_free bob 1 9 0.15 0.5000',
    'feature_code bob 1 60 1.00 0.0000',
    'free_rate bob 1 60 1.00 0.0000',
    'incoming bob 1 60 1.00 0.0000',
    'internal bob 2 90 1.50 0.0000',
    'short_number bob 1 60 1.00 0.0000',
  ])
})
