import { expect, test } from 'vitest'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { destinations, rate, withTariff } from '#test/examples/tariffs.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { listDaysOfCalls, partsOn } from '../counters/call-stats.ts'
import { findBusyNames, type GroupedBy } from '../counters/day-groups.ts'
import { groupRange, sumUpDays } from './day-groups.ts'

const [MONDAY, TUESDAY] = ['2026-03-09', '2026-03-10']
const DAYS = { from: MONDAY, till: TUESDAY }

const on = (day: string, uniqueid: string, rest: Readonly<Record<string, string>> = {}) =>
  listedCall(uniqueid, {
    dst: '442079460000',
    calldate: `${day} 09:00:00`,
    user_price: '0.3',
    provider_price: '0.1',
    ...rest,
  })

const calls = [
  on(MONDAY, 'bob-1'),
  on(TUESDAY, 'bob-2', { dst: '4930123456' }),
  on(TUESDAY, 'bob-3', { user_price: '0.05' }),
  on(TUESDAY, 'carol-1', { user_id: '20', device_id: '200', user_price: '0.7', reseller_price: '0.5' }),
]

const aTown = () => aWorld({ users: people, destinations, calls })

async function run(world: World, days = 62): Promise<string[]> {
  const settings = await settingsOf(world.store)
  let left = days
  const hasTime = () => left-- > 0
  return sumUpDays({ store: world.store, settings, now: world.now, hasTime })
}

async function ask(world: World, by: GroupedBy, mostCalls = 0) {
  const settings = await settingsOf(world.store)
  const counted = await listDaysOfCalls(world.store, 'everyone', DAYS)
  return groupRange(world.store, settings, { by, days: DAYS, counted, mostCalls })
}

const lines = ({ groups }: Awaited<ReturnType<typeof ask>>): string[] =>
  groups.map(({ name, attempts, seconds, revenue, cost }) =>
    [name, attempts, seconds, revenue, cost].join(' '),
  )

test('days are summed up by customer and by destination, the largest revenue first', async () => {
  const world = await aTown()

  const days = await run(world)

  expect(days).toEqual([TUESDAY, MONDAY])
  const byCustomer = await ask(world, 'customer')
  expect(lines(byCustomer)).toEqual(['Bob Brown 3 183 0.65 0.3', 'carol 1 61 0.5 0.1'])
  expect(lines(await ask(world, 'destination'))).toEqual([
    'United Kingdom 3 183 0.85 0.3',
    'Germany 1 61 0.3 0.1',
  ])
  expect(byCustomer).toMatchObject({ belowCost: 1, at: undefined, missing: 0 })
  expect([...(await findBusyNames(world.store))]).toEqual([
    [10, 'Bob Brown'],
    [20, 'carol'],
  ])
  expect(await damageIn(world)).toEqual([])
})

test('where the directory has no name for a number, the rates of the customer name it', async () => {
  const world = await aWorld({
    tariffs: [{ id: '1', name: 'Retail', owner_id: '0', purpose: 'user_wholesale' }],
    rates: [
      { tariff_id: '1', prefix: '44', destination: 'Great Britain', tariff_rate: '0.1' },
      { tariff_id: '1', prefix: '4420', destination: '', tariff_rate: '0.1' },
    ],
    destinations: [{ prefix: '49', direction: 'Germany', destination: 'Germany fixed' }],
    users: people.map((one) => ({ ...one, tariff_id: one.id === '10' ? '1' : '' })),
    calls,
  })
  await run(world)

  expect(lines(await ask(world, 'destination'))).toEqual([
    ' 1 61 0.5 0.1',
    'Great Britain 2 122 0.35 0.2',
    'Germany fixed 1 61 0.3 0.1',
  ])
})

test('answered calls without a price are counted, unless their code is listed', async () => {
  const world = await aTown()
  const free = { user_price: '' }
  await world.given({
    calls: [
      { ...on(MONDAY, 'code'), ...free, dst: '*98' },
      { ...on(MONDAY, 'short'), ...free, dst: '3500' },
      { ...on(MONDAY, 'listed'), ...free, dst: '*97' },
      { ...on(MONDAY, 'unanswered'), ...free, dst: '*98', billsec: '0' },
    ],
  })
  await world.set({ Feature_Codes: String.raw`\*97` })
  await run(world)

  expect(await ask(world, 'customer')).toMatchObject({ unpriced: 2, at: undefined })
})

test('calls that paid as those of a caller without a number are counted', async () => {
  const world = await aTown()
  const paid = ['invalid', 'invalid + NAF', 'NAF', 'invalid-2']
  await world.given({ calls: paid.map((origin, at) => ({ ...on(MONDAY, `of-${at}`), origin })) })

  await run(world)

  expect(await ask(world, 'customer')).toMatchObject({ invalidCallers: 2, unpriced: 0, missing: 0 })
  const [item] = (await world.dump()).filter(({ PK, SK }) => PK === 'DAYGROUPS#customer' && SK === TUESDAY)
  expect(item).not.toHaveProperty('invalid_callers')
})

