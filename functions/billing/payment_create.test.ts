import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addKey } from '#lib/acts/accounts/key-acts.ts'
import { type HashOrder, signatureOf } from '#lib/api/signature.ts'
import { findInvoices } from '#lib/billing/invoice.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { noted } from '#test/evidence/log-evidence.ts'
import { billingCurrencies } from '#test/examples/billing-examples.ts'
import { people } from '#test/examples/examples.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, bodyOf, SECRET_KEY, type World } from '#test/world.ts'
import { method } from './payment_create.ts'
import { method as paymentsGet } from './payments_get.ts'

const aPayingWorld = () =>
  aWorld({ users: people, currencies: billingCurrencies }, { API_allow_Payments: '1' })

const PAYMENT = { user_id: '10', p_currency: 'EUR', amount: '100', transaction: '2S5' }

const pay = (world: World, changed: Readonly<Record<string, string>> = {}, caller = 'admin') =>
  world.call(method, caller, { ...PAYMENT, ...changed })

/** The transactions of the payments that the customers of admin and of rick have. */
async function booked(world: World): Promise<string[]> {
  const lists = await Promise.all(
    ['admin', 'rick'].map((caller) => world.call(paymentsGet, caller, { s_from: 0 })),
  )
  return [...lists.join('').matchAll(/<transaction_id(?:\/|>(.*?)<)/g)].map(
    ([, transaction = '']) => transaction,
  )
}

const NOT_SAVED = '<page><error>Payment was not saved</error><message>'

const USED = `${NOT_SAVED}Transaction is already used</message></page>`

test('a payment is booked and answered with its amounts', async () => {
  const world = await aPayingWorld()

  expect(await pay(world, { paymenttype: 'Website', comments_for_user: 'Thanks' })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><response><status>ok</status><confirmed>Yes</confirmed>' +
      '<payment currency="EUR"><payment_id>177314400000000</payment_id><tax>0.0000</tax><amount>100.0000</amount>' +
      '<gross>100.0000</gross></payment></response></page>',
  )
  expect(await world.call(paymentsGet, 'bob')).toContain(
    '<transaction_id>2S5</transaction_id><date>2026-03-10 12:00:00</date><confirm_date>2026-03-10 12:00:00</confirm_date>' +
      '<type>Website</type><amount>100.0000</amount><fee>0.0000</fee><currency>EUR</currency><completed>Completed</completed>' +
      '<comments_for_user>Thanks</comments_for_user>',
  )
  expect(await damageIn(world, await world.dump())).toEqual([])
})

test('with API_Payment_Confirmation a payment waits for an admin', async () => {
  const world = await aPayingWorld()
  await world.set({ API_Payment_Confirmation: '1' })

  expect(await pay(world)).toContain('<confirmed>No</confirmed>')
  expect(await world.call(paymentsGet, 'bob')).toContain(
    '<confirm_date/><type>Manual</type><amount>100.0000</amount><fee>0.0000</fee><currency>EUR</currency>' +
      '<completed>No (waiting for confirmation)</completed>',
  )
})

test.each([
  ['admin', '10'],
  ['rick', '20'],
  ['pat', '40'],
])('%s books a payment of an own customer', async (caller, user_id) => {
  expect(await pay(await aPayingWorld(), { user_id }, caller)).toContain('<status>ok</status>')
})

test('with a transaction the first answer is repeated, and nothing is booked again', async () => {
  const world = await aPayingWorld()
  const first = await pay(world)
  world.now = new Date(world.now.getTime() + 86_400_000)

  for (const amount of ['100', '100.0', '100.00']) {
    expect(await pay(world, { amount, paymenttype: amount === '100' ? '' : 'Card' })).toBe(first)
  }
  expect(await booked(world)).toEqual(['2S5'])
})

test('without a transaction each request is a payment', async () => {
  const world = await aPayingWorld()
  for (const _time of [1, 2]) {
    expect(await pay(world, { transaction: ' ' })).toContain('<status>ok</status>')
    world.now = new Date(world.now.getTime() + 1)
  }

  expect(await booked(world)).toEqual(['', ''])
})

