import { expect, test } from 'vitest'
import { EVERY_DAY } from '#lib/base/calendar.ts'
import { aMinute, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { type TOTALS, totalsOf } from './totals.ts'

const call = (uniqueid: string, cells: Readonly<Record<string, string>>) => ({
  uniqueid,
  ...aMinute,
  user_price: '0.1',
  ...cells,
})

const estate = {
  ...threeTariffs,
  devices: ['1', '2'].map((id) => ({ id, user_id: '10', name: `phone ${id}` })),
  dids: [
    { id: '1', did: '37052000001', owner_id: '0', status: 'Active', provider_id: '1' },
    { id: '2', did: '37052000002', owner_id: '2' },
  ],
  rates: [
    rate({ prefix: '44', tariff_rate: '0.25' }),
    rate({ prefix: '441', tariff_rate: 'blocked' }),
    rate({ tariff_id: '2', prefix: '44', tariff_rate: '0.000001' }),
  ],
  calls: [
    call('a', { user_id: '20' }),
    call('b', { user_id: '10', user_price: '0.2', provider_price: '0.05', reseller_price: '0.1' }),
    call('c', { user_id: '10', disposition: 'BUSY', billsec: '0', user_price: '0' }),
    call('d', { user_id: '10', calldate: '2026-03-10 23:30:00Z', user_price: '0.000000000000001' }),
    call('e', { user_id: '10', incoming: '1', user_price: '' }),
  ],
  payments: [
    { id: '1', user_id: '10', date: '2026-03-01 00:00:00', amount: '0.1', currency: 'USD' },
    { id: '2', user_id: '20', date: '2026-03-01 00:00:00', amount: '0.2' },
    {
      id: '3',
      user_id: '10',
      date: '2026-03-01 00:00:00',
      amount: '100',
      amount_with_vat: '121',
      currency: 'EUR',
    },
  ],
  invoices: [
    { id: '1', user_id: '10', number: '1', issue_date: '2026-03-01', price: '10', price_with_vat: '12.1' },
    { id: '2', user_id: '20', number: '2', issue_date: '2026-03-01', price: '5.55' },
  ],
}

async function totalsIn(kind: (typeof TOTALS)[number], days = EVERY_DAY): Promise<string[]> {
  const { store } = await aWorld(estate, { Timezone: 'Europe/Vilnius' })
  const { columns, rows } = totalsOf(store, kind, days)
  const lines = [Object.keys(columns).join(' ')]
  for await (const row of rows)
    lines.push(
      Object.keys(columns)
        .map((name) => row[name])
        .join(' '),
    )
  return lines
}

test('calls are summed up by day of the installation and by customer, incoming ones apart', async () => {
  expect(await totalsIn('calls')).toEqual([
    'day user_id count billsec user_price provider_price reseller_price',
    '2026-03-10 10 2 60 0.2 0.05 0.1',
    '2026-03-10 20 1 60 0.1 0 0',
    '2026-03-11 10 1 60 0.000000000000001 0 0',
  ])
  expect(await totalsIn('calls', { from: '2026-03-11', till: '2026-03-12' })).toHaveLength(2)
  expect(await totalsIn('incoming')).toEqual([
    'day user_id count billsec user_price provider_price reseller_price',
    '2026-03-10 10 1 60 0 0 0',
  ])
})

test('rates are summed up by tariff, a blocked prefix with its rate of -1', async () => {
  expect(await totalsIn('rates')).toEqual(['tariff_id count sum', '1 2 -0.75', '2 1 0.000001'])
})

test('payments and invoices are summed up by currency, without a currency in the default one', async () => {
  expect(await totalsIn('payments')).toEqual([
    'currency count amount amount_with_vat',
    'EUR 1 100 121',
    'USD 2 0.3 0.3',
  ])
  expect(await totalsIn('invoices')).toEqual(['currency count price price_with_vat', 'USD 2 15.55 17.65'])
})

test('users, devices and DIDs are counted', async () => {
  expect(await totalsIn('objects')).toEqual(['object count', 'devices 2', 'dids 2', 'users 10'])
})
