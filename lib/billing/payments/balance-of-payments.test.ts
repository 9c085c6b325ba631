import { expect, test } from 'vitest'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { documentPages } from '#lib/billing/document.ts'
import { payments } from '#lib/billing/payment.ts'
import { adjustBalance } from '#lib/billing/payments/adjust-balance.ts'
import { confirmPayment } from '#lib/billing/payments/confirm-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { balancesFrom } from '#test/acts/carry-out.ts'
import { rowsOfPages } from '#test/dump.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs, outcomeLine } from '#tools/command-line/act-commands.ts'
import { showBalance } from '#tools/commands/balance/balance.ts'
import { balancesReport } from '#tools/commands/report/balances.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'

const person = (id: number, usertype: string) => ({
  id: String(id),
  username: `p${id}`,
  usertype,
  owner_id: '0',
  balance: '5',
  credit: usertype === 'user' ? '20' : '-1',
  password_hash: '0'.repeat(40),
})

const aWorldWithBalances = async (): Promise<World> => {
  const world = await aWorld({
    users: [person(0, 'admin'), person(10, 'user')],
    currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
  })
  await balancesFrom(world, '2026-03-10', 'p0')
  return world
}

const act = ({ now }: World) => ({ as: 'p0', now })

const pay = (world: World, given: GivenTexts) =>
  carryOutAs(world.store, recordPayment, act(world), { customer: 'p10', ...given })

const adjust = (world: World, given: GivenTexts) =>
  carryOutAs(world.store, adjustBalance, act(world), { customer: 'p10', ...given })

