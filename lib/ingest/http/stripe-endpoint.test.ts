import { createHash, createHmac } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { findInvoices, listInvoices } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { listPayments, type StoredPayment, unassignedOf } from '#lib/billing/payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { refundPayment } from '#lib/billing/payments/refund-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { aContext, anEvent } from '#test/event.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { passwordOf } from '#test/examples/estates.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { aServer } from '#test/server.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, bodyOf, type World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { method as paymentCreate } from '../../../functions/billing/payment_create.ts'
import { stripeEndpoint } from './stripe-endpoint.ts'

const SECRET = 'whsec_test_secret'

const SETTINGS = {
  ...{ Stripe_Key: 'sk_test_0123456789', Stripe_Webhook_Secret: SECRET },
  Page_Address: 'https://pay.example.com/',
}

const signsIn = (username: string) => ({
  username,
  password_hash: createHash('sha1').update(passwordOf(username)).digest('hex'),
})

const PEOPLE = [
  person(10, { ...signsIn('carol'), email: 'carol+billing@dent.example', postpaid: '1' }),
  person(11, { ...signsIn('dave'), postpaid: '1' }),
  person(20, { ...signsIn('rick'), usertype: 'reseller' }),
  person(21, { username: 'ann', owner_id: '20', postpaid: '1' }),
]

/** Two months of carol's are issued: 121.00 and 60.50 with VAT. Dave has an invoice, too. */
async function aPayableWorld(settings: Readonly<Record<string, string>> = {}) {
  const calls = [
    aCall(10, '2026-05-03 10:00:00', '100'),
    aCall(11, '2026-05-03 10:00:00', '50'),
    aCall(10, '2026-06-03 10:00:00', '50'),
  ]
  const world = await aBilledWorld({ users: [admin, ...PEOPLE], calls }, { ...SETTINGS, ...settings })
  await issue(world)
  world.now = new Date('2026-07-02T08:00:00Z')
  await issue(world, { month: '2026-06' })
  const [one, two] = await invoicesOf(world, 10)
  if (!one || !two) throw new Error('carol has no two invoices')
  return { world, one, two }
}

const invoicesOf = async ({ store }: World, user: number) =>
  (await Array.fromAsync(listInvoices(store, { user }))).flat()

const openOf = async (world: World, { id }: { readonly id: number }) => {
  const [invoice] = await findInvoices(world.store, [id])
  return invoice && openAmount(invoice)
}

/** The payments of carol with what they have left, oldest first. */
const paymentsOf = async ({ store }: World, user = 10) =>
  (await Array.fromAsync(listPayments(store, { user }, ALL_TIME)))
    .flat()
    .sort((one, other) => one.id - other.id)
    .map((one) => `${one.amount} ${one.currency || 'EUR'}, ${unassignedOf(one)} left`)

const lastPayment = async ({ store }: World): Promise<StoredPayment> => {
  const found = (await Array.fromAsync(listPayments(store, { user: 10 }, ALL_TIME))).flat()
  const last = found.sort((one, other) => one.id - other.id).at(-1)
  if (!last) throw new Error('carol has no payment')
  return last as StoredPayment
}

const seconds = ({ now }: World) => Math.floor(now.getTime() / 1000)

/** As Stripe's own library signs (stripe 23.1.0, webhooks.generateTestHeaderString). */
const signed = (body: string, time: number, secret = SECRET) =>
  `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`

async function post(world: World, body: string, signature: string, method = 'POST') {
  const openStore = notingWrites('stripe', world.services.openStore)
  const endpoint = stripeEndpoint({ ...world.services, openStore })
  const event = { ...anEvent({ path: '/stripe', body, headers: { 'Stripe-Signature': signature } }) }
  const answer = await endpoint({ ...event, httpMethod: method }, aContext())
  return `${answer.statusCode} ${JSON.parse(bodyOf(answer)).outcome}`
}

let events = 0

