import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { searchCalls } from '#lib/calls/call-search.ts'
import { suspenseOf } from '#test/dump.ts'
import { queueEvent } from '#test/event.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { sendDocuments } from '#test/mediation/csv-switch.ts'
import { demoDocument } from '#test/mediation/switch-documents.ts'
import { newPlaces } from '#test/shards.ts'
import { aWorld, type World } from '#test/world.ts'
import { type BucketPrefix, operatorPrefix, recordsPrefix } from './bucket-prefixes.ts'
import { importDroppedSheet } from './dropped-sheet.ts'
import { fileConsumer } from './file-consumer.ts'
import { retryMessage } from './file-message.ts'

const operator = {
  users: people.map((person) => ({ ...person, tariff_id: '1' })),
  tariffs: [{ id: '1', name: 'Retail', owner_id: '0' }],
  rates: [rate({ prefix: '1' })],
}

const RECORDS = `uniqueid,start,dst,billsec,duration,disposition,account_code,device
1,2026-03-10 09:00:00,37052000001,60,60,ANSWERED,bob,
2,2026-03-10 09:10:00,12025550171,60,60,ANSWERED,,bobs-phone
3,2026-03-10 09:20:00,12025550171,99,60,ANSWERED,bob,
`

async function somethingInSuspense() {
  const world = await aWorld(operator)
  const document = { format: 'csv', source: 'gw', zone: 'UTC', text: RECORDS } as const
  await sendDocuments(world, [document])
  return world
}

/** The consumer of a prefix, with its bucket and its queue. */
function aBucket(
  world: World,
  objects: Readonly<Record<string, string>>,
  [name, prefix]: readonly [string, BucketPrefix] = ['ingest_files', operatorPrefix(true)],
) {
  const queue: object[] = []
  const open = (key: string) =>
    key in objects ? Readable.from([Buffer.from(objects[key] ?? '')]) : undefined
  const consumer = fileConsumer(name, {
    ...world.services,
    openStore: notingWrites(name, world.services.openStore),
    files: {
      read: async ({ key }) => open(key) ?? Readable.from([]),
      find: async (_bucket, key) => open(key),
      copy: async () => {},
      write: async () => {},
      enqueue: async (message) => void queue.push(message),
    },
    prefix,
    importSheet: importDroppedSheet,
    partBytes: 1_000_000,
  })
  const drop = (key: string) =>
    consumer(queueEvent({ Records: [{ s3: { bucket: { name: 'b' }, object: { key, size: 1 } } }] }))
  const deliver = (left = 900_000) =>
    consumer(queueEvent(...queue.splice(0)), { getRemainingTimeInMillis: () => left })
  return { queue, drop, deliver }
}

const reasonsIn = async (world: World) =>
  (await suspenseOf(world)).map(({ reason, tries }) => [reason, tries])

async function numbersIn({ store }: World) {
  const { batches } = await searchCalls(store, {
    of: ['everyone'],
    period: { from: 0, till: 2_000_000_000 },
    settings: { ...newPlaces, Timezone: 'UTC' },
  })
  const numbers = []
  for await (const batch of batches) numbers.push(...batch.map(({ uniqueid }) => uniqueid))
  return numbers
}

const RATES = 'tariff_id,prefix,tariff_rate,direction,destination\n1,1,1,A,A\n1,370,1,A,A\n'
const DEVICES = 'id,user_id,name,extension,device_type\n7,10,bobs-phone,7007,SIP\n'

test('a file in the bucket causes a retry of the reasons that it may cure, and of no others', async () => {
  const world = await somethingInSuspense()
  const bucket = aBucket(world, {
    'operator/may/rates.csv': RATES,
    'operator/may/devices.csv': DEVICES,
    'operator/may/lcrs.csv': 'id,name,owner_id\n1,x,0\n',
  })
  expect(await reasonsIn(world)).toHaveLength(3)

  await bucket.drop('operator/may/lcrs.csv')
  expect(bucket.queue).toEqual([])
  await bucket.drop('operator/may/rates.csv')
  await bucket.deliver()
  expect(await numbersIn(world)).toEqual(['1'])
  expect(world.log.at(-1)).toMatchObject({ outcome: 'retried', stored: 1, still_suspended: 0 })
  await bucket.drop('operator/may/devices.csv')
  await bucket.deliver()

  expect((await numbersIn(world)).toSorted()).toEqual(['1', '2'])
  expect(await reasonsIn(world)).toEqual([['billed_exceeds_duration', 1]])
})

test('a rate sheet in the bucket causes a retry, and a profile alone does not', async () => {
  const world = await somethingInSuspense()
  const profile = { tariff: 1, mode: 'merge', dash: 'range' }
  const bucket = aBucket(world, {
    'operator/potomac.csv': 'Destination,Prefix,Rate\nLithuania,370,0.05\n',
    'operator/potomac.json': JSON.stringify(profile),
  })

  await bucket.drop('operator/potomac.json')
  expect(bucket.queue).toEqual([])
  await bucket.drop('operator/potomac.csv')
  await bucket.deliver()

  expect(await numbersIn(world)).toEqual(['1'])
})

test('when time runs out, another message resumes after the retried entries', async () => {
  const world = await somethingInSuspense()
  const bucket = aBucket(world, { 'operator/devices.csv': DEVICES })
  await bucket.drop('operator/devices.csv')
  await bucket.deliver(1000)

  expect(await numbersIn(world)).toEqual(['2'])
  expect(world.log.at(-1)).toMatchObject({ outcome: 'retried in part', stored: 1, still_suspended: 1 })
  await bucket.deliver()

  expect(world.log.at(-1)).toMatchObject({ outcome: 'retried', stored: 0, still_suspended: 0 })
  expect(bucket.queue).toEqual([])
})

/** The first line is an answered INVITE. */
const [INVITE = ''] = demoDocument('kamailio.ndjson').split('\n')

test('a message without reasons suspends overdue dialog events and retries nothing', async () => {
  const world = await somethingInSuspense()
  const document = { format: 'kamailio-json', source: 'proxy', zone: 'UTC', text: INVITE } as const
  await sendDocuments(world, [document])
  const before = await reasonsIn(world)
  const bucket = aBucket(world, {}, ['ingest_record_files', recordsPrefix])
  const hourly = retryMessage({ reasons: [], after: '' })

  bucket.queue.push(hourly)
  await bucket.deliver()
  expect(await reasonsIn(world)).toEqual(before)
  world.now = new Date(world.now.getTime() + 25 * 3_600_000)
  bucket.queue.push(hourly)
  await bucket.deliver()

  expect(await reasonsIn(world)).toHaveLength(before.length + 1)
  expect(await reasonsIn(world)).toEqual(expect.arrayContaining([...before, ['no_end', 1]]))
  expect(world.log.at(-1)).toMatchObject({ suspense_entries: before.length + 1, suspense_oldest_hours: 25 })
})
