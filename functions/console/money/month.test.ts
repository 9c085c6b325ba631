import { expect, test } from 'vitest'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { aWorld } from '#test/world.ts'

test('a month is of all customers but some, or of some alone, and says what it lacks', async () => {
  const world = await aWorld(estates)
  await world.set({ Invoices_From: '2026-03-01' })
  const ids = Array.from({ length: 60 }, (_, index) => `${100 + index}`)
  await world.given({
    users: ids.map((id) => ({
      id,
      owner_id: '0',
      username: `u${id}`,
      usertype: 'user',
      password_hash: '0'.repeat(40),
    })),
  })
  world.now = new Date('2026-04-02T12:00:00Z')
  const client = await aSignedClient(world, 'admin')
  const listed = async (wish: Readonly<Record<string, string>>) => {
    const found: number[] = []
    for (let after: string | null = ''; after !== null; ) {
      const { body } = await client.get('/month', { month: '2026-03', ...wish, after })
      const customers = body['customers'] as { customer: { id: number } }[]
      found.push(...customers.map(({ customer }) => customer.id))
      after = body['next'] as string | null
    }
    return found
  }

  const all = await listed({})
  expect(all.length).toBeGreaterThan(60)
  expect(await listed({ except: '100,159' })).toEqual(all.filter((id) => id !== 100 && id !== 159))
  expect(await listed({ only: '159,100' })).toEqual([100, 159])
  expect(await client.get('/month', { month: '2026-03', only: '1;2' })).toMatchObject({ status: 422 })

  const looked = await client.get('/month', { month: '2026-03', only: '100' })
  expect(looked.body['seller']).toEqual({ name: '', missing: ['name', 'address', 'VAT number', 'bank'] })
  await world.set({ Seller_Name: 'Acme', Seller_Address: 'High Street 1', Seller_Bank: 'GB00 1' })
  const sold = await client.get('/month', { month: '2026-03', only: '100' })
  expect(sold.body['seller']).toEqual({ name: 'Acme', missing: ['VAT number'] })
  const { customers } = (await client.get('/month/unbilled')).body as { customers: Record<string, unknown>[] }
  expect(customers).toContainEqual({
    ...{ customer: { id: 100, name: 'u100' }, hasTariff: false, unfit: null, months: [], subscriptions: [] },
  })
  expect(customers.filter(({ hasTariff }) => hasTariff)).toEqual([])
})

test('services that are never charged lose money, and VAT that becomes credit does', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'admin')
  const losses = async () => (await client.get('/month/losses')).body
  const nothing = { services: [], taxed: [], next: null }
  expect(await losses()).toEqual(nothing)
  await world.given({
    services: [
      { id: '90', name: 'Forgotten', owner_id: '0', price: '10', period: 'monthly' },
      { id: '91', name: 'Free', owner_id: '0', price: '0' },
    ],
    users: [{ id: '10', vat_percent: '19' }],
  })
  const services = [{ id: 90, name: 'Forgotten', price: '10' }]
  expect(await losses()).toEqual({ ...nothing, services })
  await world.set({ Balance_From: '2026-01-01' })
  expect(await losses()).toMatchObject({ services, taxed: [{ id: 10 }] })
  await world.set({ Payments_With_VAT: '1' })
  expect(await losses()).toEqual({ ...nothing, services })
})
