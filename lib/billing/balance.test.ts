import { expect, test } from 'vitest'
import { totalOf } from '#lib/base/balance.ts'
import { callerKey } from '#lib/table/keys.ts'
import { aWorld } from '#test/world.ts'
import { balancesOfAccounts, findBalance } from './balance.ts'

const users = [
  { id: '0', username: 'admin', usertype: 'admin', owner_id: '0', password_hash: '0'.repeat(40) },
  {
    id: '10',
    username: 'bob',
    usertype: 'user',
    owner_id: '0',
    balance: '12.5',
    credit: '10',
    postpaid: '0',
    password_hash: '0'.repeat(40),
  },
]

test('a balance is the opening one plus all parts, read in one round trip for 3 units', async () => {
  const world = await aWorld({ users })
  await world.store.transact([
    { put: { PK: 'BALANCE#10#0', SK: 'BALANCE', paid: 20, adjusted: -1, charged: 3, fees: 2 } },
    { put: { PK: 'BALANCE#10#1', SK: 'BALANCE', charged: 1 } },
  ])
  const before = { ...world.store.meter.spent }

  const found = await findBalance(world.store, 10)

  expect(found?.balance).toEqual({ opening: '12.5', paid: '20', adjusted: '-1', charged: '4', fees: '2' })
  expect(found?.account).toMatchObject({ credit: '10', postpaid: false })
  expect(found && totalOf(found.balance)).toBe('25.5')
  expect(world.store.meter.spent.roundTrips - before.roundTrips).toBe(1)
  expect(world.store.meter.spent.read - before.read).toBeLessThanOrEqual(3)
  expect(await balancesOfAccounts(world.store, [{ id: 10, balance: '12.5' }])).toEqual([found?.balance])
  expect(await findBalance(world.store, 11)).toBeUndefined()
})

test('without these columns an account has balance 0, unlimited credit and is postpaid', async () => {
  const world = await aWorld({ users })

  expect(await findBalance(world.store, 0)).toMatchObject({
    account: { balance: '0', credit: '-1', postpaid: true },
    balance: { opening: '0', paid: '0', adjusted: '0', charged: '0' },
  })
  const [admin, bob] = await world.store.getMany([callerKey('admin'), callerKey('bob')])
  expect(Object.keys(admin ?? {})).not.toContain('credit')
  expect(bob).toMatchObject({ balance: '12.5', credit: '10', postpaid: false })
})
