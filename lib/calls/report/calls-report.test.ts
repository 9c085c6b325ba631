import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { destinations as ukAndGermany } from '#test/examples/tariffs.ts'
import { exact } from '#test/plain-sums.ts'
import { aWorld, type World } from '#test/world.ts'
import { method as quickstats } from '../../../functions/calls/quickstats_get.ts'
import { type CallsReportOptions, callsReport } from './calls-report.ts'
import { MEASURES } from './measures.ts'
import type { ReportRow } from './report.ts'

const MARCH = { from: '2026-03-01', till: '2026-03-31' }

const destinations = [
  ...ukAndGermany,
  { prefix: '447', direction: 'United Kingdom', destination: 'United Kingdom Mobile' },
  { prefix: '4477', direction: 'United Kingdom', destination: 'UK Mobilecom' },
]

const operator = {
  users: people,
  destinations,
  providers: [
    { id: '1', name: 'Potomac' },
    { id: '2', name: 'Thames' },
  ],
  devices: [
    { id: '100', user_id: '10', name: 'bobs-phone', devicegroup_id: '7' },
    { id: '101', user_id: '10', name: 'bobs-fax' },
    { id: '200', user_id: '20', name: 'carols-phone' },
  ],
}

type Cells = Readonly<Record<string, string>>

const call = (uniqueid: string, cells: Cells = {}): Cells => ({
  uniqueid,
  calldate: '2026-03-10 09:00:00',
  dst: '442079460000',
  disposition: 'ANSWERED',
  duration: '70',
  billsec: '60',
  hangupcause: '16',
  user_id: '10',
  user_price: '0.3',
  provider_price: '0.1',
  provider_id: '1',
  ...cells,
})

const unanswered = { disposition: 'NO ANSWER', billsec: '0', hangupcause: '19', user_price: '0' }

const usual: CallsReportOptions = {
  by: ['customer'],
  measures: ['attempts', 'revenue'],
  days: MARCH,
  customers: undefined,
  filters: new Map(),
  mobile: /\bmobile\b/i,
  groups: undefined,
}

async function reported(world: World, options: Partial<CallsReportOptions>) {
  const report = await callsReport(world.store, { ...usual, ...options })
  return { rows: await Array.fromAsync(report.rows), total: report.total(), currency: report.currency }
}

/** The cells of each row, with spaces between them. */
async function linesOf(world: World, options: Partial<CallsReportOptions>): Promise<string[]> {
  const { rows } = await reported(world, options)
  return rows.map((row) => Object.values(row).join(' '))
}

test('a row has all figures about its calls', async () => {
  const world = await aWorld({
    ...operator,
    calls: [
      call('a', { billsec: '90' }),
      call('b', { user_id: '20', reseller_price: '0.2', user_price: '9' }),
      call('c', { user_id: '20', reseller_price: '0.20005', provider_price: '0.3' }),
      call('d', { ...unanswered, provider_price: '' }),
    ],
  })

  const { rows, total } = await reported(world, { measures: MEASURES, by: ['customer'] })

  expect(rows).toEqual([
    {
      customer: 'bob',
      attempts: 2,
      answered: 1,
      asr: '50.00',
      acd: '90.00',
      billsec: 90,
      minutes: '1.50',
      revenue: '0.3000',
      cost: '0.1000',
      profit: '0.2000',
      margin: '66.67',
      unknown_cost: 0,
      cost_per_minute: '0.0667',
      cost_per_call: '0.1000',
      unknown_cost_revenue: '0.0000',
    },
    {
      customer: 'carol',
      attempts: 2,
      answered: 2,
      asr: '100.00',
      acd: '60.00',
      billsec: 120,
      minutes: '2.00',
      revenue: '0.4001',
      cost: '0.4000',
      profit: '0.0001',
      margin: '0.01',
      unknown_cost: 0,
      cost_per_minute: '0.2000',
      cost_per_call: '0.2000',
      unknown_cost_revenue: '0.0000',
    },
  ])
  expect(total).toMatchObject({ attempts: 4, answered: 3, revenue: '0.7001', cost: '0.5000' })
})

