import { expect, test } from 'vitest'
import { listActiveAdmins } from '#lib/accounts/account.ts'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { people } from '#test/examples/examples.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { blockAccount, setPassword, unblockAccount } from './account-acts.ts'

const methods = (await loadFunctionFiles()).map(({ method }) => method)
const login = methods.find(({ name }) => name === 'user_login')

const aLogin = (world: World, p: string) => {
  if (!login) throw new Error('There is no method user_login')
  return world.call(login, 'bob', { p })
}

const logOf = async ({ store }: World) =>
  (await listAuditLog(store)).map((entry) => 'did' in entry && [entry.account, entry.did])

test('a blocked account is anonymous from the next request until unblocked; each is logged once', async () => {
  const world = await aWorld({ users: people })
  const bob = { account: 'bob' }

  await carriedOut(world, blockAccount, bob)
  expect(await carriedOut(world, blockAccount, bob)).toEqual({ answer: { id: 10, blocked: true } })
  expect(await aLogin(world, 'password of bob')).toContain('Login failed')
  expect(await damageIn(world)).toEqual([])
  world.now = new Date(world.now.getTime() + 1000)
  await carriedOut(world, unblockAccount, bob)

  expect(await aLogin(world, 'password of bob')).not.toContain('Login failed')
  expect(await logOf(world)).toEqual([
    ['bob', 'blocked'],
    ['bob', 'unblocked'],
  ])
})

test('a new password is valid from the next login on, and is in no log and no request', async () => {
  const world = await aWorld({ users: people })

  await carriedOut(world, setPassword, { account: 'bob', password: ' a new password ' })

  expect(await aLogin(world, 'password of bob')).toContain('Login failed')
  expect(await aLogin(world, ' a new password ')).not.toContain('Login failed')
  expect(await logOf(world)).toEqual([['bob', 'got another password']])
  expect(JSON.stringify(await world.dump())).not.toContain('a new password')
  const short = carriedOut(world, setPassword, { account: 'bob', password: 'short' })
  await expect(short).rejects.toMatchObject({ code: 'unfit_password', field: 'password' })
})

test('an account with customers is blocked only when that is agreed to', async () => {
  const world = await aWorld({ users: people })

  await expect(carriedOut(world, blockAccount, { account: 'rick' })).rejects.toMatchObject({
    code: 'owns_customers',
    values: { username: 'rick', customers: 1 },
  })
  const agreed = await carriedOut(world, blockAccount, { account: 'rick', yes: 'yes' })
  expect(agreed.answer).toEqual({ id: 2, blocked: true })
})

test('the last active admin cannot be blocked, also not by two at the same moment', async () => {
  const adele = { id: '50', username: 'adele', password_hash: 'none', usertype: 'admin', owner_id: '0' }
  const world = await aWorld({ users: [...people, adele] })
  const block = (account: string) => carriedOut(world, blockAccount, { account, yes: 'yes' })

  const outcomes = await Promise.allSettled([block('admin'), block('adele')])

  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const [left, ...others] = await listActiveAdmins(world.store)
  expect(others).toEqual([])
  await expect(block(left?.username ?? '')).rejects.toMatchObject({ code: 'last_admin' })
})
