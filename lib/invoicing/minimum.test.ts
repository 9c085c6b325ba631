import { expect, test } from 'vitest'
import { aBilledWorld, aCall, admin, bill, issue, person } from '#test/invoicing/a-month.ts'

const minimum = { minimal_month: '5', minimal_from: '2026-05-01' }

const yen = [{ name: 'JPY', exchange_rate: '163.27' }]

const imported = {
  id: '1',
  user_id: '10',
  number: 'OLD-1',
  issue_date: '2026-05-20',
  price: '1',
  period_from: '2026-05-01',
  period_till: '2026-05-02',
}

test.each([
  ['also without any call', {}, [], {}, ['5']],
  ['the rest of it', {}, ['1.5'], {}, ['1.5', '3.5']],
  ['nothing at the minimum exactly', {}, ['5'], {}, ['5']],
  ['nothing above it', {}, ['5.01'], {}, ['5.01']],
  ['nothing of a prepaid account', { postpaid: '0' }, ['1'], {}, ['1']],
  ['nothing before minimal_from', { minimal_from: '2026-06-01' }, ['1'], {}, ['1']],
  ['nothing of a month that began before Invoices_From', {}, ['1'], { Invoices_From: '2026-05-02' }, ['1']],
  ['no minimum of 0', { minimal_month: '0' }, ['1'], {}, ['1']],
  ['in the default currency, converted', { currency: 'JPY' }, [], {}, ['816']],
])('a month bills %s', async (_case, columns, prices, settings, sums) => {
  const world = await aBilledWorld(
    { users: [admin, person(10, { ...minimum, ...columns })], currencies: yen },
    settings,
  )
  await world.given({
    calls: prices.map((price, index) => aCall(10, `2026-05-1${index} 10:00:00`, price)),
  })

  const [month] = await bill(world, { month: '2026-05', owner: 0 }, 'issue')

  expect(month?.products.map(({ sum }) => sum)).toEqual(sums)
})

test('charges do not count for the minimum, and a month partly billed elsewhere has none', async () => {
  const world = await aBilledWorld({
    users: [admin, person(10, minimum), person(11, minimum)],
    invoices: [imported],
    calls: [aCall(10, '2026-05-03 10:00:00', '1'), aCall(11, '2026-05-03 10:00:00', '1')],
  })
  const fee = {
    subscription_id: 1,
    service_id: 1,
    quantity: '1',
    currency: '',
    period: 'month',
    memo: 'Line',
  }
  const charges = [{ ...fee, user_id: 11, id: 1, from: '2026-05-03', price: '25', net: '25', amount: '25' }]

  const outcomes = await issue(world, { charges })

  expect(outcomes.get(10)).toMatchObject({ document: { net: '1' } })
  expect(outcomes.get(11)).toMatchObject({ document: { net: '30' } })
})

test('a new minimum counts from the next month on, and stays if another import repeats it', async () => {
  const { minimal_from: _, ...set } = minimum
  const world = await aBilledWorld({ users: [admin, person(10)] })
  world.now = new Date('2026-05-20T08:00:00Z')
  await world.given({ users: [person(10, set)] })
  world.now = new Date('2026-06-20T08:00:00Z')
  await world.given({ users: [person(10, set)] })
  world.now = new Date('2026-07-02T08:00:00Z')

  expect((await issue(world)).get(10)).toEqual({ kind: 'empty' })
  expect((await issue(world, { month: '2026-06' })).get(10)).toMatchObject({ document: { net: '5' } })
})

test("late calls compute their month's minimum again, by the minimum applied then", async () => {
  const world = await aBilledWorld({
    users: [admin, person(10, minimum)],
    calls: [aCall(10, '2026-05-03 10:00:00', '1')],
  })
  await issue(world)
  world.now = new Date('2026-07-02T08:00:00Z')
  await world.given({
    users: [person(10, { minimal_month: '0' })],
    calls: [aCall(10, '2026-05-04 10:00:00', '6')],
  })

  const [june] = await bill(world, { month: '2026-06', owner: 0 }, 'issue')

  expect(june?.products.map(({ name, sum }) => [name, sum])).toEqual([
    ['Calls, May 2026, late', '6'],
    ['Minimum, May 2026, late', '-4'],
  ])
})
