import { expect, test } from 'vitest'
import { billingCurrencies, examplePayments } from '#test/examples/billing-examples.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'
import { method } from './payments_get.ts'

const aWorldWithPayments = () =>
  aWorld({ users: people, currencies: billingCurrencies, payments: examplePayments })

const idsIn = (body: string): string[] =>
  [...body.matchAll(/<comments_for_user>#(\d+)</g)].map(([, id]) => String(id))

/** The payments of the examples, which their comments identify. */
async function listed(world: World, caller: string, params: Record<string, string | number> = {}) {
  const told = examplePayments.map((payment) => ({ ...payment, comments_for_user: `#${payment.id}` }))
  await world.given({ users: people, currencies: billingCurrencies, payments: told })
  return idsIn(await world.call(method, caller, params))
}

const seconds = (iso: string): number => Date.parse(iso) / 1000

test("today's payments are listed by date, with fixed decimals", async () => {
  const world = await aWorldWithPayments()
  await world.set({ Nice_Number_Digits: '3' })

  expect(await world.call(method, 'bob')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><pagename>Payments_list</pagename><payments>' +
      '<payment><user>Bob Brown</user><transaction_id/><date>2026-03-10 08:00:00</date><confirm_date/>' +
      '<type>PayPal</type><amount>10.000</amount><fee>0.000</fee><currency>USD</currency>' +
      '<completed>No (awaiting)</completed><comments_for_user/></payment>' +
      '<payment><user>Bob Brown</user><transaction_id>TX-1 &amp; co</transaction_id>' +
      '<date>2026-03-10 09:00:00</date><confirm_date>2026-03-10 10:30:00</confirm_date><type>Bank</type>' +
      '<amount>12.346</amount><fee>0.500</fee><currency>EUR</currency><completed>Completed</completed>' +
      '<comments_for_user>Thanks &lt;you&gt;</comments_for_user></payment>' +
      '</payments></page>',
  )
})

test.each([
  ['admin sees its own customers, itself among them, and no reseller’s', 'admin', {}, ['2', '1', '6', '8']],
  ['the accountant sees what admin sees', 'alice', {}, ['2', '1', '6', '8']],
  ['a reseller sees its customers, not itself', 'rick', {}, ['3']],
  ['a reseller naming itself sees all its customers', 'rick', { s_user_id: 2 }, ['3']],
  ['a partner naming itself sees all its customers', 'pat', { s_user_id: 4 }, ['5']],
  ['a partner sees its customers', 'pat', {}, ['5']],
  ['a plain user sees its own', 'bob', {}, ['2', '1']],
  ['a plain user may name itself', 'bob', { s_user_id: 10 }, ['2', '1']],
  ['a plain user that names somebody else sees its own', 'bob', { s_user_id: 20 }, ['2', '1']],
  ['a plain user that names no number sees its own', 'bob', { s_user_id: 'bob' }, ['2', '1']],
  ['one customer of admin', 'alice', { s_user_id: 10 }, ['2', '1']],
  ['a reseller as admin’s customer', 'admin', { s_user_id: 2 }, ['6']],
  ['admin itself', 'admin', { s_user_id: 0 }, ['8']],
  ['a blank customer is none', 'rick', { s_user_id: ' ' }, ['3']],
  ['the type in any case', 'bob', { s_paymenttype: 'paypal' }, ['2']],
  ['the type as a whole', 'bob', { s_paymenttype: 'pay' }, []],
  ['the currency exactly', 'bob', { s_currency: 'EUR' }, ['1']],
  ['a currency in another case is another', 'bob', { s_currency: 'eur' }, []],
  ['the default currency finds payments without one', 'bob', { s_currency: 'USD' }, ['2']],
  ['completed ones', 'bob', { s_completed: 1 }, ['1']],
  ['those that are not', 'bob', { s_completed: 0 }, ['2']],
  ['what is neither 1 nor 0 filters nothing', 'bob', { s_completed: 'maybe' }, ['2', '1']],
  ['blank filters are none', 'bob', { s_completed: '', s_paymenttype: '', s_currency: '' }, ['2', '1']],
])('%s', async (_rule, caller, params, expected) => {
  expect(await listed(await aWorld(), caller, params)).toEqual(expected)
})

test.each([
  [
    'both ends included',
    { s_from: seconds('2026-03-09T23:59:59Z'), s_till: seconds('2026-03-10T08:00:00Z') },
    ['7', '2'],
  ],
  ['no start: from the beginning of today', { s_till: seconds('2026-03-10T08:00:00Z') }, ['2']],
  ['no end: until the end of today', { s_from: 0 }, ['7', '2', '1']],
  [
    'what is not a timestamp counts as not sent',
    { s_from: 'yesterday', s_till: '99999999999999' },
    ['2', '1'],
  ],
  ['an end before the start', { s_from: seconds('2026-03-11T00:00:00Z') }, []],
])('the period applies to the date: %s', async (_rule, params, expected) => {
  expect(await listed(await aWorld(), 'bob', params)).toEqual(expected)
})

test("today and the printed times are in the installation's zone", async () => {
  const world = await aWorld({}, { Timezone: 'Europe/Vilnius' })
  world.now = new Date('2026-03-10T22:30:00Z')
  await world.given({
    users: people,
    payments: [{ id: '1', user_id: '10', date: '2026-03-11 00:00:00', amount: '1' }],
  })

  expect(await world.call(method, 'bob')).toContain('<date>2026-03-11 00:00:00</date>')
})

test('awkward amounts are rounded once, half away from zero', async () => {
  const amounts = ['0.00005', '-0.00005', '1e-7', '1234567890123456789012345.00005', '-7']
  const world = await aWorld({
    users: people,
    payments: amounts.map((amount, id) => ({
      id: String(id),
      user_id: '10',
      date: '2026-03-10 09:00:00',
      amount,
    })),
  })

  const body = await world.call(method, 'bob')

  expect([...body.matchAll(/<amount>(.*?)</g)].map(([, amount]) => amount)).toEqual([
    '0.0001',
    '-0.0001',
    '0.0000',
    '1234567890123456789012345.0001',
    '-7.0000',
  ])
})

test('without payments the list is empty', async () => {
  const world = await aWorld({ users: people })

  for (const caller of ['admin', 'alice', 'rick', 'pat', 'bob']) {
    expect(await world.call(method, caller)).toContain(
      '<page><pagename>Payments_list</pagename><payments/></page>',
    )
  }
})

test.each([
  ['nobody in particular', undefined, {}, 'Bad login'],
  ['an unknown account', 'zoe', {}, 'Bad login'],
  ['a blocked account', 'ben', {}, 'Bad login'],
  ["admin, of a reseller's customer", 'admin', { s_user_id: 20 }, 'Dont_be_so_smart'],
  ["the accountant, of a reseller's customer", 'alice', { s_user_id: 20 }, 'Dont_be_so_smart'],
  ["a reseller, of another's customer", 'rick', { s_user_id: 30 }, 'Dont_be_so_smart'],
  ["a partner, of admin's customer", 'pat', { s_user_id: 10 }, 'Dont_be_so_smart'],
  ['an unknown customer', 'admin', { s_user_id: 12345 }, 'Dont_be_so_smart'],
  ['a customer that is not a number', 'admin', { s_user_id: 'bob' }, 'Dont_be_so_smart'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithPayments()

  expect(await world.call(method, caller, params)).toContain(
    `<page><status><error>${message}</error></status></page>`,
  )
})

test('a list costs one read for its one customer', async () => {
  const world = await aWorldWithPayments()

  await world.call(method, 'admin', { s_user_id: 10 })

  expect(world.log).toMatchObject([{ read_units: 5 }])
})
