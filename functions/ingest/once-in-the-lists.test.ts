import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import type { DayListing } from '#lib/calls/day-list.ts'
import { listLocalCalls } from '#lib/calls/local-call.ts'
import { listQueueLog } from '#lib/calls/queue-log.ts'
import { activeCallsOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import type { MishapName } from '#test/faults/faulty-endpoint.ts'
import { aConsumer, deliverUntilDone } from '#test/queue/queue.ts'
import { runs } from '#test/sweep.ts'
import { aWorld } from '#test/world.ts'

const DAYS = ['2026-03-08', '2026-03-09', '2026-03-10']
const rick = { id: 2, usertype: 'reseller', owner_id: 0 } as const

const faults = fc.array(
  fc.constantFrom<MishapName | undefined>(
    ...(['throttled', 'conflict', 'dropped before it arrived', 'answer lost'] as const),
    ...Array(8),
  ),
  { minLength: 30, maxLength: 120 },
)

const traffic = fc.record({
  active: fc.array(fc.record({ isAnswered: fc.boolean(), hasEnded: fc.boolean() }), { maxLength: 6 }),
  /** The days of internal calls and of queue log entries. */
  local: fc.array(fc.constantFrom(...DAYS), { maxLength: 12 }),
  queue: fc.array(fc.constantFrom(...DAYS), { maxLength: 12 }),
})

type Traffic = typeof traffic extends fc.Arbitrary<infer T> ? T : never

/** Bob (admin's) calls Carol (Rick's), every time. */
const messagesOf = ({ active, local, queue }: Traffic): object[] => [
  ...active.flatMap(({ isAnswered, hasEnded }, id) => [
    { type: 'call_started', id, start_time: '2026-03-10 11:59:00', user_id: 10, dst_user_id: 20 },
    ...(isAnswered ? [{ type: 'call_answered', id, answer_time: '2026-03-10 11:59:30' }] : []),
    ...(hasEnded ? [{ type: 'call_ended', id }] : []),
  ]),
  ...local.map((day, n) => ({
    type: 'local_call',
    uniqueid: `call ${n}`,
    calldate: `${day} 10:00:00`,
    originator_user_id: 10,
    terminator_user_id: 20,
  })),
  ...queue.map((day, id) => ({ type: 'queue_log', id, time: `${day} 10:00:00` })),
]

const deliveries = traffic.chain((what) => {
  const messages = messagesOf(what)
  const order = fc.shuffledSubarray(messages, { minLength: messages.length })
  return fc.record({
    what: fc.constant(what),
    orders: fc.tuple(order, order),
    plans: fc.tuple(faults, faults),
  })
})

async function inList({
  about,
  pages,
}: DayListing<{ readonly calldate?: unknown; readonly time?: unknown }>) {
  const days: string[] = []
  for await (const page of pages) {
    for (const { calldate, time } of page) {
      days.push(new Date(Number(calldate ?? time) * 1000).toISOString().slice(0, 10))
    }
  }
  return { about, days }
}

const expected = (days: readonly string[]) => ({ about: days.length, days: days.toSorted() })

test('in any order, repeated, with two failing consumers, every list equals a plain reference', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, async ({ what, orders, plans }) => {
      const world = await aWorld({ users: people })
      const { store } = world
      await Promise.all(
        orders.map(async (messages, n) => deliverUntilDone(await aConsumer(world, plans[n] ?? []), messages)),
      )

      const active = await activeCallsOf(world, rick)
      expect(active.map(({ id, answer_time }) => ({ id, isAnswered: answer_time !== undefined }))).toEqual(
        what.active.flatMap(({ isAnswered, hasEnded }, id) => (hasEnded ? [] : [{ id, isAnswered }])),
      )
      for (const scope of [{ user: 10 }, { user: 20 }, { owner: 0 }, { owner: 2 }]) {
        expect(await inList(await listLocalCalls(store, scope, ALL_TIME))).toEqual(expected(what.local))
      }
      expect(await inList(await listQueueLog(store, ALL_TIME))).toEqual(expected(what.queue))
    }),
    { numRuns: runs(4, 12) },
  )
})
