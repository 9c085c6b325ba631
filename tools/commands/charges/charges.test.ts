import { expect, test } from 'vitest'
import { hourlyCharges } from '#lib/billing/charges/charge-run.ts'
import { settingObstacle } from '#lib/calls/setting-change.ts'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'
import { listingText } from '../../command-line/listing.ts'
import { chargeNow, listStoredCharges } from './charges.ts'

const given = {
  users: people,
  services: [
    { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'daily', price: '10' },
    { id: '4', owner_id: '0', name: 'Flat 500', type: 'flat_rate', period: 'monthly', price: '25' },
  ],
  subscriptions: [
    { id: '1', user_id: '10', service_id: '1', from: '2026-03-08 00:00:00', quantity: '2' },
    { id: '2', user_id: '10', service_id: '4', from: '2026-03-08 00:00:00' },
  ],
}

const act = (world: World) => ({ as: undefined, now: world.now })

async function charge(world: World, options: Parameters<typeof chargeNow>[1] = {}) {
  const { listing, ...notes } = await chargeNow(world.store, options, act(world))
  const rows = JSON.parse((await Array.fromAsync(listingText(listing, 'json'))).join(''))
  return { rows, ...notes }
}

const line = {
  customer: 'bob',
  subscription: 1,
  service: 'Line',
  from: '2026-03-08',
  till: '2026-03-08',
  charged: '2026-03-08',
  quantity: 2,
  net: '20',
  currency: 'USD',
  amount: '20',
}

test('a dry run lists charges, a run makes them once and is logged, and the list has them', async () => {
  const world = await aWorld(given, { Charges_From: '2026-03-08' })
  const days = [line, { ...line, from: '2026-03-09', till: '2026-03-09', charged: '2026-03-09' }]
  const uncharged = [
    'subscription 2: Flat 500 is never charged (it is flat_rate monthly): choose how in service 4',
  ]

  expect(await charge(world, { dryRun: true, customer: 'bob' })).toEqual({
    rows: days,
    uncharged,
    refused: [],
  })
  expect((await charge(world)).rows).toEqual(days)
  expect((await charge(world, { customer: '10' })).rows).toEqual([])

  const list = await listStoredCharges(world.store, undefined)
  expect(JSON.parse((await Array.fromAsync(listingText(list, 'json'))).join(''))).toEqual(days)
  expect(await listAuditLog(world.store)).toMatchObject([{ action: 'made 2 charges of subscriptions' }])
})

test('while Charges_From is blank the command says how to set it', async () => {
  const world = await aWorld(given)
  await expect(charge(world)).rejects.toMatchObject({ code: 'charges_off' })
})

test('charges and invoices begin no earlier than balances', async () => {
  const { store } = await aWorld({}, { Balance_From: '2026-03-01' })
  const obstacle = (name: 'Charges_From' | 'Invoices_From', after: string) =>
    settingObstacle(store, name, { before: '', after }, readSettings({ Balance_From: '2026-03-01' }))

  expect(await obstacle('Charges_From', '2026-02-28')).toMatchObject({
    code: 'before_balances',
    values: { setting: 'Charges_From', day: '2026-02-28', from: '2026-03-01' },
  })
  expect(await obstacle('Invoices_From', '2026-02-28')).toMatchObject({ code: 'before_balances' })
  expect(await obstacle('Charges_From', '2026-03-01')).toBeUndefined()
  expect(await obstacle('Charges_From', '')).toBeUndefined()
})

test('the hourly function logs what it did; off, it reads the settings and nothing else', async () => {
  const world = await aWorld(given, { Charges_From: '2026-03-08' })
  await hourlyCharges(world.services)()
  expect(world.log).toMatchObject([
    { function: 'charge_subscriptions', outcome: 'charged', charges: 2, uncharged: 1, refused: 0 },
  ])

  const off = await aWorld(given)
  await hourlyCharges(off.services)()
  expect(off.log).toMatchObject([{ charges: 0, read_units: 1, write_units: 0 }])
})
