import { expect, test } from 'vitest'
import { findDevice } from '#lib/devices/device-stored.ts'
import { operatorPrefix, recordsPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { importDroppedSheet } from '#lib/ingest/dropped-sheet.ts'
import { type FileConsumer, fileConsumer } from '#lib/ingest/file-consumer.ts'
import { awsFileStore } from '#lib/ingest/file-store.ts'
import { findTariff } from '#lib/rates/tariff.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { people } from '#test/examples/examples.ts'
import { exampleTariffs, rate, tariffCurrencies } from '#test/examples/tariffs.ts'
import { dialogsDocument } from '#test/mediation/csv-switch.ts'
import type { QueueHandler } from '#test/queue/event-source.ts'
import { aQueueAndBucket, type QueueAndBucket } from '#test/queue/queue-and-bucket.ts'
import { aWorld, type World } from '#test/world.ts'
import { method as userCalls } from '../calls/user_calls_get.ts'

const HEADER = 'uniqueid,calldate,src,dst,billsec,hangupcause,user_id,user_price'

/** Rows with line ends and quotes in their cells. */
const rows = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => `c${from + n},@-0d 10:00:00,"é\n""b",1202,60,16,10,0.1`)

const callsFile = (...lines: string[]): string => [HEADER, ...lines].join('\r\n')

const SENDERS = 'ingest_record_files'
const OPERATORS = 'ingest_files'

type Consumer = typeof SENDERS | typeof OPERATORS

/** Files of more than 2000 bytes are split. */
const servicesOf = ({ services }: World, aws: QueueAndBucket, name: string) => ({
  ...services,
  openStore: notingWrites(name, services.openStore),
  files: awsFileStore(aws.environment(name)),
  partBytes: 1000,
})

const recordConsumer = (world: World, aws: QueueAndBucket): FileConsumer =>
  fileConsumer(SENDERS, { ...servicesOf(world, aws, SENDERS), prefix: recordsPrefix })

const operatorConsumer = (world: World, aws: QueueAndBucket): FileConsumer =>
  fileConsumer(OPERATORS, {
    ...servicesOf(world, aws, OPERATORS),
    prefix: operatorPrefix(true),
    importSheet: importDroppedSheet,
  })

async function anInstallation() {
  const world = await aWorld({
    users: people.map((person) => ({ ...person, tariff_id: '1' })),
    currencies: tariffCurrencies,
    tariffs: exampleTariffs,
    rates: [rate({ prefix: '1' })],
  })
  const aws = await aQueueAndBucket()
  const consumers: Readonly<Record<Consumer, QueueHandler>> = {
    [SENDERS]: recordConsumer(world, aws),
    [OPERATORS]: operatorConsumer(world, aws),
  }
  const consumeAs = (name: Consumer, handler = consumers[name]) => aws.consume(name, handler)
  return { world, aws, consumers, consumeAs, outcomes: () => outcomesOf(world) }
}

/** The outcomes in the log of each file or part. */
const outcomesOf = ({ log }: World) => log.filter((line) => 'key' in line)

const totalOf = async (world: World): Promise<number> =>
  Number(/<total_calls>(\d+)/.exec(await world.call(userCalls, 'bob'))?.[1])

test.each([
  ['records/may/calls.csv', callsFile(...rows(5)), SENDERS, { outcome: 'imported', written: 5 }],
  ['switches/sip1/kamailio-json/day.json', dialogsDocument(2), SENDERS, { outcome: 'mediated' }],
  [
    'operator/may/devices.csv',
    'id,user_id,name,extension,device_type\n7,10,7007,7007,SIP\n',
    OPERATORS,
    { outcome: 'imported', written: 1 },
  ],
])(
  'an object put at %s reaches its function by the queue of its prefix',
  async (key, text, name, outcome) => {
    const { aws, consumeAs, outcomes } = await anInstallation()
    await aws.put(key, text)

    await consumeAs(SENDERS)
    await consumeAs(OPERATORS)

    expect(outcomes()).toMatchObject([{ function: name, key, ...outcome }])
    expect(await aws.messagesIn('FileDeadLetters')).toEqual([])
  },
)

test.each(['records/may 2026/calls.csv', 'records/1+1 = 2/calls.csv', 'records/Zażółć %41 ☎/calls.csv'])(
  'the key %j arrives as it was put',
  async (key) => {
    const { world, aws, consumeAs, outcomes } = await anInstallation()
    await aws.put(key, callsFile(...rows(1)))

    await consumeAs(SENDERS)

    expect(outcomes()).toMatchObject([{ key, outcome: 'imported', written: 1 }])
    expect(await totalOf(world)).toBe(1)
  },
)

