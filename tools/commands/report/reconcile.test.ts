import { expect, test } from 'vitest'
import { adjustments } from '#lib/billing/adjustment.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { adjustBalance } from '#lib/billing/payments/adjust-balance.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { balancesFrom } from '#test/acts/carry-out.ts'
import { aBilledWorld, aCall, admin, bill, person } from '#test/invoicing/a-month.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { reconcileReport } from './reconcile.ts'

const doneBy = (world: World, act: Parameters<typeof carryOutAs>[1], values: Record<string, string>) =>
  carryOutAs(world.store, act, { as: 'u0', now: world.now }, values)

/** May is issued. Customer 10 has paid a part of it and something else, 12 is written off, 11 is prepaid. */
async function aBilledMay(): Promise<World> {
  const world = await aBilledWorld({
    users: [admin, person(10, { balance: '2' }), person(11, { postpaid: '0', balance: '50' }), person(12)],
    calls: [10, 11, 12].map((id) => aCall(id, '2026-05-03 10:00:00', `${id}.1234`)),
  })
  await bill(world, { month: '2026-05', owner: 0 }, 'issue')
  await world.given({
    calls: [aCall(10, '2026-06-01 10:00:00', '0.5'), aCall(10, '2026-05-31 10:00:00', '3')],
  })
  await doneBy(world, recordPayment, { customer: 'u10', amount: '6.05', invoice: 'A-2026-1' })
  await doneBy(world, recordPayment, { customer: 'u10', amount: '1.5' })
  await doneBy(world, adjustBalance, { customer: 'u10', amount: '0.25', why: 'Outage' })
  await doneBy(world, writeOffInvoice, { invoice: 'A-2026-3', why: 'Gone' })
  return world
}

async function rows({ store }: World) {
  const list = await Array.fromAsync((await reconcileReport(store, undefined)).rows)
  return list.map(({ customer, where, ...figures }) => {
    const some = Object.entries(figures).filter(([, figure]) => figure !== '0.000000')
    return [customer, ...some.map(([name, figure]) => `${name} ${figure}`), where].join(', ')
  })
}

test('a balance is the open net of invoices, unassigned payments, adjustments and what is not billed', async () => {
  const world = await aBilledMay()
  expect(await rows(world)).toEqual([
    'u0, ',
    'u10, opening 2.000000, invoices -5.121959, unassigned 1.500000, adjustments 0.250000, calls -3.500000, balance -4.871959, ',
    'u11, opening 50.000000, from_balance -11.120000, balance 38.880000, ',
    'u12, ',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('what a later Balance_From leaves out of balances is in no part of them', async () => {
  const world = await aBilledMay()
  await balancesFrom(world, '2026-06-01')
  expect(await rows(world)).toEqual([
    'u0, ',
    'u10, opening 2.000000, invoices 5.001441, unassigned 1.500000, adjustments 0.250000, calls -0.500000, balance 8.251441, ',
    'u11, opening 50.000000, from_balance 0.003400, balance 50.003400, ',
    'u12, invoices 12.123400, balance 12.123400, ',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('without balances the report says how to begin', async () => {
  const world = await aBilledWorld({ users: [admin] }, { Balance_From: '' })
  await expect(rows(world)).rejects.toThrow('no_balances')
})

test('two figures that differ are named, by the report and by check-data', async () => {
  const world = await aBilledMay()
  const items = await world.dump()
  const ofInvoice = items
    .filter(({ SK, row }) => SK.startsWith('ADJUSTMENT#') && row !== undefined)
    .map(adjustments.readRow)
    .find(({ user_id, who }) => user_id === 11 && who === 'invoices')
  const before = await adjustments.find(world.store, ofInvoice?.id ?? 0)
  const after = before && { ...before, amount: '0.0134', booked: '0.0134' }
  await world.store.transact(changesOf(adjustments, before, after))
  await world.store.update(balanceKey(10, 0), { add: { fees: 1n } })

  const found = await rows(world)
  expect(found[1]).toContain('difference -1.000000, fees are 1, charges are 0')
  expect(found[2]).toContain('difference 0.010000, invoice A-2026-2 is 11.12, it takes 11.11')
  expect(await damageIn(world)).toEqual(
    expect.arrayContaining([
      'The balance of account 10 is -5.871959, which is -1 more than its parts: fees are 1, charges are 0.',
      'The balance of account 11 is 38.89, which is 0.01 more than its parts: invoice A-2026-2 is 11.12, it takes 11.11.',
    ]),
  )
})