test.each([
  ['another customer', { user_id: '4' }],
  ['another amount', { amount: '100.01' }],
  ['another currency', { p_currency: 'USD' }],
])('the same transaction with %s is refused', async (_what, changed) => {
  const world = await aPayingWorld()
  await pay(world)

  expect(await pay(world, changed)).toContain(USED)
  expect(await booked(world)).toEqual(['2S5'])
})

test('two owners may have one transaction each', async () => {
  const world = await aPayingWorld()

  expect(await pay(world)).toContain('<status>ok</status>')
  expect(await pay(world, { user_id: '20' }, 'rick')).toContain('<status>ok</status>')
})

test.each([
  ['amount and transaction', { amount: '1002', transaction: 'S5' }],
  ['amount and email, without a transaction', { amount: '1002', transaction: '', payer_email: 'S5' }],
  ['type and amount', { paymenttype: '1', amount: '00', transaction: '2S5' }],
  ['type, amount and transaction', { paymenttype: '10', amount: '02', transaction: 'S5' }],
])('a signature that is split otherwise books nothing: %s', async (_what, changed) => {
  const world = await aPayingWorld()
  await pay(world)

  expect(await pay(world, changed)).toContain('<error>Payment was not saved</error>')
  expect(await booked(world)).toEqual(['2S5'])
})

test('a repetition with another signature leaves none to split either', async () => {
  const world = await aPayingWorld()
  await pay(world)
  await pay(world, { payer_email: 'x' })

  expect(await pay(world, { amount: '1002', transaction: 'S5x' })).toContain(USED)
  expect(await booked(world)).toEqual(['2S5'])
})

test('of a hundred requests with one transaction one books, and all get its answer', async () => {
  const world = await aPayingWorld()

  const answers = await Promise.all(Array.from({ length: 100 }, () => pay(world)))

  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toContain('<status>ok</status>')
  expect(await booked(world)).toEqual(['2S5'])
})

test('of two splits of one signature at once, one books', async () => {
  const world = await aPayingWorld()

  const answers = await Promise.all([pay(world), pay(world, { amount: '1002', transaction: 'S5' })])

  expect(answers.filter((answer) => answer.includes('<status>ok</status>'))).toHaveLength(1)
  expect(answers.filter((answer) => answer.includes(USED))).toHaveLength(1)
  expect(await booked(world)).toHaveLength(1)
})

test.each([
  ['nobody in particular', undefined, {}, 'Bad login'],
  ['a blocked account', 'ben', {}, 'Bad login'],
  ['the accountant', 'alice', {}, 'Access Denied'],
  ['a plain user', 'bob', {}, 'Access Denied'],
  ['an unknown customer', 'admin', { user_id: '12345' }, 'Access Denied'],
  ['no customer', 'admin', { user_id: '' }, 'Access Denied'],
  ["a reseller's customer, by admin", 'admin', { user_id: '20' }, 'Access Denied'],
  ['itself, by a reseller', 'rick', { user_id: '2' }, 'Access Denied'],
  ['a currency without a rate', 'admin', { p_currency: 'XYZ' }, 'No currency'],
  ['no currency', 'admin', { p_currency: '' }, 'No currency'],
  ['a currency in another case', 'admin', { p_currency: 'eur' }, 'No currency'],
  [
    'characters that cannot be stored',
    'admin',
    { transaction: 'a\u0000' },
    'transaction has invalid characters',
  ],
])('refuses %s', async (_case, caller, changed, message) => {
  const world = await aPayingWorld()

  expect(await world.callInVain(method, caller, { ...PAYMENT, ...changed })).toContain(
    `<page><error>${message}</error></page>`,
  )
})

test.each([
  '',
  '0',
  '0.00',
  '-1',
  '+1',
  '1e2',
  '1e-7',
  '1,5',
  '1 000',
  '.5',
  '5.',
  'ten',
  'NaN',
  '0x10',
  '1'.repeat(16),
  `0.${'1'.repeat(16)}`,
])('the amount %j is refused', async (amount) => {
  const world = await aPayingWorld()

  expect(await world.callInVain(method, 'admin', { ...PAYMENT, amount })).toContain(
    `${NOT_SAVED}amount must be`,
  )
})