test('a file that is put twice is imported once', async () => {
  const { world, aws, consumeAs, outcomes } = await anInstallation()
  for (const text of [callsFile(...rows(5)), callsFile(...rows(5))]) await aws.put('records/calls.csv', text)

  await consumeAs(SENDERS)

  expect(outcomes()).toMatchObject([
    { written: 5, unchanged: 0 },
    { written: 0, unchanged: 5 },
  ])
  expect(await totalOf(world)).toBe(5)
})

test('a large file is split by byte ranges, and no row is lost or stored twice', async () => {
  const { world, aws, consumeAs, outcomes } = await anInstallation()
  const lines = [...rows(60), 'bad,@-0d,,,60,16,999,1', ...rows(60, 60)]
  await aws.put('records/big/calls.csv', `\uFEFF${callsFile(...lines)}`)

  await consumeAs(SENDERS)

  const [split, ...parts] = outcomes()
  expect(split).toMatchObject({ outcome: 'split', parts: parts.length })
  expect(parts.length).toBeGreaterThan(3)
  expect(await totalOf(world)).toBe(120)
  const [rejected = '', ...others] = await aws.keys('rejected/')
  expect(rejected).toMatch(/^rejected\/records\/big\/calls\.bytes-\d+-\d+\.rejected\.csv$/)
  expect(others).toEqual([])
  expect(await aws.read(rejected)).toContain('there is no account 999')
})

test('a large file of dialog events is split, and its calls are correlated across the parts', async () => {
  const { world, aws, consumeAs, outcomes } = await anInstallation()
  await aws.put('switches/sip1/kamailio-json/day.json', dialogsDocument(20))

  await consumeAs(SENDERS)

  expect(outcomes()[0]).toMatchObject({ outcome: 'split' })
  expect(await totalOf(world)).toBe(20)
})

test('a part that comes again after its function died is stored once', async () => {
  const { world, aws, consumers, consumeAs, outcomes } = await anInstallation()
  await aws.put('records/big/calls.csv', callsFile(...rows(60)))
  let invocations = 0

  await consumeAs(SENDERS, async (event) => {
    const answer = await consumers[SENDERS](event)
    invocations += 1
    if (invocations % 3 === 0) throw new Error('The process ended')
    return answer
  })

  expect(outcomes().length).toBeGreaterThan(Number(outcomes()[0]?.['parts']) + 1)
  expect(await totalOf(world)).toBe(60)
  expect(await aws.messagesIn('FileDeadLetters')).toEqual([])
})

test('an object that was replaced is skipped, and the new one is imported by its own message', async () => {
  const { world, aws, consumeAs, outcomes } = await anInstallation()
  await aws.put('records/calls.csv', callsFile(...rows(5)))
  await aws.put('records/calls.csv', callsFile(...rows(2, 10)))

  await consumeAs(SENDERS)

  expect(outcomes()).toMatchObject([{ outcome: 'replaced meanwhile' }, { outcome: 'imported', written: 2 }])
  expect(await totalOf(world)).toBe(2)
})

test('an object replaced between its parts skips the others, and the new one is imported whole', async () => {
  const { world, aws, consumers, consumeAs, outcomes } = await anInstallation()
  await aws.put('records/big/calls.csv', callsFile(...rows(60)))

  await consumeAs(SENDERS, async (event) => {
    if (outcomes().length === 2) await aws.put('records/big/calls.csv', callsFile(...rows(70)))
    return consumers[SENDERS](event)
  })

  const results = outcomes().map(({ outcome }) => outcome)
  expect(results.slice(0, 2)).toEqual(['split', 'imported'])
  expect(results).toEqual(expect.arrayContaining(['replaced meanwhile']))
  expect(results.filter((outcome) => outcome === 'split')).toHaveLength(2)
  expect(await totalOf(world)).toBe(70)
})

test('rejected rows are written to the bucket and cause no message', async () => {
  const { world, aws, consumeAs } = await anInstallation()
  await aws.put('records/may/calls.csv', callsFile(...rows(2), 'bad,@-0d,,,60,16,999,1', ...rows(1, 2)))

  const invocations = await consumeAs(SENDERS)
  expect(await aws.keys('rejected/')).toEqual(['rejected/records/may/calls.rejected.csv'])

  expect(await aws.read('rejected/records/may/calls.rejected.csv')).toContain(
    'user_id: there is no account 999',
  )
  expect(invocations.filter(({ records }) => records[0]?.body.includes('rejected/'))).toEqual([])
  expect(await aws.messagesIn('RecordFileQueue')).toEqual([])
  expect(await totalOf(world)).toBe(3)
})

