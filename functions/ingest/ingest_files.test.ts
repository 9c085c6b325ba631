import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { sendersDoor } from '#lib/ingest/doors.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { awsFileStore, FileChanged, type FileStore } from '#lib/ingest/file-store.ts'
import { splitRows } from '#lib/ingest/split-file.ts'
import { people } from '#lib/testing/examples.ts'
import { queueEvent } from '#lib/testing/queue.ts'
import { aServer } from '#lib/testing/server.ts'
import { aWorld, type World } from '#lib/testing/world.ts'
import { notingWrites } from '#lib/testing/written-keys.ts'
import { method as userCalls } from '../calls/user_calls_get.ts'

const HEADER = 'uniqueid,calldate,src,dst,billsec,hangupcause,user_id,user_price'

/** Rows with line ends and quotes inside of cells. */
const rows = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => `c${from + n},@-0d 10:00:00,"a\n""b",1202,60,16,10,0.1`)

/** A bucket and its queue in memory; what runs against AWS is tested below, against a server. */
function aBucket(objects: Record<string, string>) {
  const queue: object[] = []
  const written: Record<string, string> = {}
  const files: FileStore = {
    read: async ({ key, etag }, range) => {
      const bytes = Buffer.from(objects[key] ?? '')
      if (etag === 'old') throw new FileChanged(key)
      return Readable.from([range ? bytes.subarray(range.from, range.to) : bytes])
    },
    find: async () => undefined,
    write: async (_bucket, key, path) => {
      written[key] = await readFile(path, 'utf8')
    },
    enqueue: async (message) => void queue.push(message),
  }
  return { objects, queue, written, files }
}

const consumerOf = (world: World, { files }: { files: FileStore }, partBytes = 1000) =>
  fileConsumer('ingest_record_files', {
    ...world.services,
    openStore: notingWrites('ingest_record_files', world.services.openStore),
    files,
    door: sendersDoor,
    partBytes,
  })

const created = (key: string, size: number, eTag = 'etag') => ({
  Records: [{ s3: { bucket: { name: 'bucket' }, object: { key, size, eTag } } }],
})

const aWorldOfPeople = () => aWorld({ users: people })

const totalOf = async (world: World) =>
  Number(/<total_calls>(\d+)/.exec(await world.call(userCalls, 'bob'))?.[1])

test('a dropped file is imported, and again without a change', async () => {
  const world = await aWorldOfPeople()
  const bucket = aBucket({ 'records/march calls/calls.csv': [HEADER, ...rows(5)].join('\n') })
  const event = queueEvent(created('records/march+calls/calls.csv', 300))

  expect(await consumerOf(world, bucket)(event)).toEqual({ batchItemFailures: [] })
  expect(await totalOf(world)).toBe(5)
  await consumerOf(world, bucket)(event)

  expect(world.log.filter(({ function: name }) => name === 'ingest_record_files')).toMatchObject([
    { outcome: 'imported', key: 'records/march calls/calls.csv', rows: 5, written: 5, unchanged: 0 },
    { outcome: 'imported', rows: 5, written: 0, unchanged: 5 },
  ])
})

test('an event may come straight from the bucket', async () => {
  const world = await aWorldOfPeople()
  const bucket = aBucket({
    'records/calls.ndjson': '{"uniqueid":"x","calldate":"@now-1s","user_id":10,"user_price":1}',
  })

  await consumerOf(world, bucket)(created('records/calls.ndjson', 300) as never)

  expect(await totalOf(world)).toBe(1)
})

test('refused rows are written beside the bucket’s files; the others are in', async () => {
  const world = await aWorldOfPeople()
  const bucket = aBucket({
    'records/may/calls.csv': [HEADER, ...rows(2), 'bad,@-0d,,,60,16,999,1', ...rows(1, 2)].join('\n'),
  })

  expect(await consumerOf(world, bucket)(queueEvent(created('records/may/calls.csv', 300)))).toEqual({
    batchItemFailures: [],
  })

  expect(await totalOf(world)).toBe(3)
  expect(bucket.written['rejected/records/may/calls.rejected.csv']).toContain(
    'user_id: there is no account 999',
  )
})

test('a large file goes through the queue in parts, whole rows each, and nothing is lost', async () => {
  const world = await aWorldOfPeople()
  const lines = [...rows(60), 'bad,@-0d,,,60,16,999,1', ...rows(60, 60)]
  const file = `\uFEFF${[HEADER, ...lines].join('\r\n')}`
  const bucket = aBucket({ 'records/big/calls.csv': file })
  const consume = consumerOf(world, bucket)

  await consume(queueEvent(created('records/big/calls.csv', Buffer.byteLength(file))))
  expect(world.log.at(-1)).toMatchObject({ outcome: 'split', parts: bucket.queue.length })
  expect(bucket.queue.length).toBeGreaterThan(3)
  expect(await consume(queueEvent(...bucket.queue))).toEqual({ batchItemFailures: [] })

  expect(await totalOf(world)).toBe(120)
  const [[name, rejected] = []] = Object.entries(bucket.written)
  expect(name).toMatch(/^rejected\/records\/big\/calls\.bytes-\d+-\d+\.rejected\.csv$/)
  expect(rejected).toContain('there is no account 999')
})

