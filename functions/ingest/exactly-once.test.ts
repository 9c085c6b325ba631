import { randomUUID } from 'node:crypto'
import type { SQSEvent } from 'aws-lambda'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { importRows } from '#lib/dataset/import/import.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { createTable } from '#lib/local/server/engine.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { callsIn, type DumpedItem, dumpTable } from '#lib/testing/dump.ts'
import { people } from '#lib/testing/examples.ts'
import { type Fault, faultyClient } from '#lib/testing/faults.ts'
import { counted, exact, referenceSums, withoutZeros } from '#lib/testing/plain-sums.ts'
import { notingWrites } from '#lib/testing/written-keys.ts'

type Cells = Readonly<Record<string, string>>

const OWNERS: Readonly<Record<string, string>> = { 2: '0', 10: '0', 20: '2', 30: '3', 40: '4' }
const DAYS = ['2026-03-08', '2026-03-09', '2026-03-10']

const price = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 6n }),
    fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }),
  )
  .map(([sign, whole, part]) => `${sign}${whole}.${String(part).padStart(15, '0')}`)

const content = fc.record({
  calldate: fc.constantFrom(...DAYS).map((day) => `${day} 12:00:00`),
  billsec: fc.nat({ max: 5000 }).map(String),
  hangupcause: fc.constantFrom('16', '16', '17'),
  user_id: fc.constantFrom(...Object.keys(OWNERS)),
  user_price: price,
  reseller_price: fc.option(price, { nil: '' }),
  provider_price: fc.option(price, { nil: '' }),
})

const faults = fc.array(
  fc.constantFrom<Fault | undefined>('throttled', 'conflict', 'crash before', 'crash after', ...Array(8)),
  { minLength: 30, maxLength: 120 },
)

async function aTable() {
  const tableName = `ingest-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const store = createStore({ client, tableName, meter: createMeter() })
  const clock = () => new Date('2026-03-10T12:00:00Z')
  await importRows({ store, clock }, { users: people })

  /** A consumer whose requests fail as planned; once the plan is through, all is well. */
  const consumer = (plan: readonly (Fault | undefined)[]) => {
    const planned = plan.values()
    const faulty = faultyClient(client, () => planned.next().value)
    const openStore = (meter: ReturnType<typeof createMeter>) =>
      createStore({ client: faulty, tableName, meter })
    return queueConsumer('ingest_calls', {
      openStore: notingWrites('ingest_calls', openStore),
      clock,
      log: () => {},
    })
  }
  return { consumer, dump: async () => (await dumpTable(client, tableName)) as Record<string, unknown>[] }
}

type Consumer = ReturnType<Awaited<ReturnType<typeof aTable>>['consumer']>

/** As the queue does it: what failed, or whose consumer died, is delivered again. */
async function deliver(consumer: Consumer, batches: readonly (readonly Cells[])[]): Promise<void> {
  let waiting = batches.map((records, id) => ({
    messageId: String(id),
    body: JSON.stringify({ type: 'calls', records }),
  }))
  while (waiting.length > 0) {
    const failed = await consumer({ Records: waiting } as SQSEvent).then(
      ({ batchItemFailures }) => new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)),
      () => undefined,
    )
    waiting = waiting.filter(({ messageId }) => !failed || failed.has(messageId))
  }
}

const storedCalls = (items: readonly Record<string, unknown>[]) => callsIn(items as readonly DumpedItem[])

const asStored = (items: readonly Record<string, unknown>[]): Cells[] =>
  storedCalls(items).map(({ day, ...call }) => ({
    ...(Object.fromEntries(
      Object.entries(call).map(([name, value]) => [name, String(value ?? '')]),
    ) as Cells),
    calldate: `${day} 12:00:00`,
  }))

const sameCall = (stored: Cells, sent: Cells) =>
  stored['user_id'] === sent['user_id'] &&
  stored['billsec'] === sent['billsec'] &&
  stored['calldate'] === sent['calldate'] &&
  exact(stored['user_price']) === exact(sent['user_price'])

test('delivered in any order, again and again, by two consumers that fail: stored once and counted once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(content, { minLength: 1, maxLength: 60, selector: (one) => JSON.stringify(one) }),
      fc.array(fc.array(fc.nat(), { maxLength: 40 }), { minLength: 1, maxLength: 5 }),
      fc.tuple(faults, faults),
      async (contents, repetitions, [plan, otherPlan]) => {
        const records: Cells[] = contents.map((one, index) => ({ uniqueid: `call-${index}`, ...one }))
        const again = repetitions.map((picks) => picks.map((pick) => records[pick % records.length] as Cells))
        const half = Math.ceil(records.length / 2)
        const table = await aTable()

        await Promise.all([
          deliver(table.consumer(plan), [records.slice(half), ...again, records.slice(0, half)]),
          deliver(table.consumer(otherPlan), [[...records].reverse(), ...again]),
        ])

        const items = await table.dump()
        expect(storedCalls(items)).toHaveLength(records.length)
        for (const stored of asStored(items)) {
          const sent = records.find(({ uniqueid }) => uniqueid === stored['uniqueid'])
          expect(sent && sameCall(stored, sent)).toBe(true)
        }
        expect(withoutZeros(counted(items))).toEqual(withoutZeros(referenceSums(OWNERS, records)))
      },
    ),
    { numRuns: 8 },
  )
})

test('corrections that come in order leave the last version, and the counters of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.tuple(fc.nat({ max: 9 }), content), { minLength: 1, maxLength: 12 }), {
        minLength: 1,
        maxLength: 6,
      }),
      faults,
      async (deliveries, plan) => {
        const table = await aTable()
        const last = new Map<string, Cells>()
        const consumer = table.consumer(plan)

        for (const delivery of deliveries) {
          const records = delivery.map(([number, one]): Cells => ({ uniqueid: `call-${number}`, ...one }))
          for (const record of records) last.set(String(record['uniqueid']), record)
          await deliver(consumer, [records])
        }

        const items = await table.dump()
        expect(storedCalls(items)).toHaveLength(last.size)
        expect(withoutZeros(counted(items))).toEqual(withoutZeros(referenceSums(OWNERS, [...last.values()])))
      },
    ),
    { numRuns: 10 },
  )
})

test('corrections that race leave one of the versions, and the counters of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat({ max: 4 }), content), { minLength: 2, maxLength: 20 }),
      fc.tuple(faults, faults),
      async (versions, [plan, otherPlan]) => {
        const table = await aTable()
        const records = versions.map(([number, one]): Cells => ({ uniqueid: `call-${number}`, ...one }))

        await Promise.all([
          deliver(
            table.consumer(plan),
            records.map((record) => [record]),
          ),
          deliver(table.consumer(otherPlan), [records.toReversed()]),
        ])

        const items = await table.dump()
        const stored = asStored(items)
        expect(stored).toHaveLength(new Set(records.map(({ uniqueid }) => uniqueid)).size)
        for (const call of stored) {
          expect(records.some((sent) => sent['uniqueid'] === call['uniqueid'] && sameCall(call, sent))).toBe(
            true,
          )
        }
        expect(withoutZeros(counted(items))).toEqual(withoutZeros(referenceSums(OWNERS, stored)))
      },
    ),
    { numRuns: 10 },
  )
})