/** Consumes each message once: the two test messages of the bucket, and `count` others. */
async function receiveOnce(aws: QueueAndBucket, handler: QueueHandler, count: number) {
  const invocations = []
  for (let batch = 0; batch < 2 + count; batch += 1) {
    invocations.push(...(await aws.consumeBatch(SENDERS, handler)))
  }
  return invocations
}

test.each([
  ['no JSON', 'nonsense', 'is not a JSON object'],
  ['not about files', '{"hello":1}', 'is not a message about files'],
  [
    'about a part of no file',
    '{"type":"file_part","key":"records/a"}',
    'is not a message about a part of a file',
  ],
])('a message that is %s stays in the queue, and the log has the reason', async (_case, body, reason) => {
  const { world, aws, consumers } = await anInstallation()
  await aws.send('RecordFileQueue', body)
  await aws.put('records/good/calls.csv', callsFile(...rows(1)))

  const invocations = await receiveOnce(aws, consumers[SENDERS], 2)

  const kept = invocations.filter((invocation) => invocation.kept.length > 0)
  expect(kept.map(({ records }) => records[0]?.body)).toEqual([body])
  expect(JSON.stringify(world.log)).toContain(reason)
  expect(await totalOf(world)).toBe(1)
})

test.each([
  ['records/photo.jpg', 'some bytes', 'is not a dataset file'],
  ['records/calls.csv', '\n', 'has no header line'],
])(
  'an object that is not a file of records stays in the queue, and the log has the reason: %s',
  async (...object) => {
    const [key, text, reason] = object
    const { aws, consumers, outcomes } = await anInstallation()
    await aws.put(key, text)

    await receiveOnce(aws, consumers[SENDERS], 1)

    expect(outcomes()).toMatchObject([{ key, outcome: 'failed', reason: expect.stringContaining(reason) }])
  },
)

test('an event may come directly from the bucket', async () => {
  const { world, aws, consumeAs } = await anInstallation()
  await aws.put('records/calls.ndjson', '{"uniqueid":"x","calldate":"@now-1s","user_id":10,"user_price":1}')
  const consumer = recordConsumer(world, aws)

  await consumeAs(SENDERS, ({ Records: [message] }) => {
    const event = JSON.parse(message?.body ?? '')
    return event.Records ? consumer(event) : Promise.resolve({ batchItemFailures: [] })
  })

  expect(await totalOf(world)).toBe(1)
})

test('a file that every import refuses is received three times and becomes a dead letter', async () => {
  const { aws, consumeAs, outcomes } = await anInstallation()
  await aws.put('records/photo.jpg', 'not a dataset')

  await consumeAs(SENDERS)

  expect(outcomes().map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed'])
  const [message = '', ...others] = await aws.messagesIn('FileDeadLetters')
  expect(message).toContain('records/photo.jpg')
  expect(others).toEqual([])
})

test('a file that became a dead letter in an outage is imported after a redrive', async () => {
  const { aws, world, consumeAs } = await anInstallation()
  await aws.put('operator/may/devices.csv', 'id,user_id,name,extension,device_type\n7,10,7007,7007,SIP\n')
  await consumeAs(OPERATORS, async () => Promise.reject(new Error('The table does not answer')))
  expect(await findDevice(world.store, 7)).toBeUndefined()

  await aws.redrive('FileDeadLetters', 'FileQueue')
  await consumeAs(OPERATORS)

  expect(await findDevice(world.store, 7)).toMatchObject({ name: '7007' })
})

test('a rate sheet is imported with the profile of its name', async () => {
  const { aws, world, consumeAs, outcomes } = await anInstallation()
  await aws.put('operator/carriers/a.json', JSON.stringify({ tariff: 1, mode: 'merge', dash: 'range' }))
  await aws.put('operator/carriers/a.csv', 'Destination;Code;Rate\nGermany;49;0,02\nLithuania;370-371;0,05\n')
  await consumeAs(OPERATORS)

  expect(outcomes()).toMatchObject([{ outcome: 'kept for sheets' }, { outcome: 'imported', written: 3 }])
  expect((await findTariff(world.store, 1))?.active).toMatchObject({ rows: 4 })
})
