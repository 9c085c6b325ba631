import { expect, test } from 'vitest'
import { blockAccount } from '#lib/acts/accounts/account-acts.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { aControlledWorld, aSwitch, prepaidBob } from '#test/control/switch.ts'
import { people } from '#test/examples/examples.ts'
import { linesOfList, rowsOfList } from '#test/listed.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'
import { listAccountRows, showAccount } from './account.ts'

test('accounts are listed by owner and id, and found by id, username and name', async () => {
  const world = await aWorld({ users: people })
  await carriedOut(world, blockAccount, { account: 'bob' })
  const ids = async (search: string) =>
    (await rowsOfList(await listAccountRows(world.store, search))).map(({ username }) => username)

  const listed = await linesOfList(await listAccountRows(world.store))
  expect([listed[0], ...listed.slice(-6)]).toEqual([
    'id  username  name       type        owner  blocked',
    '10  bob       Bob Brown  user            0  yes',
    '11  ben       ben        user            0  yes',
    '20  carol     carol      user            2  no',
    '30  dave      dave       user            3  no',
    '40  paula     paula      user            4  no',
    '10 accounts',
  ])
  expect(await ids('BROWN')).toEqual(['bob'])
  expect(await ids('10')).toEqual(['bob'])
  expect(await ids('nobody')).toEqual([])
})

test('an account is shown without its secrets', async () => {
  const dids = ['12025550101', '12025550102'].map((did, index) => ({
    id: String(index + 1),
    did,
    owner_id: '0',
    user_id: '10',
  }))
  const world = await aWorld({ users: people, dids })

  expect((await showAccount(world.store, 'bob', world.now)).lines).toEqual([
    'bob: account 10, user of owner 0',
    'name: Bob Brown',
    'blocked: no',
    'tariff: none',
    'currency: default',
    'permissions: none',
    'devices: 0',
    'DIDs: 12025550101, 12025550102',
    'limits: postpaid, credit without a limit',
  ])
})

test('an account is shown with its limits, and what is left and held for its calls', async () => {
  const limits = { calls_limit: '20', dearest_rate: '0.5', reserve_seconds: '60', daily_balance_limit: '7' }
  const world = await aControlledWorld(prepaidBob('8', limits))
  await (await aSwitch(world)).authorize({ call: 'one' })

  const { lines, json } = await showAccount(world.store, 'bob', world.now)
  expect(lines.slice(-2)).toEqual([
    'limits: prepaid, credit 0, 7 a day, 20 calls at once, 0.5 a minute, 60 seconds reserved',
    'calls: 6.8 USD left, 0.2 USD held for 1 call',
  ])
  expect(json).toMatchObject({
    calls_limit: 20,
    calls: { left: '6.8', held: '0.2', holds: [{ seconds: 60 }] },
  })
})

const admins = [
  ...people,
  {
    id: '50',
    username: 'adele',
    password_hash: 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3',
    usertype: 'admin',
    owner_id: '0',
  },
]

test('an import cannot block or demote the last active admin', async () => {
  const world = await aWorld({ users: admins })
  const rowOf = (id: string, changes: Readonly<Record<string, string>>) => ({
    ...admins.find((row) => row.id === id),
    ...changes,
  })
  const importing = (...users: ReturnType<typeof rowOf>[]) => world.given({ users })

  await importing(rowOf('50', { blocked: '1' }))
  await expect(importing(rowOf('0', { blocked: '1' }))).rejects.toThrow('admin is the last active admin')
  await importing(rowOf('0', { blocked: '1' }), rowOf('50', { blocked: '0' }))
  await expect(importing(rowOf('50', { usertype: 'user' }))).rejects.toThrow('adele is the last active admin')
  expect(await damageIn(world)).toEqual([])
})