test('calls that a carrier charges as of a caller without a number are counted', async () => {
  const world = await aTown()
  await world.given({
    users: withTariff(people, { bob: '2' }),
    tariffs: ['1', '2'].map((id) => ({ id, name: id, purpose: 'provider', currency: 'USD', owner_id: '0' })),
    origins: [{ tariff_id: '1', origin: 'NAF', prefix: '212' }],
    rates: [
      ...['1', '2'].map((tariff_id) => rate({ tariff_id, prefix: '44' })),
      rate({ tariff_id: '1', prefix: '44', origin: 'NAF', tariff_rate: '0.4' }),
    ],
    providers: ['1', '2'].map((id) => ({ id, name: `carrier ${id}`, tariff_id: id })),
  })
  const over = (provider_id: string, src: string) =>
    on(MONDAY, `${provider_id}-${src}`, { provider_id, src, user_price: '', provider_price: '' })
  await world.given({
    calls: [over('1', 'anonymous'), over('1', '212612345678'), over('2', 'anonymous')],
  })

  await run(world)

  expect(await ask(world, 'customer')).toMatchObject({ invalidCallers: 1, missing: 0 })
})

test('which calls carriers charge so is stored with them: neither carriers nor tariffs are read', async () => {
  const readFor = async (provider_id: string) => {
    const world = await aTown()
    await world.given({ calls: [on(MONDAY, 'one', { src: 'anonymous', provider_id })] })
    const before = world.meter.spent.read
    await run(world)
    return world.meter.spent.read - before
  }

  expect(await readFor('7')).toBe(await readFor(''))
})

test('a group counts its calls of unknown cost, and a recount sums its day up again', async () => {
  const world = await aTown()
  await world.given({ calls: [on(MONDAY, 'unknown', { provider_price: '' })] })
  await run(world)

  const { groups } = await ask(world, 'customer')
  expect(groups.map(({ name, unknownCost, unknownRevenue }) => [name, unknownCost, unknownRevenue])).toEqual([
    ['Bob Brown', 1, '0.3'],
    ['carol', 0, '0'],
  ])
  const [counter] = partsOn(MONDAY, 'everyone').slice(-1)
  if (counter) await world.store.transact([{ update: counter, to: { add: { unknown_cost: 1 } } }])
  expect(await run(world)).toEqual([MONDAY])
})

test('only days whose counters have changed are summed up again', async () => {
  const world = await aTown()
  await run(world)
  await world.given({ calls: [on(MONDAY, 'bob-4')] })

  expect(await run(world)).toEqual([MONDAY])
  expect(await run(world)).toEqual([])
})

test('a run that is out of time leaves the earlier days for the next one', async () => {
  const world = await aTown()

  expect([await run(world, 1), await run(world)]).toEqual([[TUESDAY], [MONDAY]])
})

test('a few new calls are summed up on the spot; of many, the sums say how old they are', async () => {
  const world = await aTown()
  await run(world, 1)
  const summedUpAt = world.now.toISOString()
  await world.given({ calls: [on(TUESDAY, 'carol-2', { user_id: '20', device_id: '200' })] })

  const [fresh, old] = [await ask(world, 'customer', 100), await ask(world, 'customer', 4)]

  expect(fresh).toMatchObject({ at: undefined, missing: 0 })
  expect(fresh.groups.map(({ id, attempts }) => [id, attempts])).toEqual([
    [10, 3],
    [20, 2],
  ])
  expect(old).toMatchObject({ at: summedUpAt, missing: 1 })
  expect(old.groups.map(({ id, attempts }) => [id, attempts])).toEqual([
    [20, 1],
    [10, 2],
  ])
})

test('sums of the calls of a day equal those of the hourly run', async () => {
  const world = await aTown()
  const before = [await ask(world, 'customer', 100), await ask(world, 'destination', 100)]
  await run(world)

  const after = [await ask(world, 'customer'), await ask(world, 'destination')]

  const withoutNames = (answers: typeof before) =>
    answers.map(({ groups, ...rest }) => ({
      ...rest,
      groups: groups.map((group) => (group.id === null ? group : { ...group, name: '' })),
    }))
  expect(withoutNames(after)).toEqual(withoutNames(before))
})

test('a run reads the name of an account once, whatever the number of its days', async () => {
  const world = await aTown()
  const read: string[] = []
  const getMany: World['store']['getMany'] = (keys, consistency) => {
    read.push(...keys.map(({ PK, SK }) => `${PK} ${SK} ${consistency}`))
    return world.store.getMany(keys, consistency)
  }

  expect(await run({ ...world, store: { ...world.store, getMany } })).toHaveLength(2)

  expect(read.filter((key) => key.startsWith('USER#'))).toEqual([
    'USER#10 USER eventual',
    'USER#20 USER eventual',
  ])
})
