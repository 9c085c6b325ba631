import { expect, inject, test } from 'vitest'
import { deployedFunction } from '#test/deployed/deployed-function.ts'
import { anEvent } from '#test/event.ts'
import { bobsOperator } from '#test/examples/tariffs.ts'
import { anIntake, basic } from '#test/mediation/intake.ts'
import { asteriskCdr } from '#test/mediation/switch-documents.ts'
import type { QueueHandler } from '#test/queue/event-source.ts'
import { aQueueAndBucket } from '#test/queue/queue-and-bucket.ts'
import { aWorld, signedForm } from '#test/world.ts'
import { method as userCalls } from '../calls/user_calls_get.ts'

/** The packaged functions over one table, the queues and the bucket. */
async function aDeployment() {
  const [world, aws] = [await aWorld(bobsOperator), await aQueueAndBucket()]
  const table = { TABLE_NAME: world.table.tableName, DYNAMODB_ENDPOINT: inject('endpoint') }
  const start = (name: string, environment: NodeJS.ProcessEnv) =>
    deployedFunction(name, { ...environment, ...table }, world.now)
  const startConsumer = async (name: string) => {
    const { AWS_ENDPOINT_URL_SQS } = process.env
    return start(name, { ...aws.environment(name), AWS_ENDPOINT_URL_SQS })
  }
  const consumeWith = async (name: string) => {
    const { invoke } = await startConsumer(name)
    await aws.consume(name, invoke as unknown as QueueHandler)
  }
  return {
    world,
    aws,
    consumeWith,
    post: async (headers: Readonly<Record<string, string>>, body: string) => {
      const { invoke } = await startConsumer('intake')
      const event = anEvent({ path: '/intake/asterisk-json', headers, body })
      return invoke({ ...event, pathParameters: { format: 'asterisk-json' } })
    },
    listed: async () => {
      const { invoke } = await start(userCalls.name, {})
      const { body } = await invoke(anEvent({ body: signedForm(userCalls, { u: 'bob' }) }))
      return Number(/<total_calls>(\d+)/.exec(String(body))?.[1] ?? 0)
    },
  }
}

const cdrs = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ ...asteriskCdr, uniqueid: `1773136800.${from + index}` }),
  ).join('\n')

test('CDRs through the intake and the queue, and a file through the bucket, are listed', async () => {
  const { world, aws, post, consumeWith, listed } = await aDeployment()
  const authorization = await anIntake(world, 'pbx1')

  expect(await post({ authorization: basic('x', 'y') }, cdrs(1))).toMatchObject({
    statusCode: 401,
  })
  expect(await post({ authorization }, cdrs(3))).toMatchObject({ statusCode: 200 })
  expect(await listed()).toBe(0)
  await consumeWith('ingest_calls')
  expect(await listed()).toBe(3)

  await aws.put('switches/pbx1/asterisk-json/day.json', cdrs(5, 1))
  await consumeWith('ingest_record_files')
  expect(await listed()).toBe(6)
})

test('a poison message becomes a dead letter beside good ones, again after a redrive', async () => {
  const { world, aws, post, consumeWith, listed } = await aDeployment()
  const authorization = await anIntake(world, 'pbx1')
  await aws.send('RecordQueue', 'not JSON')
  await post({ authorization }, cdrs(2))

  await consumeWith('ingest_calls')
  expect(await aws.messagesIn('RecordDeadLetters')).toEqual(['not JSON'])
  expect(await listed()).toBe(2)

  await aws.redrive('RecordDeadLetters', 'RecordQueue')
  expect(await aws.messagesIn('RecordDeadLetters')).toEqual([])
  await consumeWith('ingest_calls')
  expect(await aws.messagesIn('RecordDeadLetters')).toEqual(['not JSON'])
  expect(await listed()).toBe(2)
})
