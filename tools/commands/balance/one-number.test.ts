import { expect, test } from 'vitest'
import { add, fixed, subtract } from '#lib/base/money.ts'
import { chargeEveryone } from '#lib/billing/charges/charge-run.ts'
import type { LedgerFigures } from '#lib/billing/ledger/ledger-figures.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import type { BilledCustomer } from '#lib/invoicing/bill-month.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { balancesFrom } from '#test/acts/carry-out.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { bill } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, SECRET_KEY, type World } from '#test/world.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import { method as balanceGet } from '../../../functions/accounts/user_balance_get.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { balancesReport } from '../report/balances.ts'
import { receivablesReport } from '../report/receivables.ts'
import { showBalance } from './balance.ts'

const DIGITS = 15

const KNOWN = { Devices_Check_Balance: '1', Nice_Number_Digits: String(DIGITS), API_Secret_Key: SECRET_KEY }

interface ShownBalance {
  readonly balance: string
  readonly opening: string
  readonly paid: string
  readonly adjusted: string
  readonly charged: string
  readonly fees: string
  readonly ledger: readonly LedgerFigures[]
}

/** An account, and the password of admin. */
interface Named {
  readonly id: number
  readonly username: string
  readonly password: string
}

/** Expects that all places say the same of an account: its balance, and what it owes. */
async function expectOneNumber(world: World, { id, username, password }: Named): Promise<void> {
  const { store } = world
  const shown = (await showBalance(store, String(id))).json as ShownBalance
  const { opening, paid, adjusted, charged, fees } = shown
  expect(shown.balance).toBe(subtract(add(opening, paid, adjusted), add(charged, fees)))

  const digits = fixed(shown.balance, DIGITS)
  const report = await balancesReport(store, { accounts: new Set([id]), below: undefined })
  expect((await Array.fromAsync(report.rows)).map(({ balance }) => balance)).toEqual([digits])
  expect(await world.call(balanceGet, 'admin', { username })).toContain(`>${digits}<`)
  const client = aConsoleClient(world)
  expect((await client.signIn('admin', password)).status).toBe(200)
  const { body } = await client.get(`/customers/${id}`)
  expect(body).toMatchObject({ customer: { balance: digits } })

  const figuresOf = (rows: readonly unknown[]) =>
    (rows as readonly LedgerFigures[])
      .map(({ currency, owed, open, unassigned }) =>
        [currency, ...[owed, open, unassigned].map((amount) => fixed(amount, DIGITS))].join(' '),
      )
      .filter((one) => /[1-9]/.test(one))
      .sort()
  const wanted = { from: undefined, till: undefined, customers: new Set([id]) }
  const reported = await Array.fromAsync((await receivablesReport(store, wanted)).rows)
  expect(figuresOf(reported)).toEqual(figuresOf(shown.ledger))
  expect(figuresOf(body['ledger'] as LedgerFigures[])).toEqual(figuresOf(shown.ledger))
}

const BOOKS: readonly FileName[] = [
  'settings',
  'currencies',
  'users',
  'tariffs',
  'devices',
  'services',
  'subscriptions',
  'payments',
  'credit_notes',
  'invoices',
]

test('on the demo, every place says the same of what each customer has and owes', async () => {
  const world = await aWorld()
  const { clock } = world.services
  for (const file of BOOKS) await importPath({ store: world.store, clock }, `${demoDataset}/${file}.csv`)
  await world.set(KNOWN)
  await balancesFrom(world, '2026-01-01')
  await world.set({ Charges_From: '2026-02-01' })
  const settings = await settingsOf(world.store)
  for await (const _ of chargeEveryone({ store: world.store, settings, now: world.now }));

  const accounts = (await world.dump()).filter(({ SK }) => SK === 'USER')
  for (const { id, username } of accounts)
    await expectOneNumber(world, { id: Number(id), username: String(username), password: 'demo-admin' })
  expect(accounts.length).toBeGreaterThan(8)
  const fees = (await world.dump()).filter(({ SK, fees }) => SK === 'BALANCE' && fees !== undefined)
  expect(fees.length).toBeGreaterThan(3)
  await issueLastMonth(world)
  for (const { id, username } of accounts)
    await expectOneNumber(world, { id: Number(id), username: String(username), password: 'demo-admin' })
  expect(await damageIn(world)).toEqual([])
})

/** Issues the demo's last month to all; carol pays a half, and northwind gets a part back. */
async function issueLastMonth(world: World): Promise<void> {
  await world.set({ Invoices_From: '2026-02-01' })
  const outcomes: BilledCustomer[] = []
  for (const owner of [0, 2, 3, 4])
    outcomes.push(...(await bill(world, { month: '2026-02', owner }, 'issue')))
  expect(outcomes.filter(({ outcome }) => outcome === 'refused')).toEqual([])
  const numberOf = (user: string) => outcomes.find(({ account }) => account.username === user)?.number ?? ''
  const act = { as: 'admin', now: world.now }
  const paid = { customer: 'carol', amount: '5', type: 'bank', invoice: numberOf('carol') }
  await carryOutAs(world.store, recordPayment, act, paid)
  const credited = { invoice: numberOf('northwind'), customer: 'northwind', amount: '2', why: 'Goodwill' }
  await addCreditNote(world.store, credited, act)
}
