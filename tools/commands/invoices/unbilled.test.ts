import { expect, test } from 'vitest'
import { aConsoleClient } from '#test/console/console-client.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { unbilledListing } from './show-tool.ts'

const services = [
  { id: '1', owner_id: '0', name: 'Flat 500', type: 'flat_rate', period: 'monthly', price: '25' },
]

test('changes beyond Late_Months, and subscriptions that nothing charges, need attention', async () => {
  const password_hash = '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8'
  const world = await aBilledWorld(
    {
      users: [{ ...admin, password_hash }, person(10), person(11)],
      services,
      subscriptions: [{ id: '1', user_id: '10', service_id: '1', from: '2026-05-01 00:00:00' }],
      calls: [aCall(10, '2026-05-03 10:00:00', '2'), aCall(11, '2026-05-03 10:00:00', '2')],
    },
    { Charges_From: '2026-05-01' },
  )
  for (const [month, now] of [
    ['2026-05', '2026-06-02'],
    ['2026-06', '2026-07-02'],
    ['2026-07', '2026-08-02'],
  ]) {
    world.now = new Date(`${now}T08:00:00Z`)
    await issue(world, { month: month ?? '' })
  }
  const rows = async () => Array.fromAsync((await unbilledListing(world.store, {}, world.now)).rows)
  const subscription = {
    customer: 'u10',
    subscription:
      'subscription 1: Flat 500 is never charged (it is flat_rate monthly): choose how in service 1',
  }
  // August's invoice, which comes next, reaches June.
  await world.given({ calls: [aCall(10, '2026-06-03 10:00:00', '0.25')] })
  expect(await rows()).toEqual([subscription])

  await world.given({
    calls: [aCall(10, '2026-05-03 10:00:00', '1.25'), aCall(11, '2026-05-30 10:00:00', '0.5')],
  })

  expect(await rows()).toEqual([
    { customer: 'u10', month: '2026-05', calls: '-0.75', charges: '0' },
    subscription,
    { customer: 'u11', month: '2026-05', calls: '0.5', charges: '0' },
  ])
  const client = aConsoleClient(world)
  expect((await client.signIn('u0', 'password')).status).toBe(200)
  expect((await client.get('/month/unbilled')).body).toMatchObject({
    currency: 'EUR',
    customers: [
      {
        customer: { id: 10 },
        months: [{ month: '2026-05', calls: '-0.75' }],
        subscriptions: [expect.any(String)],
      },
      { customer: { id: 11 }, months: [{ month: '2026-05', calls: '0.5', charges: '0' }] },
    ],
    next: null,
  })
})
