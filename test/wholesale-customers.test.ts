import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ALL_TIME, addDays, periodOfDay } from '#lib/base/calendar.ts'
import type { Refusal } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import type { Scope } from '#lib/base/scope.ts'
import { BY_MONTH_FROM } from '#lib/base/shards.ts'
import { BLANK_CALL, type Call, identityName, listCallsOfUserOn, sortKeyOfCall } from '#lib/calls/call.ts'
import { newestCalls } from '#lib/calls/call-page.ts'
import { searchCalls } from '#lib/calls/call-search.ts'
import { storeCalls } from '#lib/calls/call-storage.ts'
import { setSetting } from '#lib/calls/set-settings.ts'
import { callsDuring } from '#lib/invoicing/used-calls.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import { callsIn } from '#test/dump.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'

const TODAY = '2026-03-01'
const START = '2026-03-03'
const DAYS = Array.from({ length: 5 }, (_, n) => addDays(TODAY, n))
const CUSTOMERS = [10, 11, 20]
const OWNER_OF: Readonly<Record<number, number>> = { 10: 0, 11: 0, 20: 2 }

const person = (id: number, usertype: string) => ({
  id: String(id),
  username: `p${id}`,
  usertype,
  owner_id: String(OWNER_OF[id] ?? 0),
  password_hash: '0'.repeat(40),
})

let world: World

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${TODAY}T12:00:00Z`) })
  world = await aWorld({
    users: [person(0, 'admin'), person(2, 'reseller'), ...CUSTOMERS.map((id) => person(id, 'user'))],
  })
})

afterEach(() => {
  vi.useRealTimers()
})

const call = (n: number, user_id: number, day: string, second = n): Call => ({
  ...BLANK_CALL,
  uniqueid: `1772400000.${n}`,
  calldate: periodOfDay(day, 'UTC').from + second,
  day,
  disposition: 'ANSWERED',
  duration: 60,
  billsec: 60,
  hangupcause: 16,
  user_id,
  user_price: '0.1',
  owner_id: OWNER_OF[user_id] ?? 0,
  direct: user_id !== 20,
  src: '37060012345',
  dst: '12025550199',
  digest: 'of a CDR',
  rated: '',
  charged: undefined,
  held_at: undefined,
  version: 1,
})

const settingsNow = async () => readSettings(await findSettings(world.store))

const store = async (calls: readonly Call[]) =>
  storeCalls(
    { store: world.store, settings: await settingsNow() },
    calls.map((after) => ({ before: undefined, after })),
  )

const change = (value: string) =>
  carryOutAs(world.store, setSetting, { as: 'p0', now: new Date() }, { name: 'Wholesale_Customers', value })

async function rowsOf<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = []
  for await (const some of batches) rows.push(...some)
  return rows
}

const inOrder = (calls: readonly Call[]): string[] =>
  calls.toSorted((one, other) => (sortKeyOfCall(one) < sortKeyOfCall(other) ? -1 : 1)).map(identityName)

async function searched(scope: Scope, period = ALL_TIME): Promise<string[]> {
  const settings = await settingsNow()
  const { batches } = await searchCalls(world.store, { of: [scope], period, settings })
  return (await rowsOf(batches)).map(identityName)
}

/** A customer's list in pages of seven, the newest first. */
async function paged(user: number): Promise<string[]> {
  const settings = await settingsNow()
  const days = { from: DAYS[0] ?? '', till: DAYS.at(-1) ?? '' }
  const found: Call[] = []
  let after: string | undefined
  do {
    const wanted = { of: [{ user }], days, settings, after, count: 7, mostRead: 100, matches: () => true }
    const { calls, next } = await newestCalls(world.store, wanted)
    found.push(...calls)
    after = next
  } while (after !== undefined)
  return found.map(identityName)
}

/** Every list has exactly the calls that are stored, in their order, and the table is sound. */
async function expectComplete(): Promise<void> {
  const stored = callsIn(await world.dump())
  const settings = await settingsNow()
  const byDay = (user: number, day: string) => stored.filter((one) => one.user_id === user && one.day === day)
  for (const user of CUSTOMERS) {
    const own = inOrder(stored.filter(({ user_id }) => user_id === user))
    expect(await searched({ user })).toEqual(own)
    expect(await paged(user)).toEqual(own.toReversed())
    for (const day of DAYS) {
      const ofDay = inOrder(byDay(user, day))
      expect(await searched({ user }, periodOfDay(day, 'UTC'))).toEqual(ofDay)
      expect(
        (await rowsOf(callsDuring({ store: world.store, settings }, user, [day]))).map(identityName),
      ).toEqual(ofDay)
      const listed = await listCallsOfUserOn(world.store, { user, day, period: ALL_TIME }, settings)
      expect(inOrder(listed)).toEqual(ofDay)
    }
  }
  expect(await searched({ owner: 2 })).toEqual(inOrder(stored.filter(({ owner_id }) => owner_id === 2)))
  expect(await searched('everyone')).toEqual(inOrder(stored))
  expect(await damageIn(world)).toEqual([])
}

const partitionsOf = async (list: string, index: 'GSI1PK' | 'GSI2PK') => {
  const names = (await world.dump()).map((item) =>
    String((item as unknown as Record<string, unknown>)[index]),
  )
  return new Set(names.filter((name) => name.startsWith(list))).size
}

test('from its first day on, the calls of a wholesale customer have four partitions in both indexes', async () => {
  await store(Array.from({ length: 40 }, (_, n) => call(n, 10, DAYS[n % 2] ?? '')))
  await change(`10:${START}`)
  await store(Array.from({ length: 40 }, (_, n) => call(100 + n, 10, START)))
  await store(Array.from({ length: 20 }, (_, n) => call(200 + n, 11, START)))

  const month = TODAY.slice(0, 7)
  const counted = [`CALLS#USER#10#MONTH#${month}`, `CALLS#USER#10#${START}`, `CALLS#USER#11#MONTH#${month}`]
  expect(await Promise.all(counted.map((list) => partitionsOf(list, 'GSI1PK')))).toEqual([1, 4, 1])
  expect(await partitionsOf(`CALLS#OWNER#0#${TODAY}`, 'GSI2PK')).toBe(1)
  expect(await partitionsOf(`CALLS#OWNER#0#${START}`, 'GSI2PK')).toBe(4)
  await expectComplete()
})

