import { expect, test } from 'vitest'
import type { Store } from '#lib/table/store.ts'
import { aControlledWorld, aSwitch, prepaidBob } from '#test/control/switch.ts'
import { people } from '#test/examples/examples.ts'
import { linesOfList, rowsOfList } from '#test/listed.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'
import type { TerminalAct } from '../../command-line/over-table.ts'
import { loadFunctionFiles } from '../../contracts/function-files.ts'
import { listSettingsLogRows } from '../settings/settings-tool.ts'
import {
  blockAccount as blockAsking,
  listAccountRows,
  setPassword,
  showAccount,
  unblockAccount,
} from './account.ts'

const methods = (await loadFunctionFiles()).map(({ method }) => method)
const login = methods.find(({ name }) => name === 'user_login')

const blockAccount = (store: Store, username: string, act: TerminalAct) =>
  blockAsking(store, username, act, async () => false)

const aLogin = (world: Awaited<ReturnType<typeof aWorld>>, p: string) => {
  if (!login) throw new Error('There is no method user_login')
  return world.call(login, 'bob', { p })
}

test('a blocked account is anonymous from the next request until unblocked; both are logged', async () => {
  const world = await aWorld({ users: people })
  const act = { as: 'admin', now: world.now }

  expect(await blockAccount(world.store, 'bob', act)).toEqual(['bob is blocked'])
  expect(await blockAccount(world.store, 'bob', act)).toEqual(['bob is already blocked'])
  expect(await aLogin(world, 'password of bob')).toContain('Login failed')
  expect(await damageIn(world)).toEqual([])
  expect(await unblockAccount(world.store, 'bob', { ...act, now: new Date('2026-03-10T12:00:01Z') })).toEqual(
    ['bob is unblocked'],
  )
  expect(await aLogin(world, 'password of bob')).not.toContain('Login failed')
  expect(await rowsOfList(await listSettingsLogRows(world.store))).toEqual([
    { at: '2026-03-10T12:00:00.000Z', who: 'admin', changed: 'account bob', after: 'blocked' },
    { at: '2026-03-10T12:00:01.000Z', who: 'admin', changed: 'account bob', after: 'unblocked' },
  ])
})

test('a new password is valid from the next login on, and is not in the log', async () => {
  const world = await aWorld({ users: people })

  expect(await setPassword(world.store, 'bob', 'a new password', { as: undefined, now: world.now })).toEqual([
    'bob has a new password',
  ])
  expect(await aLogin(world, 'password of bob')).toContain('Login failed')
  expect(await aLogin(world, 'a new password')).not.toContain('Login failed')
  expect(await rowsOfList(await listSettingsLogRows(world.store))).toEqual([
    expect.objectContaining({
      who: expect.stringMatching(/ at the terminal$/),
      changed: 'account bob',
      after: 'got another password',
    }),
  ])
})

test('accounts are listed by owner and id, and found by id, username and name', async () => {
  const world = await aWorld({ users: people })
  await blockAccount(world.store, 'bob', { as: 'admin', now: world.now })
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

test('a refused command changes nothing', async () => {
  const world = await aWorld({ users: people })
  const before = await world.dump()
  const act = { as: undefined, now: world.now }

  await expect(blockAccount(world.store, 'zoe', act)).rejects.toThrow('There is no account zoe')
  await expect(setPassword(world.store, 'bob', 'short', act)).rejects.toThrow('use at least 8')
  await expect(blockAccount(world.store, 'bob', { ...act, as: 'carol' })).rejects.toThrow('not an admin')
  expect(await world.dump()).toEqual(before)
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

test('an account with customers is blocked only when that is agreed to', async () => {
  const world = await aWorld({ users: people })
  const act = { as: undefined, now: world.now }
  const asked: string[] = []
  const answering = (answer: boolean) => async (question: string) => {
    asked.push(question)
    return answer
  }

  await expect(blockAsking(world.store, 'rick', act, answering(false))).rejects.toThrow(
    'rick is not blocked: rick has 1 customer, so pass --yes',
  )
  expect(await blockAsking(world.store, 'rick', act, answering(true))).toEqual(['rick is blocked'])
  expect(asked).toEqual(Array(2).fill('rick has 1 customer, who stay admitted. Block rick?'))
})

test('the last active admin cannot be blocked, also not by two commands at the same moment', async () => {
  const world = await aWorld({ users: admins })
  const act = { as: undefined, now: world.now }
  const block = (name: string) => blockAsking(world.store, name, act, async () => true)

  const outcomes = await Promise.allSettled([block('admin'), block('adele')])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const active = (await rowsOfList(await listAccountRows(world.store))).filter(
    ({ type, blocked }) => type === 'admin' && !blocked,
  )
  expect(active).toHaveLength(1)
  await expect(block(String(active[0]?.['username']))).rejects.toThrow('is the last active admin')
})

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
