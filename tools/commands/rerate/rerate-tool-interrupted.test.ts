import fc from 'fast-check'
import { expect, test } from 'vitest'
import { round } from '#lib/base/money.ts'
import { aRatedInstallation, MARCH, minuteOfBob, minuteRates, pricesIn } from '#test/examples/rated-calls.ts'
import { aFailingClient, type MishapName } from '#test/faults/faulty-endpoint.ts'
import { consume } from '#test/queue/queue.ts'
import { damageIn } from '#test/soundness.ts'
import { type World, withClient } from '#test/world.ts'
import { rerate } from './rerate-tool.ts'

const fault = fc.constantFrom('throttled', 'conflict', 'dropped before it arrived', 'answer lost')

test('interrupted anywhere and run again in traffic, every call has its price, counted once', async () => {
  const some = fc.record({
    user_id: fc.constantFrom('10', '20', '30'),
    billsec: fc.integer({ min: 0, max: 500 }).map(String),
    day: fc.integer({ min: 10, max: 12 }).map(String),
    provider_id: fc.constantFrom('', '1'),
  })
  const plans = fc.array(fc.tuple(fc.nat({ max: 12 }), fault), { maxLength: 6 })

  await fc.assert(
    fc.asyncProperty(
      fc.array(some, { minLength: 1, maxLength: 40 }),
      plans,
      fc.integer({ min: 1, max: 9 }),
      async (given, plan, dear) => {
        const calls = given.map(({ day, ...columns }, index) =>
          minuteOfBob(`call-${index}`, { ...columns, calldate: `2026-03-${day} 10:00:00` }),
        )
        const half = Math.ceil(calls.length / 2)
        const world = await aRatedInstallation(calls.slice(0, half))
        await world.given({ rates: minuteRates(String(dear)) })

        await Promise.all([
          untilDone(world, plan),
          consume(world, { type: 'calls', records: calls.slice(half) }),
          consume(world, { type: 'calls', records: calls.slice(0, 2).map((one) => ({ ...one, src: '2' })) }),
        ])

        const expected = calls.filter(isRatedHere).map((one) => [one.uniqueid, reference(one, dear)])
        expect(await pricesIn(world)).toEqual(Object.fromEntries(expected))
        expect(await damageIn(world)).toEqual([])
      },
    ),
    { numRuns: 8 },
  )
})

/** Dave has no tariff: only his calls without a conversation are rated. */
const isRatedHere = ({ user_id = '', billsec = '' }: Readonly<Record<string, string>>) =>
  user_id !== '30' || billsec === '0'

/** The prices by plain arithmetic, without the tested code. */
function reference(
  { user_id, billsec = '0', provider_id }: Readonly<Record<string, string>>,
  dear: number,
): (string | undefined)[] {
  const seconds = Number(billsec)
  const minutes = (perMinute: number) => round(((seconds * perMinute) / 60).toFixed(12), 6)
  const provider = provider_id === '1' ? minutes(0.5) : undefined
  if (user_id === '10') return [minutes(dear), undefined, provider]
  return user_id === '20' ? [minutes(4), minutes(dear), provider] : ['0', '0', provider]
}

/** Each fault follows a number of requests that succeed. */
async function untilDone(world: World, plan: readonly (readonly [number, MishapName])[]): Promise<void> {
  const client = await aFailingClient(plan.flatMap(([after, fault]) => [...Array(after), fault]))
  const { store } = withClient(world, client)
  for (let isDone = false; !isDone; ) {
    isDone = await rerate(
      store,
      () => world.now,
      MARCH,
      async () => true,
    ).then(
      () => true,
      () => false,
    )
  }
}