test('a table of an earlier release lists calls by month from a day on, and bills and prints both', async () => {
  await world.store.update(settingsKey, { set: { [BY_MONTH_FROM]: START } })
  await change(`20:${DAYS[3]}`)
  await store(CUSTOMERS.flatMap((user) => DAYS.map((day, n) => call(10 * user + n, user, day))))

  const lists = CUSTOMERS.map((user) => partitionsOf(`CALLS#USER#${user}#`, 'GSI1PK'))
  expect(await Promise.all(lists)).toEqual([3, 3, 5])
  await expectComplete()
  for (const user of CUSTOMERS) {
    const { store: table, settings } = { ...world, settings: await settingsNow() }
    const listed = await rowsOf(callsDuring({ store: table, settings }, user, DAYS.slice(1)))
    expect(listed.map(({ day }) => day)).toEqual(DAYS.slice(1))
  }
})

test('a batch of calls costs the same units and requests in four partitions as in one', async () => {
  await change(`10:${START}`)
  const costOf = async (first: number, user: number) => {
    await store([
      call(first, user, START),
      ...Array.from({ length: 30 }, (_, n) => call(first + 1 + n, user, START)),
    ])
    const { write, read, requests } = { ...world.store.meter.spent }
    await store(Array.from({ length: 90 }, (_, n) => call(first + 100 + n, user, START)))
    const { spent } = world.store.meter
    return { write: spent.write - write, read: spent.read - read, requests: spent.requests - requests }
  }

  const [plain, wholesale] = [await costOf(1000, 11), await costOf(2000, 10)]
  // Reading the settings is a part of both. Four partitions of the owner are noted, in place of one.
  expect(wholesale.write).toBe(plain.write)
  expect(wholesale.requests).toBe(plain.requests)
  expect(wholesale.read - plain.read).toBeLessThanOrEqual(1.5)
})

test('a list of a day asks once, and of a wholesale customer twice for the counters and four times for calls', async () => {
  await change(`10:${START}`)
  await store(
    [10, 11].flatMap((user) => Array.from({ length: 20 }, (_, n) => call(100 * user + n, user, START))),
  )
  const requestsOf = async (user: number) => {
    const period = periodOfDay(START, 'UTC')
    const settings = await settingsNow()
    const { requests } = { ...world.store.meter.spent }
    const { batches } = await searchCalls(world.store, { of: [{ user }], period, settings })
    expect(await rowsOf(batches)).toHaveLength(20)
    return world.store.meter.spent.requests - requests
  }

  expect([await requestsOf(11), await requestsOf(10)]).toEqual([1, 6])
})

test.each([
  ['a day that functions may be storing calls on', '10:2026-03-02', 'take 2026-03-03 or a later day'],
  ['a day with calls', '10:2026-03-04', 'calls may be stored on 2026-03-05'],
  ['a day that is none', '10:2026-02-30', 'takes ids of up to 10 customers'],
  ['a customer twice', '10:2026-03-08,10:2026-03-09', 'takes ids of up to 10 customers'],
])('%s is refused', async (_, text, message) => {
  await store([call(1, 11, TODAY), call(2, 11, '2026-03-05')])

  const refused = await change(text).catch((error: unknown) => refusalForPeople(error as Refusal).message)
  expect(refused).toContain(message)
  expect((await settingsNow()).Wholesale_Customers).toBe('')
})

test('a customer that has begun stays, and others are added', async () => {
  await store([call(1, 11, TODAY)])
  await change(`10:${START}`)
  await store([call(2, 10, START)])
  vi.setSystemTime(new Date(`${START}T12:00:00Z`))

  await expect(change('')).rejects.toMatchObject({ code: 'wholesale_with_calls' })
  await expect(change('10:2026-03-09')).rejects.toMatchObject({ code: 'wholesale_with_calls' })
  await change(`10:${START},11:2026-03-05`)
  await change(`10:${START}`)
})

test('an import into a table with calls is refused as well, and a new table takes the setting of another', async () => {
  const row = { name: 'Wholesale_Customers', value: '10:2026-01-01' }
  await world.given({ settings: [row] })
  expect((await settingsNow()).Wholesale_Customers).toBe(row.value)
  await store([call(1, 10, TODAY)])

  const refused = world.given({ settings: [{ ...row, value: '' }] })
  await expect(refused).rejects.toThrow('keep what has begun')
})