test('a call of unknown cost has no margin, and sums say what they leave out', async () => {
  const world = await aWorld({
    ...operator,
    calls: [
      call('known', { provider_price: '0.1' }),
      call('unknown', { provider_price: '', provider_id: '' }),
      call('all-unknown', { user_id: '11', provider_price: '', user_price: '0.5' }),
      call('unanswered', { ...unanswered, provider_price: '' }),
    ],
  })
  const measures = MEASURES.filter((one) => !['attempts', 'asr', 'acd', 'minutes'].includes(one))

  const { rows, total } = await reported(world, { measures })

  const cells = [...rows, total].map((row) => [row['profit'], row['margin'], row['unknown_cost']])
  expect(cells).toEqual([
    [undefined, undefined, 1],
    ['0.2000', '66.67', 1],
    ['0.2000', '66.67', 2],
  ])
  expect(total).toMatchObject({
    cost_per_call: '0.1000',
    cost_per_minute: '0.1000',
    unknown_cost_revenue: '0.8000',
  })
})

/** Calls with prices of 15 decimals, of direct customers and of a reseller's. */
const manyCalls = Array.from({ length: 300 }, (_, n) =>
  call(`n${n}`, {
    calldate: `2026-03-${String(1 + (n % 10)).padStart(2, '0')} ${String(n % 24).padStart(2, '0')}:59:59`,
    user_id: ['10', '11', '20'][n % 3] ?? '',
    ...(n % 3 === 2 && { reseller_price: `0.0${n}00000000${n}` }),
    billsec: String(n),
    user_price: `0.${String(n * 7919).padStart(15, '3')}`,
    provider_price: `0.${String(n * 104_729).padStart(15, '1')}`,
    hangupcause: n % 7 === 0 ? '17' : '16',
  }),
)

test('calls with hangup cause 16 have the figures of quickstats_get, to the last digit', async () => {
  const world = await aWorld({ ...operator, calls: manyCalls }, { Nice_Number_Digits: '15' })
  world.now = new Date('2026-03-10T12:00:00Z')
  const days = { from: '2026-03-01', till: '2026-03-10' }

  const { rows } = await reported(world, { by: ['hangupcause'], days, measures: MEASURES })
  const today = { from: '2026-03-10', till: '2026-03-10' }
  const only16 = new Map([['hangupcause', new Set(['16'])] as const])
  const { total } = await reported(world, { by: ['day'], days: today, filters: only16, measures: MEASURES })

  const printed = ({ attempts, billsec, revenue, cost, profit, margin }: ReportRow) =>
    `<calls>${attempts}</calls><duration>${billsec}</duration><revenue>${revenue}</revenue><self_cost>${cost}</self_cost>` +
    `<profit>${profit}</profit><margin>${margin}</margin>`
  const answer = await world.call(quickstats, 'admin')
  expect(answer).toContain(`<this_month>${printed(rows[0] as ReportRow)}</this_month>`)
  expect(answer).toContain(`<today>${printed(total)}</today>`)
})

test('sums are exact, however the calls are divided', async () => {
  const world = await aWorld({ ...operator, calls: manyCalls }, { Nice_Number_Digits: '15' })
  const expected = manyCalls.reduce((sum, { user_id, user_price, reseller_price }) => {
    return sum + exact(user_id === '20' ? reseller_price : user_price)
  }, 0n)

  for (const by of [['day', 'customer'], ['hour'], ['customer', 'day'], ['provider']] as const) {
    const { rows, total } = await reported(world, { by, measures: ['revenue'] })
    const sum = rows.reduce((all, { revenue }) => all + exact(revenue), 0n)
    expect([sum, exact(total['revenue'])]).toEqual([expected, expected])
  }
})

