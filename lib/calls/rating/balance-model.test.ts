import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { isChange, openRerater, storeRerated } from '#lib/calls/rating/rerating.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { isSameKey } from '#lib/table/keys.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { expectedBalances, storedBalances } from '#test/balance-model.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { rate } from '#test/examples/tariffs.ts'
import { damageIn } from '#test/soundness.ts'
import { runs } from '#test/sweep.ts'
import { aWorld, type World } from '#test/world.ts'
import { openBalances } from '#tools/commands/balance/balance-opening.ts'
import { listCallDays, listCalls } from '../call-search.ts'

const person = (id: number, usertype: string, owner_id: number) => ({
  id: String(id),
  username: `p${id}`,
  usertype,
  owner_id: String(owner_id),
  tariff_id: '1',
  balance: String(id / 8),
  password_hash: '0'.repeat(40),
})

/** Customers of the admin, of a reseller and of a partner. */
const given = {
  users: [
    person(0, 'admin', 0),
    person(2, 'reseller', 0),
    person(3, 'partner', 0),
    ...[10, 11].map((id) => person(id, 'user', 0)),
    ...[20, 21].map((id) => person(id, 'user', 2)),
    person(30, 'user', 3),
  ],
  currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
  tariffs: [{ id: '1', name: 'Retail', owner_id: '0' }],
  rates: [rate({ prefix: '1202', tariff_rate: '0.37' })],
}

const ACCOUNTS = ['10', '11', '20', '21', '30']
const DAYS = ['2026-03-08', '2026-03-09', '2026-03-10', '2026-03-11']

/** Repeatable chance: a linear congruential generator. */
function chanceOf(seed: number) {
  let state = seed
  const below = (bound: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * bound)
  }
  return { below, of: <T>(values: readonly T[]): T => values[below(values.length)] as T }
}

type Chance = ReturnType<typeof chanceOf>

/** What one process does. It is repeated until it ends without being killed. */
type Work = (store: Store) => Promise<unknown>

const importing =
  (world: World, rows: Parameters<typeof importRows>[1]): Work =>
  (store) =>
    importRows({ store, clock: world.services.clock }, rows)

const aCall = ({ below, of }: Chance) => ({
  uniqueid: `call-${below(12)}`,
  calldate: `${of(DAYS)} 09:00:00`,
  src: '37000001',
  dst: '12025550199',
  disposition: 'ANSWERED',
  duration: '70',
  billsec: String(below(90)),
  hangupcause: of(['16', '17']),
  user_id: of(ACCOUNTS),
  ...of([
    {},
    { user_price: (below(1000) / 1000).toFixed(3), reseller_price: (below(1000) / 10_000).toFixed(4) },
  ]),
})

const aPayment = ({ below, of }: Chance) => {
  const day = of(DAYS)
  return {
    id: String(below(6)),
    user_id: of(ACCOUNTS),
    date: `${day} 10:00:00`,
    confirm_date: of(['', `${day} 11:00:00`]),
    type: 'cash',
    amount: (below(10_000) / 100).toFixed(2),
    currency: of(['', 'EUR']),
    completed: of(['1', '1', '0']),
  }
}

const anAdjustment = ({ below, of }: Chance) => ({
  id: String(below(4)),
  user_id: of(ACCOUNTS),
  date: `${of(DAYS)} 12:00:00`,
  amount: ((below(2000) - 1000) / 100).toFixed(2),
  who: 'ada',
  why: 'model',
})

const distinct = <R extends Readonly<Record<string, string>>>(rows: readonly R[], name: string): R[] => [
  ...new Map(rows.map((row) => [row[name], row])).values(),
]

const rerating: Work = async (store) => {
  const rerate = await openRerater(store, { with: 'active', includeInvoiced: true, includePriced: true })
  const days = await listCallDays(store, ['everyone'], { from: '2026-01-01', till: '2026-12-31' })
  for await (const calls of listCalls(store, days, ALL_TIME))
    await storeRerated(store, rerate, (await rerate(calls)).filter(isChange))
}

function aWork(world: World, chance: Chance): Work {
  const { below, of } = chance
  const calls = () =>
    distinct(
      Array.from({ length: 1 + below(5) }, () => aCall(chance)),
      'uniqueid',
    )
  return of<Work>([
    importing(world, { calls: calls() }),
    importing(world, { calls: calls() }),
    importing(world, { calls: calls() }),
    importing(world, { payments: [aPayment(chance)] }),
    importing(world, { adjustments: [anAdjustment(chance)] }),
    importing(world, { currencies: [{ name: 'EUR', exchange_rate: String(1 + below(9) / 10) }] }),
    importing(world, { rates: [rate({ prefix: '1202', tariff_rate: String((1 + below(99)) / 100) })] }),
    rerating,
    (store) => opened(world, of([...DAYS, '']), store),
  ])
}

