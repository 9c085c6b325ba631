import { expect, test } from 'vitest'
import type { ActStep } from '#lib/acts/act.ts'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { planRerating, rerateCalls } from '#lib/calls/rating/rerate-calls.ts'
import { rollBackTariff } from '#lib/rates/acts/roll-back-tariff.ts'
import { versionKeys } from '#lib/rates/version-history.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { ARCHIVED_BEFORE } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { aRatedInstallation, MARCH, minuteOfBob, minuteRates, pricesIn } from '#test/examples/rated-calls.ts'
import { rate } from '#test/examples/tariffs.ts'
import { rowsOfList } from '#test/listed.ts'
import { consume } from '#test/queue/queue.ts'
import { newPlaces } from '#test/shards.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { carryOutAs, contextAt } from '../../command-line/act-commands.ts'
import { listReratingRows, rerate } from './rerate-tool.ts'

async function reratedIn(world: World, wish: GivenTexts = {}, isAgreed = true) {
  const lines: string[] = []
  const approve = async (difference: readonly string[]) => {
    lines.push(...difference)
    return isAgreed
  }
  const changed = await rerate(
    world.store,
    { as: undefined, clock: () => world.now },
    { ...MARCH, ...wish },
    approve,
  )
  return { changed, lines }
}

const CALLS = [
  minuteOfBob('bobs', { provider_id: '1' }),
  minuteOfBob('carols', { user_id: '20' }),
  minuteOfBob('priced', { user_price: '7' }),
]

test('shows the changes by customer, and changes nothing without approval', async () => {
  const world = await aRatedInstallation(CALLS)
  await world.given({ rates: minuteRates('3') })
  const before = await world.dump()

  const { changed, lines } = await reratedIn(world, {}, false)

  expect([changed, lines]).toEqual([
    undefined,
    [
      'bob: 1 call, 1 -> 3 USD (+2)',
      'carol: 1 call, 4 -> 4 USD (0), reseller 1 -> 3 USD (+2)',
      'total: 2 calls, 5 -> 7 USD (+2), reseller 1 -> 3 USD (+2)',
      '0 calls unchanged',
      '1 call skipped: came with a price (--include-priced overrides this)',
    ],
  ])
  expect(await world.dump()).toEqual(before)
})

test.each([
  [{ tariff: '99' }, 'unknown_name {"noun":"tariff","name":"99"'],
  [{ provider: '99' }, 'unknown_name {"noun":"provider","name":"99"'],
  [{ customer: 'nobody' }, 'unknown_account'],
])('an unknown id or name is refused: %o', async (wish, message) => {
  const world = await aRatedInstallation(CALLS)

  await expect(reratedIn(world, wish)).rejects.toThrow(message)
})

