import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { everything } from '#test/examples/everything.ts'
import { aWritingWorld, changes } from '#test/examples/writing.ts'
import { aWorld, type World, warmCalls } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'

/** The most round trips of a function that remembers nothing, and of a warm one. */
type Trips = readonly [cold: number, warm: number]

/** The warm function answered the same request within the last second, to admin unless `u` is given. */
const READS: readonly (readonly [
  name: string,
  params: Readonly<Record<string, string | number>>,
  ...Trips,
])[] = [
  ['active_calls_get', {}, 4, 3],
  ['credit_notes_get', { credit_note_id: 1 }, 2, 2],
  ['credit_notes_get', { user_id: 10 }, 2, 1],
  ['credit_notes_get', {}, 2, 1],
  ['device_details_get', { device_id: 100 }, 1, 1],
  ['device_details_get', { device_u: 'bobs-phone' }, 2, 2],
  ['device_rules_get', { device_id: 100 }, 2, 2],
  ['devices_get', { user_id: 10 }, 2, 1],
  ['financial_statements_get', { user_id: 10 }, 3, 2],
  ['invoices_get', {}, 3, 2],
  ['local_calls_get', {}, 3, 2],
  ['location_rule_get', { location_rule_id: 100 }, 2, 2],
  ['location_rules_get', { location_id: 1 }, 2, 2],
  ['payments_get', { s_user_id: 10 }, 3, 2],
  ['queue_log_get', {}, 3, 2],
  ['quickstats_get', {}, 2, 1],
  ['rate_get', { username: 'bob', prefix: '370' }, 3, 0],
  ['services_get', {}, 3, 2],
  ['subscriptions_get', { s_user_id: 10 }, 3, 2],
  ['tariff_rates_get', { tariff_id: 1 }, 2, 2],
  ['tariff_rates_get', { user_id: 10 }, 3, 2],
  ['tariff_rates_get', { u: 'bob' }, 3, 2],
  ['user_calls_get', { s_user: 10 }, 2, 1],
  ['user_logout', {}, 1, 0],
  ['user_balance_get', { username: 'bob' }, 2, 1],
  ['user_details_get', { user_id: 10 }, 2, 2],
  ['user_details_get', { username: 'bob' }, 2, 2],
  ['user_calls_get', { s_uniqueid: 'call-of-10-2026-03-10-09:00:00' }, 2, 1],
]

/** The changes of writing.ts. The warm function remembers the settings and admin. */
const WRITES: readonly (readonly [name: string, what: string, ...Trips])[] = [
  ['user_register', 'one', 11, 11],
  ['user_details_update', 'details', 4, 3],
  ['user_details_update', 'name and password', 4, 3],
  ['user_balance_get_by_username', 'one', 6, 6],
  ['user_simple_balance_get', 'one', 5, 5],
  ['user_login', 'right', 5, 5],
  ['user_login', 'wrong', 4, 4],
  ['payment_create', 'with a transaction', 3, 3],
  ['payment_create', 'without a transaction', 3, 3],
  ['users_get', 'right', 8, 8],
  ['users_get', 'wrong', 4, 4],
  ['users_get', 'a uniquehash', 4, 4],
  ['device_create', 'the next extension', 6, 5],
  ['device_create', "a customer's first", 4, 3],
  ['device_update', 'a column', 3, 2],
  ['device_update', 'name and extension', 4, 3],
  ['device_delete', 'without rules', 3, 2],
  ['device_delete', 'with many rules', 5, 4],
  ['device_rule_create', 'one', 4, 3],
  ['device_rule_delete', 'one', 4, 3],
  ['location_rule_create', 'to a device', 5, 4],
  ['location_rule_update', 'device and digits', 5, 4],
  ['location_rule_copy', 'elsewhere', 5, 4],
  ['location_rule_delete', 'of a device', 5, 4],
  ['exchange_rate_update', 'one', 2, 2],
]

const methods = new Map((await loadFunctionFiles()).map(({ method }) => [method.name, method]))

const methodNamed = (name: string): Method => methods.get(name) as Method

test('the tables have every method, and every change', () => {
  expect([...new Set([...READS, ...WRITES].map(([name]) => name))].sort()).toEqual([...methods.keys()].sort())
  expect(WRITES.map(([name, what]) => `${name} ${what}`).sort()).toEqual(
    changes.map(({ method, what }) => `${method} ${what}`).sort(),
  )
})

let world: World

beforeAll(async () => {
  const users = everything.users.map((user) => (user.username === 'bob' ? { ...user, tariff_id: '1' } : user))
  world = await aWorld(
    { ...everything, users },
    {
      Devices_Check_Rate: '1',
      Queue_Log_Enabled: '1',
      Devices_Check_Balance: '1',
      Balances_Without_Signature: '1',
      Balance_From: '2026-03-01',
    },
  )
})

test.each(READS)('%s of %j takes %i trips, %i if the function is warm', async (name, params, ...trips) => {
  const call = warmCalls(world)
  world.log.length = 0

  for (const _time of trips) await call(methodNamed(name), undefined, { u: 'admin', ...params })

  expect(world.log).toMatchObject(trips.map(() => ({ outcome: 'answered' })))
  expectAtMost(trips, world.log)
})

test('a warm request makes no regular expression, time format or decoder: each is made once', async () => {
  const call = warmCalls(world)
  const callAll = async () => {
    for (const [name, params] of READS) await call(methodNamed(name), undefined, { u: 'admin', ...params })
  }
  await callAll()
  const made: string[] = []
  noteConstructions(globalThis, 'RegExp', made)
  noteConstructions(globalThis, 'TextDecoder', made)
  noteConstructions(Intl, 'DateTimeFormat', made)

  await callAll()

  expect(made).toEqual([])
})

/** Notes each construction, with its place, until the test ends. */
function noteConstructions(holder: object, name: string, made: string[]): void {
  const real = Reflect.get(holder, name)
  const noting = new Proxy(real, {
    construct: (target, given) => {
      made.push(`${name}${new Error().stack?.split('\n')[2]}`)
      return Reflect.construct(target, given)
    },
  })
  Reflect.set(holder, name, noting)
  onTestFinished(() => void Reflect.set(holder, name, real))
}

test.each(WRITES)('%s of %s takes %i trips, %i if the function is warm', async (name, what, ...trips) => {
  const change = changes.find((one) => one.method === name && one.what === what)
  const logged: World['log'][number][] = []

  for (const isWarm of [false, true]) {
    const world = await aWritingWorld(change?.given)
    const call = warmCalls(world)
    if (isWarm) await call(methodNamed('quickstats_get'), 'admin')
    await call(methodNamed(name), undefined, change?.params)
    logged.push(...world.log.slice(-1))
  }

  expect(logged).toMatchObject(
    trips.map(() => ({ outcome: change?.changesNothing ? 'refused' : 'answered' })),
  )
  expectAtMost(trips, logged)
})

/** Fewer trips are welcome: lower the number in the table. */
function expectAtMost(trips: readonly number[], logged: World['log']): void {
  expect(trips.map((most, index) => Math.max(most, Number(logged[index]?.['round_trips'])))).toEqual(trips)
}