async function tell(world: World, type: string, object: object, created = seconds(world)) {
  events += 1
  const body = JSON.stringify({ id: `evt_${events}`, object: 'event', type, created, data: { object } })
  const outcome = await post(world, body, signed(body, seconds(world)))
  world.now = new Date(world.now.getTime() + 1000)
  return outcome
}

const session = (invoice: { readonly id: number }, amount_total: number, more: object = {}) => ({
  ...{ id: 'cs_test_1', object: 'checkout.session', payment_intent: 'pi_1', payment_status: 'paid' },
  ...{ amount_total, currency: 'eur', metadata: { tollgate_invoice: String(invoice.id) }, ...more },
})

const charge = (amount_refunded: number, more: object = {}) => ({
  ...{ id: 'ch_1', object: 'charge', payment_intent: 'pi_1', amount: 12_100, amount_refunded },
  ...{ currency: 'eur', metadata: { tollgate_invoice: '1' }, ...more },
})

const dispute = (status: string, more: object = {}) => ({
  ...{ id: 'dp_1', object: 'dispute', payment_intent: 'pi_1', amount: 12_100, currency: 'eur', status },
  ...more,
})

const COMPLETED = 'checkout.session.completed'

test('a payment by card costs at most 6 write units more than payment_create', async () => {
  const { world, one } = await aPayableWorld({ API_allow_Payments: '1' })
  const spent = () => Number(world.log.at(-1)?.['write_units'])
  await world.call(paymentCreate, 'u0', {
    ...{ user_id: '10', p_currency: 'EUR' },
    amount: '121',
    transaction: 'T-1',
  })
  const byMethod = spent()
  await tell(world, COMPLETED, session(one, 12_100))

  expect([byMethod, spent()]).toEqual([15, 18])
})

// The page

/** Answers as api.stripe.com does: one key, one session; another form under it is an error. */
async function aStripe(refusal?: { readonly status: number; readonly error: object }) {
  const sessions = new Map<string, string>()
  const server = await aServer(({ body, headers }, response) => {
    response.setHeader('Content-Type', 'application/json')
    const key = String(headers['idempotency-key'])
    if (refusal) return void response.writeHead(refusal.status).end(JSON.stringify(refusal))
    const before = sessions.get(key)
    sessions.set(key, body)
    if (before !== undefined && before !== body)
      return void response.writeHead(400).end(JSON.stringify({ error: { type: 'idempotency_error' } }))
    const id = `cs_test_${[...sessions.keys()].indexOf(key) + 1}`
    const url = `https://checkout.stripe.com/c/pay/${id}`
    response.writeHead(200).end(JSON.stringify({ id, object: 'checkout.session', url }))
  })
  const fetchElsewhere = globalThis.fetch
  vi.stubGlobal('fetch', (address: string, request: RequestInit) =>
    fetchElsewhere(address.replace('https://api.stripe.com', server.origin), request),
  )
  return server
}

test('a customer gets the page of a session for what is open, the same one for a second click', async () => {
  const { world, one, two } = await aPayableWorld()
  const stripe = await aStripe()
  const carol = await aSignedClient(world, 'carol')
  const payFor = async ({ id }: { readonly id: number }) =>
    (await carol.send('POST', `/own/invoices/${id}/pay`)).body

  expect((await carol.get('/own/dues')).body['invoices']).toMatchObject([{ byCard: true }, { byCard: true }])
  const first = { url: 'https://checkout.stripe.com/c/pay/cs_test_1' }
  expect([await payFor(one), await payFor(one)]).toEqual([first, first])
  expect(await payFor(two)).toEqual({ url: 'https://checkout.stripe.com/c/pay/cs_test_2' })
  await carryOutAs(world.store, recordPayment, act(world), {
    ...{ customer: 'carol', amount: '21', invoice: one.number },
  })
  expect(await payFor(one)).toEqual({ url: 'https://checkout.stripe.com/c/pay/cs_test_3' })

  const [request] = stripe.arrived
  expect(request).toMatchObject({ method: 'POST', path: '/v1/checkout/sessions' })
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer sk_test_0123456789',
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    ...{ mode: 'payment', client_reference_id: String(one.id), customer_email: 'carol+billing@dent.example' },
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'eur',
    'line_items[0][price_data][unit_amount]': '12100',
    'line_items[0][price_data][product_data][name]': one.number,
    'metadata[tollgate_invoice]': String(one.id),
    'payment_intent_data[metadata][tollgate_invoice]': String(one.id),
    'payment_intent_data[description]': one.number,
    success_url: `https://pay.example.com/#/?paid=${one.number}`,
    cancel_url: 'https://pay.example.com/',
  })
  expect(stripe.arrived.at(-1)?.body).toContain('unit_amount%5D=10000')
})