test.each(['999999999999999.999999999999999', '0.000000000000001'])(
  'the amount %s is exact',
  async (amount) => {
    const world = await aPayingWorld()
    await world.set({ Nice_Number_Digits: '15' })

    expect(await pay(world, { amount })).toContain(`<gross>${amount}</gross>`)
  },
)

test('while the setting is off nothing is booked', async () => {
  const world = await aPayingWorld()
  await world.set({ API_allow_Payments: '0' })

  expect(await world.callInVain(method, 'admin', PAYMENT)).toContain(
    '<page><error>Access Denied</error></page>',
  )
})

const EUR_100 = { u: 'admin', user_id: '123', p_currency: 'EUR', amount: '100' }

test.each([
  [
    'the seven values',
    {
      ...EUR_100,
      paymenttype: 'Myname',
      tax_in_amount: '1',
      amount: '100',
      transaction: '2S5sdf77',
      payer_email: 'bla',
    },
    '687a2cee0a61dee0bffa3bc8837e201a6a31af5d',
  ],
  ['three values', EUR_100, 'ffa0270f35bf43f18b160be60927838bad9c4aca'],
  ['three of several values', { ...EUR_100, transaction: 'T1' }, 'ffa0270f35bf43f18b160be60927838bad9c4aca'],
])('the vector of %s is a signature', async (_what, sent, hash) => {
  const world = await aPayingWorld()
  await world.set({ API_Secret_Key: '456789' })
  const body = new URLSearchParams({ ...sent, hash }).toString()

  expect(bodyOf(await world.send(method, { body }))).toContain('<error>Access Denied</error>')
})

