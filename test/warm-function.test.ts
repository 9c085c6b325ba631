import { beforeEach, expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { routing } from '#test/examples/routing.ts'
import { aWorld, SECRET_KEY, type World, warmCalls } from '#test/world.ts'
import { method as quickstatsGet } from '../functions/calls/quickstats_get.ts'
import { method as devicesGet } from '../functions/devices/devices_get.ts'
import { method as rateGet } from '../functions/rates/rate_get.ts'
import { method as userLogin } from '../functions/session/user_login.ts'

/** A warm function learns of changed settings, accounts and tariffs within a second (wire.md 2). */

const rate = (tariff_rate: string) => ({
  tariff_id: '1',
  prefix: '370',
  tariff_rate,
  destination: 'Lithuania',
})

let world: World
let call: World['call']

beforeEach(async () => {
  const users = people.map((user) => (user.username === 'bob' ? { ...user, tariff_id: '1' } : user))
  world = await aWorld({ ...routing, users, rates: [rate('0.1')] }, { Devices_Check_Rate: '1' })
  call = warmCalls(world)
})

const pass = (milliseconds: number) => {
  world.now = new Date(world.now.getTime() + milliseconds)
}

const devices = (username = 'admin') => call(devicesGet, username, { user_id: 10 })

test('a change of the key holds from the next second on', async () => {
  await devices()
  await world.set({ API_Secret_Key: 'another key of 24 letters' })

  pass(999)
  expect(await devices()).toContain('<devices>')
  pass(1)
  expect(await devices()).toContain('Incorrect hash')

  await world.set({ API_Secret_Key: SECRET_KEY })
  expect(await devices()).toContain('Incorrect hash')
  pass(1000)
  expect(await devices()).toContain('<devices>')
})

const blockBob = (blocked: '0' | '1') =>
  world.given({
    users: people.filter(({ username }) => username === 'bob').map((bob) => ({ ...bob, blocked })),
  })

test('a blocked account is anonymous within a second, and back again as fast', async () => {
  const stats = () => call(quickstatsGet, 'bob')
  expect(await stats()).toContain('<quickstats>')
  await blockBob('1')

  pass(999)
  expect(await stats()).toContain('<quickstats>')
  pass(1)
  expect(await stats()).toContain('Access Denied')

  await blockBob('0')
  pass(1000)
  expect(await stats()).toContain('<quickstats>')
})

test('a new account can call at once, also after its name was tried', async () => {
  const newcomer = { ...people[2], id: '50', username: 'nina' }
  expect(await devices('nina')).toContain('Bad login')

  await world.given({ users: [newcomer] })
  expect(await devices('nina')).toContain('Dont_be_so_smart')
})

test('a login checks the account as it is: its password, and whether it is blocked', async () => {
  const login = (p: string) => call(userLogin, undefined, { u: 'bob', p })
  const setPassword = (password_hash: string) =>
    world.given({ users: people.flatMap((one) => (one.username === 'bob' ? { ...one, password_hash } : [])) })
  const hashOfBen = people.find(({ username }) => username === 'ben')?.password_hash ?? ''
  await call(quickstatsGet, 'bob')
  expect(await login('password of bob')).toContain('Successfully logged in')

  await setPassword(hashOfBen)
  expect(await login('password of bob')).toContain('Login failed')
  expect(await login('password of ben')).toContain('Successfully logged in')
  await blockBob('1')
  expect(await login('password of bob')).toContain('Login failed')
})

test('new rates hold from the next second on', async () => {
  const rateOfBob = () => call(rateGet, 'bob', { prefix: '370' })
  expect(await rateOfBob()).toContain('<rate>0.1#')
  await world.given({ rates: [rate('0.2')] })

  pass(999)
  expect(await rateOfBob()).toContain('<rate>0.1#')
  pass(1)
  expect(await rateOfBob()).toContain('<rate>0.2#')
})

test('at 20 requests a second, a warm function reads settings and accounts once a second', async () => {
  for (let sent = 0; sent < 60; sent += 1) {
    await devices()
    pass(50)
  }

  const [settingsAndAccounts, devicesOfBob] = [3, 1]
  const units = world.log.map(({ read_units }) => read_units)
  expect(units).toEqual(
    units.map((_, index) => (index % 20 === 0 ? settingsAndAccounts + devicesOfBob : devicesOfBob)),
  )
})
