import { expect, test } from 'vitest'
import { type MoneyOf, type ReadCall, readCalls } from './call-reader.ts'
import { acdOf, asrOf, count, emptyTally, marginPercentOf, regrouped, slotsOf, sumOfCounts } from './tally.ts'

/** The prices of the customer, the reseller and the provider; blank where there is none. */
type Prices = readonly [user: string, reseller: string, provider: string]

const row = (
  start: string,
  dst: string,
  [disposition, billsec]: readonly [string, number],
  [user, reseller, provider]: Prices = ['0.0', '', '0.0'],
): string =>
  `<call><calldate2>${start}</calldate2><timezone>GMT +01:00</timezone><dst>${dst}</dst><disposition>${disposition}</disposition><billsec>${billsec}</billsec>` +
  `<user_price>${user}</user_price><provider_price>${provider}</provider_price><reseller_price>${reseller}</reseller_price></call>`

const ANSWER = `<page><total_calls>3</total_calls><calls>${[
  row('2026-11-18 09:10:00', '+370 612 34567', ['ANSWERED', 61], ['0.3', '', '0.2']),
  row('2026-11-18 09:50:00', '442079460210', ['BUSY', 0]),
  row('2026-11-20 23:59:59', '37061234500', ['ANSWERED', 119], ['0.9', '0.1', '0.1']),
].join('')}</calls></page>`

async function* inPieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

async function read(text: string, length: number, moneyOf: MoneyOf = 'none'): Promise<ReadCall[]> {
  const calls: ReadCall[] = []
  for await (const some of readCalls(inPieces(text, length), moneyOf)) calls.push(...some)
  return calls
}

async function tallied(moneyOf: MoneyOf) {
  const tally = emptyTally()
  count(tally, await read(ANSWER, 100, moneyOf))
  return tally
}

test.each([1, 7, 50, 10_000])('calls are read from pieces of %i characters', async (length) => {
  const rest = { zone: 'GMT +01:00', revenue: '0', cost: '0' }
  expect(await read(ANSWER, length)).toEqual([
    { start: '2026-11-18 09:10:00', dst: '+370 612 34567', isAnswered: true, seconds: 61, ...rest },
    { start: '2026-11-18 09:50:00', dst: '442079460210', isAnswered: false, seconds: 0, ...rest },
    { start: '2026-11-20 23:59:59', dst: '37061234500', isAnswered: true, seconds: 119, ...rest },
  ])
})

test.each([1, 1000])('a refusal in pieces of %i characters is thrown', async (length) => {
  await expect(read('<page><error>User was not found</error></page>', length)).rejects.toThrow(
    'User was not found',
  )
})

test('calls are counted by hour and by prefix', async () => {
  const { hours, prefixes, zone } = await tallied('none')
  const money = { revenue: '0', cost: '0' }

  expect(zone).toBe('GMT +01:00')
  expect(sumOfCounts(hours.values())).toEqual({ attempts: 3, answered: 2, seconds: 180, ...money })
  expect([...regrouped(hours, (hour) => hour.slice(0, 10))]).toEqual([
    ['2026-11-18', { attempts: 2, answered: 1, seconds: 61, ...money }],
    ['2026-11-20', { attempts: 1, answered: 1, seconds: 119, ...money }],
  ])
  expect(prefixes.get('3706123')).toEqual({ attempts: 2, answered: 2, seconds: 180, ...money })
})

test.each([
  ['admin', '0.4', '0.3', 25],
  ['owner', '1.2', '0.1', 91.667],
] as const)('the revenue and the cost of an %s are exact', async (moneyOf, revenue, cost, margin) => {
  const sum = sumOfCounts((await tallied(moneyOf)).hours.values())

  expect([sum.revenue, sum.cost]).toEqual([revenue, cost])
  expect(marginPercentOf(sum)).toBeCloseTo(margin, 3)
})

test('a day without calls has a slot of its own between two that have some', async () => {
  const { hours } = await tallied('none')

  expect(slotsOf(hours, 'day').map(([day, { attempts }]) => [day, attempts])).toEqual([
    ['2026-11-18', 2],
    ['2026-11-19', 0],
    ['2026-11-20', 1],
  ])
  expect(slotsOf(hours, 'hour').length).toBe(63)
})

test('a ratio exists where there is something to divide by', async () => {
  const sum = sumOfCounts((await tallied('none')).hours.values())

  expect([asrOf(sum)?.toFixed(1), acdOf(sum)]).toEqual(['66.7', 90])
  expect([asrOf(sumOfCounts([])), acdOf(sumOfCounts([])), marginPercentOf(sumOfCounts([]))]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