test('nobody pays an invoice of somebody else, one that is paid, or without keys', async () => {
  const { world, one } = await aPayableWorld()
  const stripe = await aStripe()
  const [carol, dave] = [await aSignedClient(world, 'carol'), await aSignedClient(world, 'dave')]
  const path = `/own/invoices/${one.id}/pay`

  expect((await dave.send('POST', path)).status).toBe(404)
  await tell(world, COMPLETED, session(one, 12_100))
  expect((await carol.send('POST', path)).body['error']).toMatchObject({
    ...{ code: 'conflict', message: `${one.number} cannot be paid by card here.` },
  })
  expect((await carol.get('/own/dues')).body['invoices']).toMatchObject([{ byCard: true }])
  await world.set({ Stripe_Key: '' })
  expect((await carol.get('/own/dues')).body['invoices']).toMatchObject([{ byCard: false }])
  expect(stripe.arrived).toEqual([])
})

test('what Stripe refuses is told by its code, never with a key', async () => {
  const { world, one } = await aPayableWorld()
  await aStripe({ status: 401, error: { type: 'invalid_request_error', message: 'sk_test_0123456789' } })
  const carol = await aSignedClient(world, 'carol')

  const { status, body } = await carol.send('POST', `/own/invoices/${one.id}/pay`)

  expect([status, JSON.stringify(body)]).toEqual([409, expect.not.stringContaining('sk_test')])
  expect(JSON.stringify(body)).toContain('Stripe takes no payment now: invalid_request_error.')
  expect(JSON.stringify(world.log)).not.toContain('sk_test')
})

// The webhook

test('a signature of Stripe’s own library is right; any other one is refused before anything is read', async () => {
  const world = await aWorld({}, SETTINGS)
  world.now = new Date(1_773_144_000_000)
  const body = '{"id":"evt_1","object":"event"}'
  const right = 't=1773144000,v1=55def54ef935d8ba1095933fcf7673508933d684346beaab5b5666e50dd8356d'

  expect(await post(world, body, right)).toBe('400 unreadable')
  expect(await post(world, body, `${right.replace(',v1', ',v1=00,v0=1,v1')},v1=`)).toBe('400 unreadable')
  for (const wrong of [
    ...['', 't=1773144000', right.replace('v1', 'v0'), right.replace('55de', '55df'), `${right}0`],
    ...[right.replace('t=17', 't=x'), right.replace('1773144000', '1773144001')],
    signed(body, seconds(world), 'whsec_other_secret'),
  ])
    expect(await post(world, body, wrong)).toBe('400 unsigned')
  expect(await post(world, `${body} `, right)).toBe('400 unsigned')
  world.now = new Date(1_773_144_300_000)
  expect(await post(world, body, right)).toBe('400 unreadable')
  world.now = new Date(1_773_144_301_000)
  expect(await post(world, body, right)).toBe('400 unsigned')
  expect(await post(world, 'x'.repeat(1_000_001), right)).toBe('413 too_large')
  expect(await post(world, body, right, 'GET')).toBe('405 wrong_verb')
  await world.set({ Stripe_Webhook_Secret: '' })
  expect(await post(world, body, signed(body, seconds(world)))).toBe('404 off')
  expect(JSON.stringify(world.log)).not.toContain(SECRET)
})

