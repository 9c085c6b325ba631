import { expect, test } from 'vitest'
import { findBalance } from '#lib/billing/balance.ts'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { anEvent } from '#test/event.ts'
import { estates } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'

const OF_A_FORM = { 'Content-Type': 'application/json', 'X-Tollgate-Console': '1' }

test('a balance is adjusted for a reason, once, and the log says so', async () => {
  const world = await aWorld(estates, { Balance_From: '2026-01-01' })
  const client = await aSignedClient(world, 'admin')
  const before = (await client.get('/customers/10')).body['customer'] as { readonly balance: string }

  expect(
    (await client.send('POST', '/adjustments', { customer: 10, amount: '-2,50', why: 'fraud' })).body,
  ).toEqual({
    id: expect.any(Number),
    customer: 10,
    amount: '-2.5',
  })
  const after = (await client.get('/customers/10')).body['customer'] as { readonly balance: string }
  expect(Number(after.balance)).toBe(Number(before.balance) - 2.5)
  expect(await listNewestLogEntries(world.store, 9)).toContainEqual(
    expect.objectContaining({ action: 'adjusted the balance of bob by -2.5 USD: fraud' }),
  )
  for (const values of [{ amount: '0', why: 'x' }, { amount: '1' }, { amount: 'x', why: 'x' }])
    expect((await client.send('POST', '/adjustments', { customer: 10, ...values })).status).toBe(422)
  expect(await damageIn(world)).toEqual([])
})

test('a payment books its amount without VAT, names its invoice, and an equal one is asked about', async () => {
  const invoice = { id: '1', user_id: '10', number: 'A-1', issue_date: '2026-03-01' }
  const world = await aWorld(
    {
      ...estates,
      users: estates.users?.map((user) => ({ ...user, vat_percent: '19' })) ?? [],
      invoices: [{ ...invoice, price: '10', price_with_vat: '11.9' }],
    },
    { Balance_From: '2026-03-10', Payments_With_VAT: '1' },
  )
  const client = await aSignedClient(world, 'admin')
  const pay = (values: Readonly<Record<string, string>>) =>
    client.send('POST', '/payments', { customer: 10, ...values })

  const paid = async () => Number((await findBalance(world.store, 10))?.balance.paid)
  const before = await paid()
  expect((await pay({ amount: '119' })).status).toBe(200)
  expect((await paid()) - before).toBe(100)
  expect(await pay({ amount: '119' })).toMatchObject({
    status: 409,
    body: { error: { code: 'conflict', remedy: { act: 'again' } } },
  })
  expect((await pay({ amount: '119', again: 'yes' })).status).toBe(200)
  expect((await pay({ amount: '11.90', invoice: 'A-1' })).status).toBe(200)
  expect((await findInvoicesOfNumber(world.store, 'A-1'))[0]).toMatchObject({ status: 'paid' })
  expect(await damageIn(world)).toEqual([])
})

test('a request of one key is carried out once, and answered again; with other values it is refused', async () => {
  const world = await aWorld(estates, { Balance_From: '2026-01-01' })
  const client = await aSignedClient(world, 'admin')
  const { headers } = anEvent({ method: 'POST', headers: { Cookie: client.cookie, ...OF_A_FORM } })
  const adjust = (values: Readonly<Record<string, string>>) =>
    client.send(
      'POST',
      '/adjustments',
      { customer: 10, amount: '5', why: 'goodwill', ...values },
      {
        headers: { ...headers, 'Idempotency-Key': 'form-1' },
      },
    )

  const first = await adjust({})
  const stored = await world.dump()
  expect(await adjust({})).toMatchObject({ status: 200, body: first.body })
  expect(await adjust({ why: 'other' })).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  expect(await world.dump()).toEqual(stored)
  expect(await damageIn(world)).toEqual([])
})

test.each([
  ['amount', '6'],
  ['reference', 'B'],
  ['type', 'bank'],
  ['comment', 'other'],
  ['date', '2026-03-09'],
])('a payment with the key of an earlier one and another %s is refused', async (name, other) => {
  const world = await aWorld(estates, { Balance_From: '2026-01-01' })
  const client = await aSignedClient(world, 'admin')
  const { headers } = anEvent({ method: 'POST', headers: { Cookie: client.cookie, ...OF_A_FORM } })
  const first = {
    customer: 10,
    amount: '5',
    reference: 'A',
    type: 'cash',
    comment: 'one',
    date: '2026-03-10',
  }
  const pay = (values: Readonly<Record<string, string | number>>) =>
    client.send('POST', '/payments', values, { headers: { ...headers, 'Idempotency-Key': 'form-1' } })

  const { body } = await pay(first)
  const stored = await world.dump()
  expect(await pay(first)).toMatchObject({ status: 200, body })
  expect((await pay({ ...first, [name]: other })).status).toBe(409)
  expect(await world.dump()).toEqual(stored)
})

test.each([
  ['a device', '/records/devices', { user_id: 10 }],
  ['a subscription', '/records/subscriptions', { user_id: 10, service_id: 6000, from: '2026-04-01' }],
  ['a service', '/records/services', { name: 'Line', price: '3', charged: 'monthly' }],
])('%s whose answer was lost is not added by the second attempt of its form', async (_what, path, values) => {
  const world = await aWorld(estates, { Balance_From: '2026-01-01' })
  const client = await aSignedClient(world, 'admin')
  const { headers } = anEvent({ method: 'POST', headers: { Cookie: client.cookie, ...OF_A_FORM } })
  const submit = (key: string, sent: Readonly<Record<string, string | number>> = values) =>
    client.send('POST', path, sent, { headers: { ...headers, 'Idempotency-Key': key } })

  expect(
    (await submit('form-1', { ...values, amount: 'x', user_id: 'x', price: 'x' })).status,
  ).toBeGreaterThan(399)
  const first = await submit('form-1')
  const stored = await world.dump()

  expect(first.status).toBe(200)
  // The answer about a device has its secret, which no request keeps.
  expect(await submit('form-1')).toMatchObject(
    path.endsWith('devices')
      ? {
          status: 409,
          body: { error: { code: 'already_done', message: expect.stringContaining('look at') } },
        }
      : { status: 200, body: first.body },
  )
  expect(await world.dump()).toEqual(stored)
  const again = path.endsWith('subscriptions') ? { ...values, again: 'yes' } : values
  expect((await submit('form-2', again)).status).toBe(200)
  expect(await damageIn(world)).toEqual([])
})

test('all suspended CDRs of a reason are retried, and no others', async () => {
  const world = await aWorld(estates)
  const entry = (index: number, reason: 'unreadable' | 'unknown_account') => ({
    ...{
      id: String(index).padStart(24, '0'),
      order: `00177314040${index}#000`,
      format: 'asterisk-csv',
      reason,
    },
    ...{ source: 'pbx', zone: 'UTC', detail: 'd', text: 'x' },
  })
  await putSuspended(world.store, [entry(1, 'unreadable'), entry(2, 'unknown_account')])
  const client = await aSignedClient(world, 'admin')

  expect((await client.send('POST', '/suspense/retry', { reason: 'unknown_account' })).body).toEqual({
    stored: 0,
    suspended: 1,
    next: null,
  })
  const reverse = { from: '2026-03-02', till: '2026-03-01' }
  expect((await client.send('POST', '/suspense/retry', reverse)).status).toBe(422)
  expect(await listNewestLogEntries(world.store, 9)).toEqual([
    expect.objectContaining({
      action: 'retried suspended CDRs (unknown_account): 0 CDRs stored, 1 still suspended',
    }),
  ])
})
