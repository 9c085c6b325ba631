import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { callsOfUserOn } from '#lib/calls/call.ts'
import { aBilledWorld, aCall, admin, bill, person } from '#test/invoicing/a-month.ts'
import { newPlaces } from '#test/shards.ts'

const PREFIXES = Array.from({ length: 20 }, (_, index) => String(30 + index))

/** One customer with 20 destinations and these many calls on each of them, over 20 days. */
async function aLargeMonth(callsEach: number) {
  const calls = PREFIXES.flatMap((prefix, index) =>
    Array.from({ length: callsEach }, (_, number) => {
      const day = String(1 + ((index + number) % 20)).padStart(2, '0')
      const time = `10:${String(number % 60).padStart(2, '0')}:${String(index).padStart(2, '0')}`
      return aCall(10, `2026-05-${day} ${time}`, '0.5', {
        dst: `${prefix}123456789`,
        uniqueid: `call-${prefix}-${number}`,
      })
    }),
  )
  return aBilledWorld({
    users: [admin, person(10)],
    destinations: PREFIXES.map((prefix) => ({ prefix, direction: prefix, destination: `Country ${prefix}` })),
    calls,
  })
}

type LargeWorld = Awaited<ReturnType<typeof aLargeMonth>>

async function spentBy({ meter }: LargeWorld, work: () => Promise<unknown>) {
  const before = { ...meter.spent }
  await work()
  const { read, write, requests } = meter.spent
  return { read: read - before.read, written: write - before.write, requests: requests - before.requests }
}

async function readCalls({ store }: LargeWorld): Promise<void> {
  const [query] = callsOfUserOn(newPlaces, 10, '2026-05-01', ALL_TIME)
  if (query) for await (const _ of store.pages({ ...query, between: ['2026-05', '2026-06'] }));
}

test('a preview reads pages of calls once, and an invoice of 20 rows costs 25 units of writes, the first of a series 27', async () => {
  const [small, large] = [await aLargeMonth(5), await aLargeMonth(20)]
  const month = { month: '2026-05', owner: 0 }
  const costs = []
  for (const world of [small, large]) {
    const once = await spentBy(world, () => readCalls(world))
    const preview = await spentBy(world, () => bill(world, month, 'preview'))
    expect(preview.written).toBe(0)
    costs.push(preview.read - once.read)
    const issue = await spentBy(world, async () => {
      const [issued] = await bill(world, month, 'issue')
      expect(issued?.products).toHaveLength(20)
    })
    expect(issue.written).toBe(27)
    // Twenty days of calls are one of them.
    expect(issue.requests).toBeLessThanOrEqual(19)
  }

  // The other reads do not depend on the number of calls.
  expect(costs[1]).toBe(costs[0])
  expect(costs[0]).toBeLessThanOrEqual(20)
})
