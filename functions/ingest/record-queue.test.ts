import { expect, test } from 'vitest'
import { findQuickStats } from '#lib/calls/counters/call-stats.ts'
import { deliverToQueue } from '#lib/ingest/http/deliver-to-queue.ts'
import { bobsOperator } from '#test/examples/tariffs.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { asteriskCdr } from '#test/mediation/switch-documents.ts'
import type { HandledBatch } from '#test/queue/event-source.ts'
import { aConsumer, consumerOf } from '#test/queue/queue.ts'
import { aQueueAndBucket, type QueueAndBucket } from '#test/queue/queue-and-bucket.ts'
import { aWorld, type World } from '#test/world.ts'
import { method as userCalls } from '../calls/user_calls_get.ts'

const anOperator = () => aWorld(bobsOperator)

/** A CDR of Bob's phone in the format of Asterisk's cdr_custom. */
const cdr = (id: number, more: Readonly<Record<string, string>> = {}) => ({
  ...asteriskCdr,
  uniqueid: `1773136800.${id}`,
  ...more,
})

const callMessage = (id: number): string =>
  JSON.stringify({
    type: 'call',
    uniqueid: `c${id}`,
    calldate: '2026-03-10 11:00:00',
    billsec: 60,
    hangupcause: 16,
    user_id: 10,
    user_price: '0.5',
  })

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

const QUEUE = 'RecordQueue'
const DEAD_LETTERS = 'RecordDeadLetters'

const postCdrs = async (world: World, aws: QueueAndBucket, cdrs: readonly object[]): Promise<number> => {
  const authorization = await anIntake(world, 'pbx1')
  const { statusCode } = await post(world, 'asterisk-json', {
    body: cdrs.map((one) => JSON.stringify(one)).join('\n'),
    headers: { authorization },
    deliver: deliverToQueue(aws.environment('intake')),
  })
  return statusCode
}

/** The number of calls that the API lists for Bob, and that of the counters. */
async function callsOf(world: World): Promise<{ listed: number; counted: number }> {
  const listed = /<total_calls>(\d+)/.exec(await world.call(userCalls, 'bob'))?.[1]
  const { month } = await findQuickStats(world.store, 'everyone', '2026-03-10')
  return { listed: Number(listed), counted: month.calls }
}

const receiveCounts = (invocations: readonly HandledBatch[]): number[] =>
  invocations.map(({ records }) => Number(records[0]?.attributes.ApproximateReceiveCount))

test('a CDR that a switch posts goes through the queue and is listed once', async () => {
  const [world, aws] = [await anOperator(), await aQueueAndBucket()]

  expect(await postCdrs(world, aws, [cdr(1)])).toBe(200)
  expect(await callsOf(world)).toEqual({ listed: 0, counted: 0 })
  await aws.consume('ingest_calls', consumerOf(world))

  expect(await callsOf(world)).toEqual({ listed: 1, counted: 1 })
  expect(await aws.messagesIn(QUEUE)).toEqual([])
})

test('the function receives as many messages at once as its event source mapping allows', async () => {
  const [world, aws] = [await anOperator(), await aQueueAndBucket({ speedUp: 1 })]
  await aws.send(QUEUE, ...range(105).map(callMessage))

  const invocations = await aws.consume('ingest_calls', consumerOf(world))

  expect(invocations.map(({ records }) => records.length)).toEqual([100, 5])
  expect(await callsOf(world)).toEqual({ listed: 105, counted: 105 })
})

test('a poisoned message is received five times, then a dead letter; the others leave at once', async () => {
  const [world, aws] = [await anOperator(), await aQueueAndBucket()]
  await aws.send(QUEUE, callMessage(1), 'not JSON', callMessage(2))

  const invocations = await aws.consume('ingest_calls', consumerOf(world))

  expect(invocations.map(({ records }) => records.length)).toEqual([3, 1, 1, 1, 1])
  expect(receiveCounts(invocations)).toEqual([1, 2, 3, 4, 5])
  expect(await aws.messagesIn(DEAD_LETTERS)).toEqual(['not JSON'])
  expect(await callsOf(world)).toEqual({ listed: 2, counted: 2 })
})

test('messages of an outage become dead letters, and a redrive after it stores them once', async () => {
  const [world, aws] = [await anOperator(), await aQueueAndBucket()]
  await postCdrs(
    world,
    aws,
    range(3).map((id) => cdr(id)),
  )

  await aws.consume('ingest_calls', await aConsumer(world, Array(100).fill('throttled')))
  expect(await aws.messagesIn(DEAD_LETTERS)).toHaveLength(1)
  expect(await callsOf(world)).toEqual({ listed: 0, counted: 0 })
  await aws.redrive(DEAD_LETTERS, QUEUE)
  const invocations = await aws.consume('ingest_calls', consumerOf(world))

  expect(receiveCounts(invocations)).toEqual([1])
  expect(await aws.messagesIn(DEAD_LETTERS)).toEqual([])
  expect(await callsOf(world)).toEqual({ listed: 3, counted: 3 })
})

test('large messages, and characters that SQS refuses, arrive as the switch sent them', async () => {
  const [world, aws] = [await anOperator(), await aQueueAndBucket()]
  const userfield = 'x\uFFFE\uFFFF"\u0000'.repeat(100)
  const cdrs = range(150).map((id) => cdr(id, { userfield }))

  expect(await postCdrs(world, aws, cdrs)).toBe(200)
  const messages = await aws.messagesIn(QUEUE)
  await aws.consume('ingest_calls', consumerOf(world))

  expect(Math.max(...messages.map((body) => Buffer.byteLength(body)))).toBeGreaterThan(100_000)
  expect(await callsOf(world)).toEqual({ listed: 150, counted: 150 })
  expect(world.log.filter((line) => 'suspended' in line)).toEqual([])
})