const opened = (world: World, day: string, store = world.store) =>
  openBalances(store, { day, who: 'ada', clock: world.services.clock, wait: async () => {} })

class Killed extends Error {}

/** What happened in a run. */
const counts = { works: 0, writes: 0, kills: 0, states: 0, refused: 0 }

/** A store whose process dies before or after a write. Each state that readers see is checked. */
function mortal(world: World, chance: Chance, diesAt: number): Store {
  let left = diesAt
  const writing = async <T>(write: () => Promise<T>): Promise<T> => {
    const dies = left-- === 0
    if (dies && chance.below(2) === 0) throw new Killed()
    const answer = await write()
    counts.writes += 1
    await expectExact(world)
    if (dies) throw new Killed()
    return answer
  }
  const { store } = world
  return {
    ...store,
    transact: (changes) => writing(() => store.transact(changes)),
    update: (key, to, when) => writing(() => store.update(key, to, when)),
  }
}

/** The settings as they were read first: those that a process remembers. */
function forgetful(store: Store): Store {
  let known: ReturnType<Store['get']> | undefined
  return {
    ...store,
    get: (key) => {
      if (!isSameKey(key, settingsKey)) return store.get(key)
      known ??= store.get(key)
      return known
    },
  }
}

async function expectExact(world: World): Promise<void> {
  const items = await world.dump()
  const expected = expectedBalances(items)
  if (!expected) return
  counts.states += 1
  const stored = storedBalances(items)
  for (const id of new Set([...expected.keys(), ...stored.keys()]))
    expect([id, stored.get(id) ?? 0n]).toEqual([id, expected.get(id) ?? 0n])
}

/** Two processes changed the same row or tariff: one of them is refused. */
const LOST_RACE = /changed by others|changed during the import|other writers changed/

async function untilDone(world: World, chance: Chance, work: Work): Promise<void> {
  counts.works += 1
  for (;;) {
    const diesAt = chance.below(4) === 0 ? chance.below(12) : Number.POSITIVE_INFINITY
    const ended = await work(mortal(world, chance, diesAt)).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Killed) counts.kills += 1
        else if (error instanceof ConditionFailed || LOST_RACE.test(String(error))) counts.refused += 1
        else throw error
        return !(error instanceof Killed)
      },
    )
    if (ended) return
  }
}

test('balances are what the rows say, to the last digit, in every state that a reader sees', {
  timeout: 3_600_000,
}, async () => {
  for (let seed = 1; seed <= runs(2, 15); seed += 1) {
    const world = await aWorld(given)
    const chance = chanceOf(seed)
    await opened(world, chance.of(DAYS))
    for (let step = 0; step < runs(10, 25); step += 1) {
      const isParallel = chance.below(2) === 0
      const works = Array.from({ length: isParallel ? 3 : 1 }, () => aWork(world, chance))
      await Promise.all(works.map((work) => untilDone(world, chance, work)))
      await expectExact(world)
    }
    await opened(world, chance.of(DAYS))
    await expectExact(world)
    expect(await damageIn(world)).toEqual([])
  }
  process.stdout.write(`balances: ${JSON.stringify(counts)}\n`)
})

test('a writer with remembered settings charges by the present ones, whenever balances open', async () => {
  const call = (uniqueid: string, day: string) => ({
    ...aCall(chanceOf(1)),
    uniqueid,
    calldate: `${day} 09:00:00`,
    user_price: '1',
  })
  for (const [before, after] of [
    ['', '2026-03-09'],
    ['2026-03-09', ''],
    ['2026-03-09', '2026-03-11'],
  ] as const) {
    const world = await aWorld({
      ...given,
      calls: DAYS.map((day) => call(`early ${day}`.replace(' ', '-'), day)),
    })
    const clock = world.services.clock
    await opened(world, before, world.store)
    const stale = forgetful(world.store)
    await stale.get(settingsKey)
    let isOpened = false
    const racing: Store = {
      ...stale,
      transact: async (changes) => {
        const isCall = changes.some((change) => 'put' in change && change.put.PK.startsWith('CALL#'))
        if (isCall && !isOpened) {
          isOpened = true
          await opened(world, after, world.store)
        }
        return stale.transact(changes)
      },
    }
    await importRows({ store: racing, clock }, { calls: DAYS.map((day) => call(`late-${day}`, day)) })

    expect(isOpened).toBe(true)
    await expectExact(world)
    expect(await damageIn(world)).toEqual([])
  }
})
