import { expect, test } from 'vitest'
import { nameGivenUp } from '#lib/accounts/former-name.ts'
import { accounts, findWholeAccount } from '#lib/accounts/whole-account.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { anOperator, CALL, csv, NOON, send, stored } from '#test/mediation/csv-switch.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'

const BOB = { ...people.find(({ id }) => id === '10'), tariff_id: '1' }

const BEFORE = '2026-03-10 09:00:00'
const BETWEEN = '2026-03-10 13:00:00'
const AFTER = '2026-03-10 15:00:00'

/** Bob is renamed at noon, and two hours later another account gets the name. */
async function aRenamedBob(): Promise<World> {
  const world = await anOperator()
  world.now = NOON
  await world.given({ users: [{ ...BOB, username: 'robert' }] })
  world.now = new Date(NOON.getTime() + 2 * 3_600_000)
  await world.given({ users: [{ ...BOB, id: '77', username: 'bob', email: '', uniquehash: '' }] })
  world.now = new Date('2026-03-11T12:00:00Z')
  return world
}

const customersOf = async (world: World, calls: Parameters<typeof csv>[0]) => {
  await send(world, csv(calls.map((call, index) => ({ ...call, uniqueid: `u${index}` }))))
  const stored = callsIn(await world.dump()).map(({ uniqueid, user_id }) => [uniqueid, user_id] as const)
  return calls.map((_, index) => new Map(stored).get(`u${index}`))
}

test("a name is the account's that had it at the call's start, however late the CDR", async () => {
  const world = await aRenamedBob()
  const calls = [
    { account_code: 'bob', start: BEFORE },
    { account_code: 'bob', start: BETWEEN },
    { account_code: 'bob', start: AFTER },
    { account_code: 'robert', start: BEFORE },
    { account_code: 'robert', start: AFTER },
    { account_code: '10', start: BEFORE },
  ]
  expect(await customersOf(world, calls)).toEqual([10, 77, 77, 10, 10, 10])
  expect(await suspenseOf(world)).toEqual([])
  expect(await damageIn(world, await world.dump())).toEqual([])
})

test("a name that nobody has is the account's that had it, until it was given up", async () => {
  const world = await anOperator()
  world.now = NOON
  await world.given({ users: [{ ...BOB, username: 'robert' }] })
  world.now = new Date('2026-03-11T12:00:00Z')
  const calls = [
    { account_code: 'bob', start: BEFORE },
    { account_code: 'bob', start: AFTER },
  ]
  expect(await customersOf(world, calls)).toEqual([10, undefined])
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unknown_account' }])
})

test('a call of a deleted account is not that of the next account of its name', async () => {
  const world = await anOperator()
  const bob = await findWholeAccount(world.store, 10)
  if (!bob) throw new Error('Bob is missing')
  await world.store.transact([...changesOf(accounts, bob, undefined), nameGivenUp(bob, secondsOf(NOON))])
  world.now = new Date(NOON.getTime() + 2 * 3_600_000)
  await world.given({ users: [{ ...BOB, id: '77', email: '', uniquehash: '' }] })
  world.now = new Date('2026-03-11T12:00:00Z')
  const calls = [
    { account_code: 'bob', start: BEFORE },
    { account_code: 'bob', start: AFTER },
  ]
  expect(await customersOf(world, calls)).toEqual([undefined, 77])
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unknown_account' }])
})

test('only a CDR from before a name was taken over costs a request more', async () => {
  const world = await aRenamedBob()
  const requestsOf = async (uniqueid: string, start: string, account_code: string) => {
    const before = world.meter.spent.requests
    await send(world, csv([{ ...CALL, uniqueid, start, account_code }]))
    return world.meter.spent.requests - before
  }
  for (const account_code of ['robert', 'bob']) {
    await requestsOf(`w0-${account_code}`, AFTER, account_code)
    await requestsOf(`w1-${account_code}`, BEFORE, account_code)
  }
  const ordinary = await requestsOf('w2', AFTER, 'robert')
  expect(await requestsOf('w3', AFTER, 'bob')).toBe(ordinary)
  expect(await requestsOf('w4', BEFORE, 'robert')).toBe(ordinary)
  expect(await requestsOf('w5', BEFORE, 'bob')).toBe(ordinary + 2)
})

/** 9ec3a850 read as much: it took the present tariff, and histories stand in the account's item. */
test('a late CDR, and a late correction, of a customer whose tariff has changed read no more units', async () => {
  const world = await anOperator()
  world.now = NOON
  await world.given({
    tariffs: [{ id: '2', name: 'Other', owner_id: '0' }],
    rates: [{ ...rate({ prefix: '1', tariff_rate: '0.3' }), tariff_id: '2' }],
  })
  const readBy = async (change: Parameters<typeof csv>[0][number]) => {
    const before = world.meter.spent.read
    await send(world, `${csv([{ ...CALL, ...change }])}\n`)
    return world.meter.spent.read - before
  }
  await readBy({})
  await world.given({ users: [{ ...BOB, tariff_id: '2' }] })

  expect(await readBy({ uniqueid: 'late' })).toBeLessThanOrEqual(10.5)
  expect(await readBy({ uniqueid: 'late', billsec: '61' })).toBeLessThanOrEqual(14.5)
  expect(await stored(world, 'late')).toMatchObject([{ user_price: '0.0305' }])
})