test('a payment pays its invoice once, whatever comes twice or at once', async () => {
  const { world, one } = await aPayableWorld()
  const paid = session(one, 12_100)

  expect(await tell(world, COMPLETED, { ...paid, payment_status: 'unpaid' })).toBe('200 skipped')
  const both = await Promise.all([
    tell(world, COMPLETED, paid),
    tell(world, 'checkout.session.async_payment_succeeded', paid),
  ])
  expect(both.sort()).toEqual(['200 booked', '200 booked_before'])
  expect(await tell(world, COMPLETED, paid)).toBe('200 booked_before')
  expect(await tell(world, 'checkout.session.async_payment_failed', paid)).toBe('200 skipped')

  expect([await paymentsOf(world), await openOf(world, one)]).toEqual([['121 EUR, 0 left'], '0'])
  expect(await lastPayment(world)).toMatchObject({ type: 'stripe', transaction_id: 'pi_1' })
  expect(await damageIn(world)).toEqual([])
})

test('what does not fit is booked as it came, and stays unassigned', async () => {
  const { world, one, two } = await aPayableWorld()
  await carryOutAs(world.store, recordPayment, act(world), {
    ...{ customer: 'carol', amount: '121', invoice: one.number },
  })
  await world.given({ currencies: [{ name: 'JPY', exchange_rate: '160' }] })
  const told = (payment_intent: string, amount: number, more: object = {}) =>
    tell(world, COMPLETED, session(one, amount, { payment_intent, ...more }))

  expect(await told('pi_paid', 12_100)).toBe('200 booked')
  expect(await tell(world, COMPLETED, session(two, 7000, { payment_intent: 'pi_more' }))).toBe('200 booked')
  expect(await told('pi_yen', 500, { currency: 'jpy' })).toBe('200 booked')
  expect(await told('pi_other', 500, { currency: 'xag' })).toBe('422 refused')
  expect(await told('pi_none', 500, { metadata: { tollgate_invoice: '987654321' } })).toBe('200 skipped')
  expect(await told('pi_shop', 500, { metadata: {} })).toBe('200 skipped')
  expect(await told('pi_odd', 0.5)).toBe('400 unreadable')
  for (const type of ['constructor', 'toString', '__proto__'])
    expect(await tell(world, type, session(one, 500))).toBe('200 skipped')

  expect(await paymentsOf(world)).toEqual([
    ...['121 EUR, 0 left', '121 EUR, 121 left', '70 EUR, 9.5 left', '500 JPY, 500 left'],
  ])
  expect(await damageIn(world)).toEqual([])
})

