import { randomUUID } from 'node:crypto'
import type { SQSEvent } from 'aws-lambda'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { importRows } from '#lib/dataset/import/import.ts'
import { ALL_TIME } from '#lib/domain/calendar.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { createTable } from '#lib/local/server/engine.ts'
import { listActiveCalls } from '#lib/store/calls/active-call.ts'
import type { DayListing } from '#lib/store/calls/day-list.ts'
import { listLocalCalls } from '#lib/store/calls/local-call.ts'
import { listQueueLog } from '#lib/store/calls/queue-log.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter, type Meter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { people } from '#lib/testing/examples.ts'
import { type Fault, faultyClient } from '#lib/testing/faults.ts'
import { notingWrites } from '#lib/testing/written-keys.ts'

const NOW = new Date('2026-03-10T12:00:00Z')
const DAYS = ['2026-03-08', '2026-03-09', '2026-03-10']
const rick = { id: 2, usertype: 'reseller', owner_id: 0 } as const

const faults = fc.array(
  fc.constantFrom<Fault | undefined>('throttled', 'conflict', 'crash before', 'crash after', ...Array(8)),
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

async function aTable() {
  const tableName = `once-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const store = createStore({ client, tableName, meter: createMeter() })
  await importRows({ store, clock: () => NOW }, { users: people })
  const consumer = (plan: readonly (Fault | undefined)[]) => {
    const planned = plan.values()
    const faulty = faultyClient(client, () => planned.next().value)
    const openStore = (meter: Meter) => createStore({ client: faulty, tableName, meter })
    return queueConsumer('ingest_calls', {
      openStore: notingWrites('ingest_calls', openStore),
      clock: () => NOW,
      log: () => {},
    })
  }
  return { store, consumer }
}

type Consumer = ReturnType<Awaited<ReturnType<typeof aTable>>['consumer']>

/** As the queue does it: what failed, or whose consumer died, is delivered again. */
async function deliver(consumer: Consumer, messages: readonly object[]): Promise<void> {
  let waiting = messages.map((message, id) => ({ messageId: String(id), body: JSON.stringify(message) }))
  while (waiting.length > 0) {
    const failed = await consumer({ Records: waiting } as SQSEvent).then(
      ({ batchItemFailures }) => new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)),
      () => undefined,
    )
    waiting = waiting.filter(({ messageId }) => !failed || failed.has(messageId))
  }
}

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

test('delivered in any order, twice, by two consumers that fail: every list is that of a plain reference', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, async ({ what, orders, plans }) => {
      const { store, consumer } = await aTable()
      await Promise.all(orders.map((messages, n) => deliver(consumer(plans[n] ?? []), messages)))

      const active = []
      for await (const page of listActiveCalls(store, rick, NOW)) active.push(...page)
      expect(active.map(({ id, answer_time }) => ({ id, isAnswered: answer_time !== undefined }))).toEqual(
        what.active.flatMap(({ isAnswered, hasEnded }, id) => (hasEnded ? [] : [{ id, isAnswered }])),
      )
      for (const scope of [{ user: 10 }, { user: 20 }, { owner: 0 }, { owner: 2 }]) {
        expect(await inList(await listLocalCalls(store, scope, ALL_TIME))).toEqual(expected(what.local))
      }
      expect(await inList(await listQueueLog(store, ALL_TIME))).toEqual(expected(what.queue))
    }),
    { numRuns: 8 },
  )
})
