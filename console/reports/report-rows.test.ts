import { expect, test } from 'vitest'
import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import { TILES } from '../overview/figures.ts'
import { COLUMNS } from './report-columns.ts'
import { csvOf, reportOf } from './report-rows.ts'

const figures = (attempts: number, revenue: string) => ({
  attempts,
  answered: attempts / 2,
  seconds: attempts * 30,
  revenue,
  cost: '0.1',
  unknownCost: 0,
  unknownRevenue: '0',
})

const traffic = (groups: TrafficAnswer['groups'] = []): TrafficAnswer => ({
  currency: 'EUR',
  from: '2026-02-28',
  till: '2026-03-01',
  hasMoney: true,
  days: [
    { day: '2026-02-28', ...figures(2, '1.00001') },
    { day: '2026-03-01', ...figures(4, '2') },
  ],
  before: [
    { day: '2026-02-26', ...figures(0, '0') },
    { day: '2026-02-27', ...figures(8, '1') },
  ],
  groups,
  grouped: null,
})

const attemptsIn = (rows: readonly { name: string; figures: { attempts: number } }[]) =>
  rows.map((row) => [row.name, row.figures.attempts])

test('days stand beside the days before them, and months are sums of days', () => {
  const { rows, total } = reportOf('day', traffic(), traffic())

  expect(attemptsIn(rows)).toEqual([
    ['2026-02-28', 2],
    ['2026-03-01', 4],
  ])
  expect(rows.map(({ before }) => before?.attempts)).toEqual([0, 8])
  expect([total.figures.revenue, total.before?.attempts]).toEqual(['3.00001', 8])
  expect(attemptsIn(reportOf('month', traffic()).rows)).toEqual([
    ['2026-02', 2],
    ['2026-03', 4],
  ])
})

test('groups and the line of all others have the total of the days', () => {
  const carol = { name: 'Carol', id: 10, ...figures(5, '2.5') }
  const earlier = { ...traffic([{ ...carol, attempts: 3 }]), before: [] }
  const { rows, total } = reportOf('customer', traffic([carol]), earlier)

  expect(attemptsIn(rows)).toEqual([
    ['Carol', 5],
    ['all others', 1],
  ])
  expect(rows[1]?.figures.revenue).toBe('0.50001')
  expect(rows[0]?.before?.attempts).toBe(3)
  expect(total.before?.attempts).toBe(6)
})

test('the file has exact amounts, their currency, the comparison, and no formula', () => {
  const report = reportOf('customer', traffic([{ name: '=1+1, Ltd', id: 1, ...figures(6, '3.00001') }]))
  const file = { way: 'customer', columns: COLUMNS, currency: 'EUR', compared: TILES[0] }

  expect(csvOf({ ...report, total: { ...report.total, before: figures(8, '1') } }, file)).toBe(
    [
      'customer,attempts,asr_percent,acd_seconds,minutes,revenue_EUR,cost_EUR,margin_EUR,unknown_cost,revenue_before,revenue_change_percent',
      `"'=1+1, Ltd",6,50.0,60,3,3.00001,0.1,2.90001,0,,`,
      'Total,6,50.0,60,3,3.00001,0.2,2.80001,0,1,200.0',
      '',
    ].join('\r\n'),
  )
})

test('calls of unknown cost have no margin, and sums say how many they leave out', () => {
  const unknown = { ...figures(2, '3'), cost: '0', unknownCost: 1, unknownRevenue: '3' }
  const known = figures(2, '1')
  const days = [
    { day: '2026-03-01', ...unknown },
    { day: '2026-03-02', ...known },
  ]
  const { rows, total } = reportOf('day', { ...traffic(), days })

  const columns = COLUMNS.filter(({ key }) => key === 'margin' || key === 'unknown_cost')
  const shown = [...rows, total].map((row) => columns.map(({ plain }) => plain(row.figures)))
  expect(shown).toEqual([
    ['', '1'],
    ['0.9', '0'],
    ['0.9', '1'],
  ])
  expect(TILES.find(({ name }) => name === 'margin')?.value(unknown)).toBe(undefined)
})
