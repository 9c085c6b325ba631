import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Report, ReportRow } from '#lib/calls/report/report.ts'
import { readWorkbook } from '#lib/rates/sheets/workbook.ts'
import { people } from '#test/examples/examples.ts'
import { destinations } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { reportIn } from './print-report.ts'
import { daysOf, readDidFilters, readSelection } from './selection.ts'

const rowsIn = async (bytes: Uint8Array, sheet?: string) => (await readWorkbook(bytes, sheet)).rows

async function* rowsOf(...rows: ReportRow[]) {
  yield* rows
}

const report = (): Report => ({
  title: 'Calls of March',
  columns: { customer: 'text', revenue: 'number' },
  rows: rowsOf({ customer: '=1+1', revenue: '0.1250' }, { customer: undefined, revenue: '-3' }),
  currency: 'USD',
  total: () => ({ revenue: '-2.8750' }),
})

async function textIn(format: 'table' | 'csv'): Promise<string> {
  let whole = ''
  for await (const piece of reportIn(format, report())) whole += piece
  return whole
}

test('a table begins with its title, and ends with sums, number of rows and currency', async () => {
  expect((await textIn('table')).split('\n')).toEqual([
    'Calls of March',
    'customer  revenue',
    '=1+1       0.1250',
    '               -3',
    'total     -2.8750',
    '2 rows; amounts in USD',
    '',
  ])
  expect(await textIn('csv')).toBe("customer,revenue\n'=1+1,0.1250\n,-3\n")
})

test('a workbook has a header, texts that are not formulas, and numbers', async () => {
  const bytes = await buffer(reportIn('xlsx', report()) as AsyncIterable<Uint8Array>)

  const rows = await rowsIn(bytes)
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['customer', 'revenue'],
    ['=1+1', '0.125'],
    ['', '-3'],
  ])
})

const operator = {
  users: people,
  destinations,
  providers: [{ id: '3', name: 'Potomac Telecom' }],
  devices: [
    { id: '100', user_id: '10', name: 'bobs-phone' },
    { id: '101', user_id: '10', name: '100' },
  ],
}

test('calls are selected by names and ids, in the words of the API or of calls', async () => {
  const { store } = await aWorld(operator)
  const words = {
    customer: ['bob'],
    provider: ['3', 'potomac telecom'],
    device: ['101', '100', 'bobs-phone'],
    country: ['GERMANY'],
    disposition: ['no_answer', 'Busy'],
    hangupcause: ['16'],
  }

  const { customers, filters } = await readSelection(store, words)
  expect(customers).toEqual([10])
  expect(Object.fromEntries([...filters].map(([name, labels]) => [name, [...labels]]))).toEqual({
    provider: ['potomac telecom'],
    device: ['100', 'bobs-phone'],
    country: ['germany'],
    disposition: ['no answer', 'busy'],
    hangupcause: ['16'],
  })
})

test.each([
  [
    { customer: ['bob', 'nobody'] },
    'There is no account nobody: npx tollgate account list shows all of them',
  ],
  [{ provider: ['Thames'] }, 'There is no provider Thames: use Potomac Telecom'],
  [{ device: ['102'] }, 'There is no device with the name or the id 102'],
  [{ country: ['Germny'] }, 'There is no country Germny in the directory'],
  [{ destination: ['Germny'] }, 'There is no destination Germny in the directory'],
  [{ hangupcause: ['busy'] }, '--hangupcause busy: use a number, such as 16'],
])('an unknown word is refused: %j', async (words, message) => {
  const { store } = await aWorld(operator)

  await expect(readSelection(store, words)).rejects.toThrow(message)
})

test('DIDs are selected by names and ids', async () => {
  const { store } = await aWorld(operator)

  const words = { provider: ['3'], customer: ['bob'], device: ['bobs-phone'], status: ['active'] }
  expect(Object.fromEntries(await readDidFilters(store, words))).toEqual({
    provider: new Set(['potomac telecom']),
    device: new Set(['bobs-phone']),
    customer: new Set(['bob']),
    status: new Set(['active']),
  })
  await expect(readDidFilters(store, { customer: ['nobody'] })).rejects.toThrow('There is no account nobody')
})

test('a report is about this month up to today of the installation, unless days are given', async () => {
  const { store } = await aWorld({}, { Timezone: 'Asia/Tokyo' })
  const now = new Date('2026-02-28T20:00:00Z')

  expect(await daysOf(store, now, {})).toEqual({ from: '2026-03-01', till: '2026-03-01' })
  expect(await daysOf(store, now, { till: '2026-01-20' })).toEqual({ from: '2026-01-01', till: '2026-01-20' })
  expect(await daysOf(store, now, { month: '2026-02' })).toEqual({ from: '2026-02-01', till: '2026-02-28' })
  await expect(daysOf(store, now, { from: '2026-03-02' })).rejects.toMatchObject({ code: 'days_reversed' })
})