test('changes calls and counters together, logs the run, and finds nothing more to do', async () => {
  const world = await aRatedInstallation(CALLS)
  await world.given({ rates: minuteRates('3') })

  await reratedIn(world)

  expect(await pricesIn(world)).toEqual({
    bobs: ['3', undefined, '0.5'],
    carols: ['4', '3', undefined],
    priced: ['7', undefined, undefined],
  })
  expect(await damageIn(world)).toEqual([])
  const again = await reratedIn(world)
  expect(again.lines.slice(0, 2)).toEqual(['total: 0 calls, 0 -> 0 USD (0)', '2 calls unchanged'])
  expect(await rowsOfList(await listReratingRows(world.store))).toEqual([
    expect.objectContaining({
      at: '2026-03-10T12:00:00.000Z',
      calls: 2,
      before: '5',
      after: '7',
      options: expect.stringMatching(/^\{"from":"2026-03-01",/),
    }),
  ])
})

test('of two runs at once, the one whose calls the other has changed is neither listed nor logged', async () => {
  const world = await aRatedInstallation(CALLS)
  await world.given({ rates: minuteRates('3') })

  const by = { as: undefined, clock: () => world.now }
  const said = await rerate(world.store, by, MARCH, async () => {
    world.now = new Date(world.now.getTime() + 1000)
    await reratedIn(world)
    return true
  })

  expect(said).toBe('Nothing has changed')
  expect(await rowsOfList(await listReratingRows(world.store))).toMatchObject([{ calls: 2 }])
  expect(await listNewestLogEntries(world.store, 9)).toMatchObject([
    { action: expect.stringContaining('re-rated 2 calls') },
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a call whose text has a line separator is re-rated', async () => {
  const world = await aRatedInstallation([minuteOfBob('bobs', { src: 'Bob\u2028Smith' })])
  await world.given({ rates: minuteRates('3') })

  await reratedIn(world)

  expect((await pricesIn(world))['bobs']?.[0]).toBe('3')
})

test('a duplicate of a re-rated CDR changes nothing', async () => {
  const world = await aRatedInstallation(CALLS)
  await world.given({ rates: minuteRates('3') })
  await reratedIn(world)
  const before = await pricesIn(world)

  await consume(world, { type: 'calls', records: CALLS })

  expect(await pricesIn(world)).toEqual(before)
})

test.each([
  ['of one customer', { customer: 'carol' }, ['1', '4', '3']],
  ['by a tariff', { tariff: '1' }, ['3', '4', '3']],
  ['by another tariff', { tariff: '2' }, ['1', '4', '1']],
  ['of the calls of a provider', { provider: '1' }, ['3', '4', '1']],
  ['of other days', { till: '2026-03-09' }, ['1', '4', '1']],
] as const)('only prices %s', async (_case, wish, [bob, carol, rick]) => {
  const world = await aRatedInstallation(CALLS)
  await world.given({ rates: minuteRates('3') })

  await reratedIn(world, wish)

  const { bobs, carols } = await pricesIn(world)
  expect([bobs?.[0], carols?.[0], carols?.[1]]).toEqual([bob, carol, rick])
})

test('prices that came with calls are re-rated with includePriced, and then count as rated', async () => {
  const world = await aRatedInstallation(CALLS)

  await reratedIn(world, { includePriced: 'yes' })
  expect((await pricesIn(world))['priced']).toEqual(['1', undefined, undefined])
  await world.given({ rates: minuteRates('3') })
  await reratedIn(world)

  expect((await pricesIn(world))['priced']).toEqual(['3', undefined, undefined])
})

const invoice = (columns: Readonly<Record<string, string>>) => ({
  id: '1',
  user_id: '10',
  number: 'R-1',
  issue_date: '2026-03-01',
  status: 'unpaid',
  price: '1',
  ...columns,
})

test.each([
  ['issued on the day of the call', { issue_date: '2026-03-10' }, '1'],
  ['issued before it', { issue_date: '2026-03-09' }, '3'],
  [
    'issued before it, for a period that holds it',
    { period_from: '2026-03-10', period_till: '2026-03-31' },
    '1',
  ],
  ['issued before it, for another period', { period_from: '2026-03-11', period_till: '2026-03-31' }, '3'],
  ['of another customer', { issue_date: '2026-03-31', user_id: '30' }, '3'],
])('a call whose payer has an invoice %s', async (_case, columns, price) => {
  const world = await aRatedInstallation(CALLS)
  await world.given({ rates: minuteRates('3'), invoices: [invoice(columns)] })

  await reratedIn(world)
  expect((await pricesIn(world))['bobs']?.[0]).toBe(price)
  await reratedIn(world, { includeInvoiced: 'yes' })
  expect((await pricesIn(world))['bobs']?.[0]).toBe('3')
})

test('a call of a reseller’s customer is skipped when the reseller has its invoice', async () => {
  const world = await aRatedInstallation(CALLS)
  await world.given({
    rates: minuteRates('3'),
    invoices: [invoice({ user_id: '2', issue_date: '2026-03-31' })],
  })

  await reratedIn(world)

  expect((await pricesIn(world))['carols']).toEqual(['4', '1', undefined])
})

test('each call is rated by the version in force at its start, even rolled back, or the first', async () => {
  const world = await aRatedInstallation(CALLS)
  for (const [day, price] of [
    ['2026-03-12', '3'],
    ['2026-03-14', '5'],
  ] as const) {
    world.now = new Date(`${day}T00:00:00Z`)
    await world.given({ rates: minuteRates(price) })
  }
  const later = { store: world.store, now: new Date('2026-03-16T00:00:00Z') }
  await carriedOut(later, rollBackTariff, { id: '1', version: '1' })
  world.now = new Date('2026-03-18T00:00:00Z')
  const days = ['2026-03-09', '2026-03-11', '2026-03-13', '2026-03-15', '2026-03-17']
  const calls = days.map((day) => minuteOfBob(day, { calldate: `${day} 10:00:00`, user_price: '9' }))
  await consume(world, { type: 'calls', records: calls })

  await reratedIn(world, { with: 'as-of', includePriced: 'yes' })

  const prices = await pricesIn(world)
  expect(days.map((day) => prices[day]?.[0])).toEqual(['1', '1', '3', '5', '1'])
})

test('prices by the oldest kept version are said where the version of then is gone', async () => {
  const world = await aRatedInstallation([minuteOfBob('bobs')])
  for (const price of ['3', '5']) {
    world.now = new Date(world.now.getTime() + 1000)
    await world.given({ rates: minuteRates(price) })
  }
  await world.store.removeBatch([versionKeys.kept(tariffKey(1).PK, 1)])

  const { lines } = await reratedIn(world, { with: 'as-of' })

  expect([lines[0], lines.at(-1)]).toEqual([
    'bob: 1 call, 1 -> 3 USD (+2)',
    "1 price by the oldest kept version of a tariff: that of the call's start is gone",
  ])
})

test('a month that is issued while a person reads the plan keeps its prices', async () => {
  const world = await aRatedInstallation(CALLS)
  await world.given({ rates: minuteRates('3') })
  const issued = async () => {
    await world.given({ invoices: [invoice({ issue_date: '2026-03-31' })] })
    return true
  }

  const done = await rerate(world.store, { as: undefined, clock: () => world.now }, MARCH, issued)

  expect(done).toBe('Re-rated 1 call of 2026-03-01 to 2026-03-31: 4 -> 4 USD')
  expect((await pricesIn(world))['bobs']?.[0]).toBe('1')
})

test('a call without a rate is skipped, and so is an internal one', async () => {
  const world = await aRatedInstallation([minuteOfBob('bobs'), minuteOfBob('home', { dst: '112' })])
  await world.given({ rates: [rate({ prefix: '49' })] })

  const { lines } = await reratedIn(world)

  expect(lines.slice(-2)).toEqual(['1 call skipped: internal', '1 call skipped: unknown rate'])
})

test("the provider's price is re-rated alone, even if the customers have no rate", async () => {
  const world = await aRatedInstallation(CALLS)
  await world.given({
    rates: [
      rate({ prefix: '49' }),
      rate({ tariff_id: '2', prefix: '49' }),
      rate({ tariff_id: '3', prefix: '44', tariff_rate: '0.7' }),
    ],
  })

  const { changed, lines } = await reratedIn(world, { tariff: '3', provider: '1' })

  expect(lines).toEqual([
    'bob: 1 call, 1 -> 1 USD (0), provider 0.5 -> 0.7 USD (+0.2)',
    'total: 1 call, 1 -> 1 USD (0), provider 0.5 -> 0.7 USD (+0.2)',
    '0 calls unchanged',
  ])
  expect(changed).toBe('Re-rated 1 call of 2026-03-01 to 2026-03-31: 1 -> 1 USD')
  expect((await pricesIn(world))['bobs']).toEqual(['1', undefined, '0.7'])
  expect(await damageIn(world)).toEqual([])
})

test('tells how many calls are rated, then how many of the others are changed', async () => {
  const world = await aRatedInstallation(CALLS)
  await world.given({ rates: minuteRates('3') })
  const steps: unknown[] = []
  const by = { as: undefined, now: world.now, onProgress: (step: ActStep) => void steps.push(step) }

  const plan = await planRerating(await contextAt(world.store, by), MARCH)
  await carryOutAs(world.store, rerateCalls(plan), by, MARCH)

  expect(steps).toEqual([{ done: 2, total: 3 }, { done: 3, total: 3 }, 'begun', { done: 2, total: 2 }])
})

test('calls of days that the table no longer has are refused', async () => {
  const world = await aRatedInstallation(CALLS)
  await world.store.update(settingsKey, { set: { [ARCHIVED_BEFORE]: '2026-03-02' } })

  await expect(reratedIn(world)).rejects.toMatchObject({ code: 'archived_days' })
})

test('reads the period once, and writes as many units as storing the changed calls', async () => {
  const calls = Array.from({ length: 60 }, (_, index) => minuteOfBob(`call-${index}`))
  const world = await aRatedInstallation(calls)
  const storing = Number(world.log.at(-1)?.['write_units'])
  await world.given({ rates: minuteRates('3') })
  const before = { ...world.meter.spent }
  const period = await unitsOfThePeriod(world)
  const between = { ...world.meter.spent }

  await reratedIn(world)

  // The run and its entry of the log, when it begins and when it ends.
  const [log, settingsAndPeople] = [8, 12]
  expect(period).toBe(between.read - before.read)
  expect(world.meter.spent.write - between.write).toBeLessThanOrEqual(storing + log)
  expect(world.meter.spent.read - between.read).toBeLessThanOrEqual(period + settingsAndPeople)
})

async function unitsOfThePeriod({ store, meter }: World): Promise<number> {
  const before = meter.spent.read
  const days = await listCallDays(store, ['everyone'], MARCH, newPlaces)
  for await (const _ of listCalls(store, days, ALL_TIME));
  return meter.spent.read - before
}