test.each([
  ['no JSON', 'nonsense', 'is not a JSON object'],
  ['not about files', { hello: 1 }, 'is not a message about files'],
  [
    'about a part of no file',
    { type: 'file_part', key: 'records/a' },
    'is not a message about a part of a file',
  ],
  ['about something that is not a dataset file', created('records/photo.jpg', 10), 'is not a dataset file'],
  ['about a file without its columns', created('records/calls.csv', 10), 'has no header line'],
])('a message that is %s fails alone, and the log says why', async (_case, body, reason) => {
  const world = await aWorldOfPeople()
  const good = 'records/good/calls.csv'
  const bucket = aBucket({ [good]: [HEADER, ...rows(1)].join('\n') })

  expect(await consumerOf(world, bucket)(queueEvent(body, created(good, 10)))).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm1' }],
  })
  expect(JSON.stringify(world.log)).toContain(reason)
  expect(await totalOf(world)).toBe(1)
})

test('a file that was replaced meanwhile is left to its own message; a test of the queue is not a file', async () => {
  const world = await aWorldOfPeople()

  expect(
    await consumerOf(
      world,
      aBucket({}),
    )(queueEvent(created('records/calls.csv', 10, 'old'), { Event: 's3:TestEvent', Bucket: 'bucket' })),
  ).toEqual({ batchItemFailures: [] })
})

test('parts put together are the file, and each ends with a row', async () => {
  const cell = fc
    .array(fc.constantFrom('x', '"', '\n', '\r', ',', 'é'), { maxLength: 6 })
    .map((parts) => parts.join(''))
  const line = fc.array(cell, { minLength: 2, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      async (table, partBytes, chunkBytes, endsWithLine) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
        const lines = table.map((cells) => cells.map(quoted).join(','))
        const whole = Buffer.from(`a,b\n${lines.join('\n')}${endsWithLine ? '\n' : ''}`)
        const chunks = Array.from({ length: Math.ceil(whole.length / chunkBytes) }, (_, n) =>
          whole.subarray(n * chunkBytes, (n + 1) * chunkBytes),
        )

        const parts = []
        for await (const part of splitRows(Readable.from(chunks), { isCsv: true, partBytes }))
          parts.push(part)

        const texts = parts.map(({ from, to }) => whole.subarray(from, to).toString())
        expect(texts.join('')).toBe(whole.subarray(4).toString())
        for (const { headerEnd } of parts) expect(headerEnd).toBe(4)
        const ends = new Set(lines.map((_, n) => `${lines.slice(0, n + 1).join('\n')}\n`.length))
        let end = 0
        for (const part of texts.slice(0, -1)) {
          end += part.length
          expect(ends.has(end)).toBe(true)
        }
      },
    ),
  )
})

const PART = '{"type":"file_part"}'

/** The queue says what it has understood. */
const ANSWERS: Readonly<Record<string, string>> = {
  GET: 'some bytes',
  POST: JSON.stringify({ MD5OfMessageBody: createHash('md5').update(PART).digest('hex') }),
}

/** As S3 says it. */
const CHANGED = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>PreconditionFailed</Code><Message>At least one of the pre-conditions you specified did not hold</Message></Error>`

test('objects and the queue are reached by signed requests', async () => {
  const server = await aServer(({ method, headers }, response) => {
    const isGone = headers['if-match'] === '"old"'
    response.statusCode = isGone ? 412 : 200
    response.end(isGone ? CHANGED : (ANSWERS[method] ?? ''))
  })
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'key')
  const files = awsFileStore({
    AWS_LAMBDA_FUNCTION_NAME: 'ingest_files',
    AWS_REGION: 'eu-central-1',
    S3_ENDPOINT: server.origin,
    FILE_QUEUE_URL: `${server.origin}/123/files`,
  })
  const file = { bucket: 'b', key: 'records/a b/calls.csv', etag: 'etag' }

  expect((await buffer(await files.read(file, { from: 5, to: 10 }))).toString()).toBe('some bytes')
  await expect(files.read({ ...file, etag: 'old' })).rejects.toThrow(FileChanged)
  await files.write('b', 'rejected/x.csv', 'LICENSE')
  await files.enqueue({ type: 'file_part' })

  const authorization = expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=key\//)
  expect(server.arrived).toMatchObject([
    {
      method: 'GET',
      path: '/b/records/a%20b/calls.csv?x-id=GetObject',
      headers: { range: 'bytes=5-9', 'if-match': '"etag"', authorization },
    },
    { headers: { 'if-match': '"old"' } },
    {
      method: 'PUT',
      path: '/b/rejected/x.csv?x-id=PutObject',
      headers: { authorization, 'content-type': 'text/csv; charset=utf-8' },
      body: await readFile('LICENSE', 'utf8'),
    },
    {
      method: 'POST',
      path: '/',
      headers: {
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=key\/\d+\/eu-central-1\/sqs\/aws4_request/,
        ),
        'x-amz-target': 'AmazonSQS.SendMessage',
      },
      body: JSON.stringify({ QueueUrl: `${server.origin}/123/files`, MessageBody: PART }),
    },
  ])
})