test('calls are grouped by each dimension, and unknown values stay blank', async () => {
  const world = await aWorld(
    {
      ...operator,
      calls: [
        call('a', { calldate: '2026-03-10 22:30:00Z', device_id: '100' }),
        call('b', { dst: '+44 7900 123456', provider_id: '2', device_id: '101' }),
        call('c', { dst: '447711', provider_id: '', device_id: '', dst_device_id: '200' }),
        call('d', { dst: '999', ...unanswered, incoming: '1' }),
      ],
    },
    { Timezone: 'Europe/Vilnius' },
  )
  const lines = (by: CallsReportOptions['by'][number]) => linesOf(world, { by: [by], measures: ['attempts'] })

  expect(await lines('day')).toEqual(['2026-03-10 3', '2026-03-11 1'])
  expect(await lines('hour')).toEqual(['00 1', '09 3'])
  expect(await lines('country')).toEqual([' 1', 'United Kingdom 3'])
  expect(await lines('destination')).toEqual([
    ' 1',
    'UK Mobilecom 1',
    'United Kingdom 1',
    'United Kingdom Mobile 1',
  ])
  expect(await lines('prefix')).toEqual([' 1', '44 1', '447 1', '4477 1'])
  expect(await lines('line')).toEqual([' 1', 'fixed 2', 'mobile 1'])
  expect(await lines('provider')).toEqual([' 1', 'Potomac 2', 'Thames 1'])
  expect(await lines('device')).toEqual([' 2', 'bobs-fax 1', 'bobs-phone 1'])
  expect(await lines('devicegroup')).toEqual([' 2', '0 1', '7 1'])
  expect(await lines('direction')).toEqual(['incoming 1', 'internal 1', 'outgoing 2'])
  expect(await lines('disposition')).toEqual(['ANSWERED 3', 'NO ANSWER 1'])
  expect(await lines('hangupcause')).toEqual(['16 3', '19 1'])
})

test('a report by day first holds the groups of one day', async () => {
  const world = await aWorld({ ...operator, calls: manyCalls })
  const { rows } = await callsReport(world.store, { ...usual, by: ['day', 'customer'] })

  const read = []
  for await (const { day, customer } of rows) read.push(`${day} ${customer}`)
  expect(read).toHaveLength(30)
  expect(read).toEqual(read.toSorted())
})

test('calls are selected by customer, by labels in any case, and by groups of devices', async () => {
  const world = await aWorld({
    ...operator,
    calls: [
      call('a', { device_id: '100' }),
      call('b', { device_id: '101', provider_id: '2', dst: '4912' }),
      call('c', { device_id: '200', user_id: '20', ...unanswered }),
    ],
  })
  const idsOf = (options: Partial<CallsReportOptions>) =>
    linesOf(world, { by: ['device'], measures: ['attempts'], ...options })
  const only = (dimension: CallsReportOptions['by'][number], ...labels: string[]) => ({
    filters: new Map([[dimension, new Set(labels)] as const]),
  })

  expect(await idsOf({ customers: [20] })).toEqual(['carols-phone 1'])
  expect(await idsOf({ customers: [20, 10] })).toHaveLength(3)
  expect(await idsOf(only('provider', 'thames'))).toEqual(['bobs-fax 1'])
  expect(await idsOf(only('country', 'germany', 'france'))).toEqual(['bobs-fax 1'])
  expect(await idsOf(only('disposition', 'no answer'))).toEqual(['carols-phone 1'])
  const groups = new Map([
    [100, 'EN'],
    [200, 'FR'],
  ])
  expect(await linesOf(world, { by: ['devicegroup'], measures: ['attempts'], groups })).toEqual([
    'EN 1',
    'FR 1',
  ])
})

test('only amounts have a currency', async () => {
  const world = await aWorld(operator, { Default_Currency: 'USD' })

  expect((await reported(world, { measures: ['attempts', 'asr'] })).currency).toBeUndefined()
  expect((await reported(world, { measures: ['cost_per_call'] })).currency).toBe('USD')
})

test('a report without calls has no rows, and no figure is divided by 0', async () => {
  const { rows, total } = await reported(await aWorld(operator), { measures: MEASURES })

  expect(rows).toEqual([])
  expect(total).toMatchObject({
    attempts: 0,
    asr: '0.00',
    acd: '0.00',
    margin: '0.00',
    cost_per_minute: '0.0000',
  })
})
