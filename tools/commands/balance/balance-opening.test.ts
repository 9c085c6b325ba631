import { expect, test } from 'vitest'
import { totalOf } from '#lib/base/balance.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { bookBankRows } from '#lib/billing/bank/book-rows.ts'
import { allocateEveryone, willAllocate } from '#lib/billing/payments/allocate-oldest.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { settingObstacle } from '#lib/calls/setting-change.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { mediate, partsOf } from '#lib/cdrs/pipeline/pipeline.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { balancesFrom, carriedOut } from '#test/acts/carry-out.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { rate } from '#test/examples/tariffs.ts'
import { aBilledWorld, issue } from '#test/invoicing/a-month.ts'
import { CALL, csv } from '#test/mediation/csv-switch.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'

const person = (id: number, usertype: string, owner_id: number) => ({
  id: String(id),
  username: `p${id}`,
  usertype,
  owner_id: String(owner_id),
  password_hash: '0'.repeat(40),
})

const people = [person(0, 'admin', 0), person(2, 'reseller', 0), person(20, 'user', 2)]

const call = (uniqueid: string, calldate: string, cells: Readonly<Record<string, string>> = {}) => ({
  uniqueid,
  calldate: `${calldate} 09:00:00`,
  src: '37000001',
  dst: '12025550199',
  disposition: 'ANSWERED',
  duration: '70',
  billsec: '61',
  hangupcause: '16',
  user_id: '20',
  user_price: '0.1',
  reseller_price: '0.07',
  provider_price: '0.05',
  ...cells,
})

const payment = (id: string, date: string, cells: Readonly<Record<string, string>> = {}) => ({
  id,
  user_id: '20',
  date: `${date} 10:00:00`,
  confirm_date: `${date} 10:00:00`,
  type: 'cash',
  amount: '10',
  completed: '1',
  ...cells,
})

const balanceOf = async ({ store }: World, accountId: number): Promise<string> => {
  const found = await findBalance(store, accountId)
  return found ? totalOf(found.balance) : 'none'
}

const balances = async (world: World) => [await balanceOf(world, 20), await balanceOf(world, 2)]

const given = {
  users: people,
  currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
  calls: [call('early', '2026-03-08'), call('one', '2026-03-09'), call('two', '2026-03-10')],
  payments: [
    payment('1', '2026-03-08'),
    payment('2', '2026-03-09', { currency: 'EUR' }),
    payment('3', '2026-03-10', { completed: '0' }),
  ],
}

test('opening charges the calls and books the payments from that day on; later ones follow', async () => {
  const world = await aWorld(given)
  expect(await balances(world)).toEqual(['0', '0'])

  expect(await balancesFrom(world, '2026-03-09')).toBe(3)
  expect(await balances(world)).toEqual(['12.3', '-0.14'])
  expect(await balancesFrom(world, '2026-03-09')).toBe(0)

  await world.given({
    calls: [
      call('three', '2026-03-10'),
      call('late', '2026-03-08'),
      call('two', '2026-03-10', { user_price: '0.25' }),
    ],
    currencies: [{ name: 'EUR', exchange_rate: '0.5' }],
    payments: [payment('3', '2026-03-10'), payment('2', '2026-03-09', { currency: 'EUR', type: 'card' })],
    adjustments: [
      { id: '1', user_id: '20', date: '2026-03-10 11:00:00', amount: '-1', who: 'ada', why: 'fee' },
    ],
  })
  expect(await balances(world)).toEqual(['21.05', '-0.21'])
  expect(await damageIn(world)).toEqual([])
})

test('the day may move in both directions, and balances close', async () => {
  const world = await aWorld(given)
  await balancesFrom(world, '2026-03-10')
  expect(await balances(world)).toEqual(['-0.1', '-0.07'])

  await balancesFrom(world, '2026-03-08')
  expect(await balances(world)).toEqual(['22.2', '-0.21'])
  expect(await damageIn(world)).toEqual([])
  await balancesFrom(world, '2026-03-10')
  expect(await balances(world)).toEqual(['-0.1', '-0.07'])
  await balancesFrom(world, '')
  expect(await balances(world)).toEqual(['0', '0'])
  expect(await damageIn(world)).toEqual([])
})

test('a day with calls cannot be set without opening', async () => {
  const world = await aWorld(given)
  const obstacle = (after: string) =>
    settingObstacle(world.store, 'Balance_From', { before: '', after }, readSettings({}))

  expect(await obstacle('2026-03-10')).toMatchObject({
    code: 'calls_on_balance_day',
    values: { day: '2026-03-10' },
  })
  expect(await obstacle('2026-03-11')).toBeUndefined()
  await importRows(
    { store: world.store, clock: world.services.clock },
    {
      settings: [{ name: 'Balance_From', value: '2026-03-11' }],
      calls: [call('next', '2026-03-11'), call('before', '2026-03-10')],
    },
  )
  expect(await balances(world)).toEqual(['-0.1', '-0.07'])
  expect(await damageIn(world)).toEqual([])
})

