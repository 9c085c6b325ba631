import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callsIn, type DumpedItem } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import type { MishapName } from '#test/faults/faulty-endpoint.ts'
import { counted, exact, referenceSums, withoutZeros } from '#test/plain-sums.ts'
import { aConsumer, type Consumer, deliverUntilDone } from '#test/queue/queue.ts'
import { runs } from '#test/sweep.ts'
import { aWorld } from '#test/world.ts'

type Cells = Readonly<Record<string, string>>

const OWNERS: Readonly<Record<string, string>> = { 2: '0', 10: '0', 20: '2', 30: '3', 40: '4' }
const DAYS = ['2026-03-08', '2026-03-09', '2026-03-10']

/** A price is 0 or more: a record with another one is refused, and its message stays in the queue. */
const price = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 6n }), fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }))
  .map(([whole, part]) => `${whole}.${String(part).padStart(15, '0')}`)

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
  fc.constantFrom<MishapName | undefined>(
    ...(['throttled', 'conflict', 'dropped before it arrived', 'answer lost'] as const),
    ...Array(8),
  ),
  { minLength: 30, maxLength: 120 },
)

/** Each batch of records is a message. */
const deliver = (consumer: Consumer, batches: readonly (readonly Cells[])[]): Promise<void> =>
  deliverUntilDone(
    consumer,
    batches.map((records) => ({ type: 'calls', records })),
  )

const asStored = (items: readonly DumpedItem[]): Cells[] =>
  callsIn(items).map(({ day, ...call }) => ({
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

test('messages in any order, repeated, with two failing consumers, are stored and counted once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(content, { minLength: 1, maxLength: 60, selector: (one) => JSON.stringify(one) }),
      fc.array(fc.array(fc.nat(), { maxLength: 40 }), { minLength: 1, maxLength: 5 }),
      fc.tuple(faults, faults),
      async (contents, repetitions, [plan, otherPlan]) => {
        const records: Cells[] = contents.map((one, index) => ({ uniqueid: `call-${index}`, ...one }))
        const again = repetitions.map((picks) => picks.map((pick) => records[pick % records.length] as Cells))
        const half = Math.ceil(records.length / 2)
        const world = await aWorld({ users: people })

        await Promise.all([
          deliver(await aConsumer(world, plan), [records.slice(half), ...again, records.slice(0, half)]),
          deliver(await aConsumer(world, otherPlan), [[...records].reverse(), ...again]),
        ])

        const items = await world.dump()
        expect(callsIn(items)).toHaveLength(records.length)
        for (const stored of asStored(items)) {
          const sent = records.find(({ uniqueid }) => uniqueid === stored['uniqueid'])
          expect(sent && sameCall(stored, sent)).toBe(true)
        }
        expect(withoutZeros(counted(items))).toEqual(withoutZeros(referenceSums(OWNERS, records)))
      },
    ),
    { numRuns: runs(4, 12) },
  )
})

test('corrections in order leave the last version and its counters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.tuple(fc.nat({ max: 9 }), content), { minLength: 1, maxLength: 12 }), {
        minLength: 1,
        maxLength: 6,
      }),
      faults,
      async (deliveries, plan) => {
        const world = await aWorld({ users: people })
        const last = new Map<string, Cells>()
        const consumer = await aConsumer(world, plan)

        for (const delivery of deliveries) {
          const records = delivery.map(([number, one]): Cells => ({ uniqueid: `call-${number}`, ...one }))
          for (const record of records) last.set(String(record['uniqueid']), record)
          await deliver(consumer, [records])
        }

        const items = await world.dump()
        expect(callsIn(items)).toHaveLength(last.size)
        expect(withoutZeros(counted(items))).toEqual(withoutZeros(referenceSums(OWNERS, [...last.values()])))
      },
    ),
    { numRuns: runs(4, 12) },
  )
})

test('corrections that race leave one of the versions and its counters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat({ max: 4 }), content), { minLength: 2, maxLength: 20 }),
      fc.tuple(faults, faults),
      async (versions, [plan, otherPlan]) => {
        const world = await aWorld({ users: people })
        const records = versions.map(([number, one]): Cells => ({ uniqueid: `call-${number}`, ...one }))

        await Promise.all([
          deliver(
            await aConsumer(world, plan),
            records.map((record) => [record]),
          ),
          deliver(await aConsumer(world, otherPlan), [records.toReversed()]),
        ])

        const items = await world.dump()
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
    { numRuns: runs(4, 12) },
  )
})