test('refunds are told as a sum: each is booked once, in any order, beside those noted by hand', async () => {
  const { world, one } = await aPayableWorld()

  expect(await tell(world, 'charge.refunded', charge(2000))).toBe('503 not_yet')
  expect(await tell(world, 'charge.refunded', charge(2000, { metadata: {} }))).toBe('200 skipped')
  expect(await tell(world, 'charge.refunded', charge(2000), seconds(world) - 3601)).toBe('503 not_yet')
  await tell(world, COMPLETED, session(one, 12_100))
  const payment = await lastPayment(world)
  expect(await tell(world, 'charge.refunded', charge(2000))).toBe('200 booked')
  expect([await openOf(world, one), await paymentsOf(world)]).toEqual([
    ...['20', ['121 EUR, 0 left', '-20 EUR, 0 left']],
  ])
  expect(await tell(world, 'charge.refunded', charge(2000))).toBe('200 booked_before')
  await carryOutAs(world.store, refundPayment, act(world), {
    ...{ payment: String(payment.id), amount: '10', release: 'yes' },
  })
  expect(await tell(world, 'charge.refunded', charge(3000))).toBe('200 booked_before')
  expect(await tell(world, 'charge.refunded', charge(2500))).toBe('200 booked_before')
  const both = [charge(12_100), charge(12_100)].map((full) => tell(world, 'charge.refunded', full))
  expect((await Promise.all(both)).sort()).toEqual(['200 booked', '200 booked_before'])
  expect([await openOf(world, one), await paymentsOf(world)]).toEqual([
    '121',
    ['121 EUR, 0 left', '-20 EUR, 0 left', '-10 EUR, 0 left', '-91 EUR, 0 left'],
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a refund that fails pays its invoice again, once, and after its refund is booked', async () => {
  const { world, one } = await aPayableWorld()
  await tell(world, COMPLETED, session(one, 12_100))
  const refund = (status: string) => ({
    ...{ id: 're_1', object: 'refund', payment_intent: 'pi_1', amount: 2000, currency: 'eur', status },
  })

  expect(await tell(world, 'refund.updated', refund('pending'))).toBe('200 skipped')
  expect(await tell(world, 'refund.failed', refund('failed'))).toBe('503 not_yet')
  await tell(world, 'charge.refunded', charge(2000))
  expect(await openOf(world, one)).toBe('20')
  expect(await tell(world, 'refund.failed', refund('failed'))).toBe('200 booked')
  for (const type of ['charge.refund.updated', 'refund.updated', 'refund.failed'])
    expect(await tell(world, type, refund('failed'))).toBe('200 booked_before')
  expect([await openOf(world, one), await paymentsOf(world)]).toEqual([
    ...['0', ['121 EUR, 0 left', '-20 EUR, 0 left', '20 EUR, 0 left']],
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a dispute takes the money away once, and gives it back if it is won, in any order', async () => {
  const { world, one } = await aPayableWorld()
  await tell(world, COMPLETED, session(one, 12_100))

  expect(await tell(world, 'charge.dispute.created', dispute('warning_needs_response'))).toBe('200 skipped')
  expect(await tell(world, 'charge.dispute.closed', dispute('won'))).toBe('200 booked')
  expect((await paymentsOf(world)).sort()).toEqual(['-121 EUR, 0 left', '121 EUR, 0 left', '121 EUR, 0 left'])
  for (const [type, status] of [
    ['created', 'needs_response'],
    ['funds_withdrawn', 'needs_response'],
    ['funds_reinstated', 'won'],
    ['closed', 'won'],
  ] as const)
    expect(await tell(world, `charge.dispute.${type}`, dispute(status))).toBe('200 booked_before')
  expect([await openOf(world, one), (await paymentsOf(world)).length]).toEqual(['0', 3])
  expect(await damageIn(world)).toEqual([])
})

test('a won dispute of money that no invoice has gives it back to the customer', async () => {
  const { world, one } = await aPayableWorld()
  await world.given({ currencies: [{ name: 'JPY', exchange_rate: '160' }] })
  await tell(world, COMPLETED, session(one, 500, { currency: 'jpy' }))
  const ofYen = dispute('won', { amount: 500, currency: 'jpy' })

  expect(await tell(world, 'charge.dispute.closed', ofYen)).toBe('200 booked')
  expect((await paymentsOf(world)).sort()).toEqual([
    '-500 JPY, 0 left',
    '500 JPY, 0 left',
    '500 JPY, 500 left',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a lost dispute opens the invoice again, and what was taken back by hand is left alone', async () => {
  const { world, one, two } = await aPayableWorld()
  await tell(world, COMPLETED, session(one, 12_100))
  expect(await tell(world, 'charge.dispute.created', dispute('needs_response'))).toBe('200 booked')
  expect(await tell(world, 'charge.dispute.closed', dispute('lost'))).toBe('200 booked_before')
  expect(await openOf(world, one)).toBe('121')

  await tell(world, COMPLETED, session(two, 6050, { payment_intent: 'pi_2' }))
  const { id } = await lastPayment(world)
  await carryOutAs(world.store, takeBackPayment, act(world), { payment: String(id), why: 'Slip' })
  const more = { payment_intent: 'pi_2' }
  expect(await tell(world, 'charge.refunded', charge(6050, more))).toBe('200 skipped')
  expect(await tell(world, 'charge.dispute.created', dispute('lost', { id: 'dp_2', ...more }))).toBe(
    '200 skipped',
  )
  expect(await damageIn(world)).toEqual([])
})

const act = ({ now }: World) => ({ as: undefined, now })