test('payments and adjustments of an operator are booked, logged, and shown', async () => {
  const world = await aWorldWithBalances()
  const { store } = world

  const paid = await pay(world, { amount: '8', currency: 'EUR' })
  await pay(world, { amount: '1' })
  await adjust(world, { amount: '-30.5', why: 'Fee of the bank' })

  expect(outcomeLine(paid)).toMatch(/^Recorded payment \d{15} of p10: 8 EUR$/)
  expect((await showBalance(store, '10')).lines).toEqual([
    'p10: -14.5 USD',
    'opening on 2026-03-10: 5 USD',
    'paid: 11 USD',
    'adjusted: -30.5 USD',
    'charged: 0 USD',
    'fees: 0 USD',
    'owed, with VAT: -8 EUR (open invoices 0, unassigned 8)',
    'owed, with VAT: -1 USD (open invoices 0, unassigned 1)',
    'The balance is net, and counts calls, fees, payments and adjustments, invoiced or not',
  ])
  const { rows } = await balancesReport(store, { below: '0', accounts: undefined })
  expect(await Array.fromAsync(rows)).toEqual([
    {
      customer: 'p10',
      opening: '5.0000',
      paid: '11.0000',
      charged: '0.0000',
      fees: '0.0000',
      adjusted: '-30.5000',
      balance: '-14.5000',
      credit_left: '5.5000',
    },
  ])
  const logged = (await listAuditLog(store)).map((entry) => ('action' in entry ? entry.action : entry.who))
  expect(logged.sort()).toEqual([
    'adjusted the balance of p10 by -30.5 USD: Fee of the bank',
    'p0',
    expect.stringMatching(/^recorded payment \d+ of p10: 8 EUR$/),
    expect.stringMatching(/^recorded payment \d+ of p10: 1 USD$/),
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a second equal adjustment within a day needs --again', async () => {
  const world = await aWorldWithBalances()
  const fee = { amount: '-1', why: 'Fee' }
  await adjust(world, fee)

  await expect(adjust(world, fee)).rejects.toMatchObject({
    code: 'repeated',
    values: { what: expect.stringMatching(/^Adjustment \d+ of -1 USD by p0$/) },
  })
  await adjust(world, { ...fee, again: 'yes' })
  await adjust(world, { ...fee, amount: '1' })
  world.now = new Date(world.now.getTime() + 86_400_000)
  await adjust(world, fee)
  expect((await showBalance(world.store, 'p10')).lines[0]).toBe('p10: 3 USD')
})

test('a payment of the API that waits for its confirmation is booked when it is confirmed', async () => {
  const world = await aWorldWithBalances()
  await world.set({ API_allow_Payments: '1', API_Payment_Confirmation: '1' })
  const { method } = (await loadFunctionFiles()).find((file) => file.method.name === 'payment_create') ?? {}
  if (!method) throw new Error('There is no payment_create')
  const paid = { user_id: 10, p_currency: 'EUR', amount: '16', transaction: 'T1' }
  expect(await world.call(method, 'p0', paid)).toContain('<confirmed>No</confirmed>')
  const [waiting] = await rowsOfPages(documentPages(world.store, payments, { scope: { user: 10 } }))
  const shown = await showBalance(world.store, 'p10')
  expect([shown.lines[0], shown.json]).toEqual([
    'p10: 5 USD',
    expect.objectContaining({ username: 'p10', balance: '5', currency: 'USD' }),
  ])

  const confirm = async () =>
    outcomeLine(await carryOutAs(world.store, confirmPayment, act(world), { payment: String(waiting?.id) }))
  expect(await confirm()).toBe(`Confirmed payment ${waiting?.id} of p10: 16 EUR`)
  expect((await showBalance(world.store, 'p10')).lines[0]).toBe('p10: 25 USD')
  expect(await confirm()).toBe('Nothing has changed')
  expect(await world.call(method, 'p0', paid)).toContain('<confirmed>Yes</confirmed>')
  await world.given({ currencies: [{ name: 'EUR', exchange_rate: '0.1' }] })
  expect((await showBalance(world.store, 'p10')).lines[0]).toBe('p10: 25 USD')
  expect(await damageIn(world)).toEqual([])
})

test('a payment that the opening balance has in it lowers the balance when it is taken back', async () => {
  const world = await aWorldWithBalances()
  const paid = { date: '2026-03-05 10:00:00', confirm_date: '2026-03-05 10:00:00', completed: '1' }
  await world.given({ payments: [{ id: '7', user_id: '10', amount: '8', currency: 'EUR', ...paid }] })
  expect((await showBalance(world.store, 'p10')).lines[0]).toBe('p10: 5 USD')

  await carryOutAs(world.store, takeBackPayment, act(world), { payment: '7', why: 'Returned' })

  expect((await showBalance(world.store, 'p10')).lines[0]).toBe('p10: -5 USD')
  await balancesFrom(world, '2026-03-01', 'p0')
  expect((await showBalance(world.store, 'p10')).lines[0]).toBe('p10: 5 USD')
  expect(await damageIn(world)).toEqual([])
})

test.each([
  ['an adjustment of nothing', { amount: '0', why: 'x' }, 'adjustment_of_0'],
  ['an adjustment without a reason', { amount: '1', why: ' ' }, 'missing_value'],
  ['an adjustment of an unknown account', { customer: 'p11', amount: '1', why: 'x' }, 'unknown_account'],
])('refuses %s', async (_case, given, code) => {
  const world = await aWorldWithBalances()

  await expect(adjust(world, given)).rejects.toMatchObject({ code })
})

test('without Balance_From nothing is adjusted or shown, and a payment books nothing', async () => {
  const world = await aWorldWithBalances()
  await balancesFrom(world, '')
  await pay(world, { amount: '8' })

  const { store } = world
  const reason = 'no_balances'
  await expect(adjust(world, { amount: '1', why: 'x' })).rejects.toMatchObject({ code: 'no_balances' })
  await expect(showBalance(store, 'p10')).rejects.toThrow(reason)
  await expect(balancesReport(store, { below: undefined, accounts: undefined })).rejects.toThrow(reason)
  expect(
    (await world.dump()).filter(({ PK, paid }) => paid !== undefined && PK.startsWith('BALANCE#')),
  ).toEqual([])
})
