import { expect, test } from 'vitest'
import { totalOf } from '#lib/base/balance.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { settingObstacle } from '#lib/calls/setting-change.ts'
import { readSettings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { balancesFrom } from '#test/acts/carry-out.ts'
import { importRows } from '#test/datasets/import-rows.ts'
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

  // 20 days with calls and 9 around today, 12 in a transaction; and the end of the change.
  expect(transactions).toBe(4)
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