test.each([
  [
    'three values with tax_in_amount',
    { ...EUR_100, tax_in_amount: '1' },
    'ffa0270f35bf43f18b160be60927838bad9c4aca',
  ],
  ['the user alone', EUR_100, 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
])('%s are not a signature', async (_what, sent, hash) => {
  const world = await aPayingWorld()
  await world.set({ API_Secret_Key: '456789' })
  const body = new URLSearchParams({ ...sent, hash }).toString()

  expect(bodyOf(await world.send(method, { body }))).toContain(
    '<status><error>Incorrect hash</error></status>',
  )
})

test('a payment takes three trips and fifteen units of writes, a repetition two trips and none', async () => {
  const world = await aPayingWorld()
  for (const _time of [1, 2]) await pay(world)

  expect(world.log.slice(-2)).toMatchObject([
    { round_trips: 3, write_units: 15 },
    { round_trips: 2, write_units: 0 },
  ])
})

test('a payment that names an invoice pays it, and the answer stays', async () => {
  const world = await aPayingWorld()
  await world.given({
    invoices: [
      {
        id: '9',
        user_id: '10',
        number: 'A-9',
        issue_date: '2026-03-01',
        price: '80',
        price_with_vat: '100',
        currency: 'EUR',
      },
    ],
  })

  const answer = await pay(world, { invoice: 'a-9', transaction: '' })
  expect(answer).toContain('<amount>100.0000</amount><gross>100.0000</gross>')
  expect(await findInvoices(world.store, [9])).toMatchObject([{ status: 'paid', paid_amount: '100' }])
  const dump = await world.dump()
  expect(await pay(world, { invoice: 'A-8' })).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>${NOT_SAVED}invoice: there is no invoice A-8 of this customer</message></page>`,
  )
  expect(await world.dump()).toEqual(dump)
  expect(await damageIn(world)).toEqual([])
})

test('the short order of signatures does not sign an invoice', async () => {
  const world = await aPayingWorld()
  const hash = createHash('sha1').update(`10EUR100${SECRET_KEY}`).digest('hex')
  const body = new URLSearchParams({ u: 'admin', ...PAYMENT, invoice: 'A-9', hash }).toString()

  expect(bodyOf(await world.send(method, { body }))).toContain('Incorrect hash')
})

describe('a captured hash of a payment', () => {
  const SHORT = method.hashOrders[1]
  const FULL = method.hashOrders[0]
  const NO_SPLIT = 'The signature is already used with other values'

  /** Sends a payment with the hash of another one. */
  async function send(world: World, sent: Readonly<Record<string, string>>, hash: string): Promise<string> {
    const body = new URLSearchParams(noted({ u: 'admin', user_id: '10', p_currency: 'USD', ...sent, hash }))
    world.now = new Date(world.now.getTime() + 1)
    return bodyOf(await world.send(method, { body: body.toString() }))
  }

  const hashOf = (sent: Readonly<Record<string, string>>, order: HashOrder): string =>
    signatureOf({ user_id: '10', p_currency: 'USD', ...sent }, order, SECRET_KEY)

  const amounts = async (world: World) =>
    [...(await world.call(paymentsGet, 'admin', { s_from: 0 })).matchAll(/<amount>(.*?)<\/amount>/g)].map(
      ([, amount]) => amount,
    )

  const FIVE = { amount: '5', transaction: '299363' }

  test.each([
    ['without a transaction', { amount: '5299363' }],
    ['under its transaction', { amount: '5299363', transaction: '299363' }],
    ['under another transaction', { amount: '5299363', transaction: 'T2' }],
    ['with a type', { amount: '299363', paymenttype: '5' }],
  ])('of all values is none of the short order, %s', async (_how, sent) => {
    const world = await aPayingWorld()
    const hash = hashOf(FIVE, FULL)
    expect(await send(world, FIVE, hash)).toContain('<status>ok</status>')

    expect(await send(world, sent, hash)).toContain('<error>Payment was not saved</error>')
    expect(await amounts(world)).toEqual(['5.0000'])
    expect(await damageIn(world)).toEqual([])
  })

  test('of the short order is none of all values', async () => {
    const world = await aPayingWorld()
    const hash = hashOf({ amount: '5299363' }, SHORT)
    expect(await send(world, { amount: '5299363' }, hash)).toContain('<status>ok</status>')

    expect(await send(world, FIVE, hash)).toContain(USED)
    expect(await send(world, { ...FIVE, transaction: '', payer_email: '299363' }, hash)).toContain(NO_SPLIT)
    expect(await amounts(world)).toEqual(['5299363.0000'])
  })

  test('without a transaction books no other split', async () => {
    const world = await aPayingWorld()
    const hash = hashOf({ amount: '7', payer_email: '5' }, FULL)
    expect(await send(world, { amount: '7', payer_email: '5' }, hash)).toContain('<status>ok</status>')

    expect(await send(world, { amount: '75' }, hash)).toContain(NO_SPLIT)
    expect(await amounts(world)).toEqual(['7.0000'])
  })

  test('of the short order signs the same values under other transactions, as in the original', async () => {
    const world = await aPayingWorld()
    const hash = hashOf({ amount: '7' }, SHORT)
    const first = await send(world, { amount: '7', transaction: 'T1' }, hash)
    expect(await send(world, { amount: '7', transaction: 'T1' }, hash)).toBe(first)

    for (const transaction of ['T2', ''])
      expect(await send(world, { amount: '7', transaction }, hash)).toContain('<status>ok</status>')
    expect(await amounts(world)).toEqual(['7.0000', '7.0000', '7.0000'])
  })

  test('signs only in the order of all values while Payments_Sign_All is on', async () => {
    const world = await aPayingWorld()
    await world.set({ Payments_Sign_All: '1' })

    expect(await send(world, { amount: '7', transaction: 'T1' }, hashOf({ amount: '7' }, SHORT))).toContain(
      '<error>Incorrect hash</error>',
    )
    expect(await send(world, FIVE, hashOf(FIVE, FULL))).toContain('<status>ok</status>')
  })

  test('signs only in the order of all values under a key that asks for it', async () => {
    const world = await aPayingWorld()
    const keyOf = async (name: string, signAll?: 'yes') => {
      const wanted = { name, as: 'admin', methods: 'payment_create', signAll }
      return noted({ secret: await secretOf(world, addKey, wanted) }).secret
    }
    const [strict, usual] = [await keyOf('strict', 'yes'), await keyOf('usual')]
    const sent = { user_id: '10', p_currency: 'USD', amount: '7', transaction: 'T1' }

    expect(await send(world, sent, signatureOf(sent, SHORT, strict))).toContain('Incorrect hash')
    expect(await send(world, sent, signatureOf(sent, FULL, strict))).toContain('<status>ok</status>')
    expect(await send(world, sent, signatureOf(sent, SHORT, usual))).toContain('<status>ok</status>')
  })
})