test('a consumer with the settings of before charges the first call of a past day by the new ones', async () => {
  const caller = { ...person(21, 'user', 0), tariff_id: '1' }
  const tariffs = [{ id: '1', name: 'Retail', owner_id: '0' }]
  const rates = [rate({ prefix: '1', tariff_rate: '0.03' })]
  const world = await aWorld({ ...given, users: [...people, caller], tariffs, rates })
  await balancesFrom(world, '2026-02-01')
  const mediation = await openMediation(world.store, world.now)
  await balancesFrom(world, '2026-03-01')
  const text = csv([{ ...CALL, start: '2026-02-10 09:00:00', account_code: 'p21' }])
  const document = { format: 'csv' as const, source: 'gw', zone: 'UTC', text }

  expect(await mediate(mediation, partsOf(mediation, [document]))).toMatchObject({ stored: 1 })
  expect(await damageIn(world)).toEqual([])
})

/** Calls on twenty days. */
const twentyDays = Array.from({ length: 20 }, (_, n) =>
  call(`c-${n}`, `2026-02-${String(n + 1).padStart(2, '0')}`),
)

test('days are fenced together, and once', async () => {
  const world = await aWorld({ ...given, calls: twentyDays })
  await balancesFrom(world, '2026-02-01')
  let transactions = 0
  const transact: Store['transact'] = (changes) => {
    transactions += 1
    return world.store.transact(changes)
  }
  await balancesFrom({ ...world, store: { ...world.store, transact } }, '2026-02-01')

  // 20 days with calls, 18 without until today and 7 to come, 12 in a transaction; and the end of the change.
  expect(transactions).toBe(5)
})

test('a day whose lists lag behind its counters is charged again, alone', async () => {
  const world = await aWorld({ ...given, calls: twentyDays })
  const lists: string[] = []
  const pages: Store['pages'] = (query) => {
    const isOfDay = query.partition.includes('#2026-02-07#')
    if (isOfDay) lists.push(query.partition)
    return isOfDay && lists.filter((one) => one === query.partition).length === 1
      ? nothing()
      : world.store.pages(query)
  }
  expect(await balancesFrom({ ...world, store: { ...world.store, pages } }, '2026-02-01')).toBe(22)

  expect(lists.length).toBe(2)
  expect(await damageIn(world)).toEqual([])
})

async function* nothing() {
  yield []
}

const TWO = [10, 11]

const bankRow = (customer: number) => ({
  row: {
    ...{ place: customer, id: `row${customer}`, statement: 0, day: '2026-05-28', amount: '12.1' },
    ...{ currency: 'EUR', isCredit: true, isReturn: false, payer: '', payerAccount: '', text: 'May' },
    ...{ references: [], ids: [], account: '' },
  },
  proposal: { does: 'pay' as const, customer, invoices: [], by: 'payer' as const },
})

const adjusted = {
  ...{ id: '1', user_id: '11', date: '2026-05-28 10:00:00', amount: '-1', who: 'ada', why: 'fee' },
}

const invoice = (id: number) => ({
  ...{ id: String(id), user_id: String(id), number: `I-${id}`, issue_date: '2026-05-20' },
  ...{ price: '10', price_with_vat: '12.1', vat_percent: '21' },
  ...{ period_from: '2026-04-01', period_till: '2026-04-30' },
})

/** Runs over two customers, which change the table for one after the other. */
const longRuns: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'an import': ({ store, now }) =>
    importRows(
      { store, clock: () => now },
      { payments: [payment('1', '2026-05-28', { user_id: '10' })], adjustments: [adjusted] },
    ),
  'the rows of a bank file': (world) => carriedOut(world, bookBankRows(TWO.map(bankRow))),
  'the hourly allocation': async ({ store, now }) =>
    allocateEveryone({ store, settings: await settingsOf(store), now }),
  'the invoices of a month': (world) => issue(world),
}

test.each(Object.entries(longRuns))('%s that began before books by the new day', async (_, run) => {
  const settings = { Balance_From: '', Allocate_Payments: 'oldest', Payments_With_VAT: '1' }
  const customers = TWO.map((id) => ({
    ...person(id, 'user', 0),
    minimal_month: '5',
    minimal_from: '2026-05-01',
  }))
  const world = await aBilledWorld({ users: [person(0, 'admin', 0), ...customers] }, settings)
  for (const id of TWO) {
    await carriedOut(world, recordPayment, { customer: String(id), amount: '12.1', again: 'yes' })
    await world.given({ invoices: [invoice(id)] })
    await world.store.transact(willAllocate(await settingsOf(world.store), { id, user_id: id }, '12.1'))
  }
  let isOpen = false
  const transact: Store['transact'] = async (changes) => {
    await world.store.transact(changes)
    if (isOpen || !JSON.stringify(changes).includes('user_id":10')) return
    isOpen = true
    await balancesFrom(world, '2026-05-01')
  }
  await run({ ...world, store: { ...world.store, transact } })

  expect(isOpen).toBe(true)
  expect(await damageIn(world)).toEqual([])
})
