import { Readable } from 'node:stream'
import type { S3Event } from 'aws-lambda'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { archiver } from '#lib/calls/archive/archive-function.ts'
import { folderBucket } from '#lib/calls/archive/bucket.ts'
import { hourlySums } from '#lib/calls/report/day-groups.ts'
import { operatorPrefix, recordsPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import type { FileStore } from '#lib/ingest/file-store.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { formatProblem, RELEASE, requireFormat, TABLE_FORMAT } from '#lib/table/table-format.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { people } from '#test/examples/examples.ts'
import { aWorldWithIntake, post } from '#test/mediation/intake.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, signedForm, type World, warmCalls } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import packageJson from '../package.json' with { type: 'json' }

const methods = (await loadFunctionFiles()).map(({ method }) => method)

const NEWER: Item = { table_format: TABLE_FORMAT + 1, table_release: '9.1.0' }
const WITHOUT_STAMP: Item = { table_format: undefined, table_release: undefined }

async function aWorldWith(stamp: Item): Promise<World> {
  const world = await aWorld({ users: people })
  await world.store.update(settingsKey, { set: stamp })
  return world
}

test('the release is the version in package.json', () => {
  expect(RELEASE).toBe(packageJson.version)
})

test.each([
  [
    'a newer format',
    NEWER,
    `format ${TABLE_FORMAT + 1}, written by Tollgate 9.1.0`,
    'use Tollgate 9.1.0 or a newer one',
  ],
  ['no stamp', {}, 'no stamp', 'import the dataset into a new one'],
])('the problem of a table with %s names both versions and the remedy', (_what, stamp, table, remedy) => {
  const problem = formatProblem(stamp)

  expect(problem).toContain(table)
  expect(problem).toContain(`Tollgate ${RELEASE}`)
  expect(problem).toContain(remedy)
})

test.each([
  ['a newer format', NEWER],
  ['no stamp', WITHOUT_STAMP],
])('every method answers 503 over a table with %s, and changes nothing', async (_what, stamp) => {
  const world = await aWorldWith(stamp)
  const before = await world.dump()
  for (const method of methods) {
    const { statusCode, body } = await world.send(method, { body: signedForm(method, { u: 'admin' }) })

    expect([method.name, statusCode]).toEqual([method.name, 503])
    expect(body).toContain('<error>The table has another format</error>')
    expect(world.log.at(-1)).toMatchObject({ outcome: 'failed', error: { name: 'UnreadableTable' } })
  }
  expect(await world.dump()).toEqual(before)
})

test('a warm function notices a newer table within a second, and recovers with the right stamp', async () => {
  const world = await aWorld({ users: people })
  const [method] = methods.filter(({ name }) => name === 'quickstats_get')
  const call = () => warm(method as Method, 'admin')
  const warm = warmCalls(world)
  const later = () => {
    world.now = new Date(world.now.getTime() + 1000)
  }
  expect(await call()).toContain('<quickstats>')

  await world.store.update(settingsKey, { set: NEWER })
  later()
  expect(await call()).toContain('The table has another format')
  await world.store.update(settingsKey, { set: { table_format: TABLE_FORMAT } })
  later()
  expect(await call()).toContain('<quickstats>')
})

test("the console's API answers 503 over a table that it cannot read", async () => {
  const { status, body } = await aConsoleClient(await aWorldWith(NEWER)).signIn('admin')

  expect(status).toBe(503)
  expect(body).toMatchObject({ error: { message: expect.stringContaining('another format') } })
})

test('messages for a table that the consumer cannot read stay in the queue', async () => {
  const world = await aWorldWith(NEWER)
  const call = { type: 'call', uniqueid: 'c1', calldate: '2026-03-10 11:00:00', billsec: 60, user_id: 10 }

  const { batchItemFailures } = await consume(world, call)

  expect(batchItemFailures).toEqual([{ itemIdentifier: 'm1' }])
  expect(world.log).toContainEqual({
    function: 'ingest_calls',
    message: 'm1',
    outcome: 'failed',
    reason: expect.stringContaining('Tollgate 9.1.0'),
  })
})

const aFile = (text: string): FileStore => {
  const refuse = () => Promise.reject(new Error('nothing is written'))
  return {
    read: async () => Readable.from([Buffer.from(text)]),
    find: async () => undefined,
    copy: refuse,
    write: refuse,
    enqueue: refuse,
  }
}

test.each([
  ['operator/may/devices.csv', 'id,user_id,name,extension\n7,10,7007,7007\n'],
  ['operator/may/settings.csv', 'setting,value\nAllow_API,on\n'],
  ['operator/may/currencies.csv', 'name,exchange_rate\nEUR,1\n'],
  ['records/may/calls.csv', 'uniqueid,calldate,user_id\nc1,2026-03-10 11:00:00,10\n'],
  ['switches/fs1/freeswitch-json/day.json', '{}'],
])(
  'a file at %s fails over a table that the consumer cannot read, and changes nothing',
  async (key, text) => {
    const world = await aWorldWith(NEWER)
    const before = await world.dump()
    const prefix = key.startsWith('operator') ? operatorPrefix(true) : recordsPrefix
    const consumer = fileConsumer('files', { ...world.services, files: aFile(text), partBytes: 1000, prefix })
    const s3 = { bucket: { name: 'import' }, object: { key, size: text.length, eTag: 'e1' } }

    await expect(consumer({ Records: [{ s3 }] } as unknown as S3Event)).rejects.toThrow('Tollgate 9.1.0')

    expect(await world.dump()).toEqual(before)
  },
)

test('an unreadable table has no CDRs retried, and no days summed up or archived', async () => {
  const world = await aWorldWith(NEWER)
  const before = await world.dump()
  const hasTime = { getRemainingTimeInMillis: () => 600_000 }
  const bucket = folderBucket('/nowhere')
  const [sums, archive] = [hourlySums(world.services), archiver({ ...world.services, bucket })]

  await expect(sums({}, hasTime)).rejects.toThrow('Tollgate 9.1.0')
  await expect(archive({}, hasTime)).rejects.toThrow('Tollgate 9.1.0')
  expect(await world.dump()).toEqual(before)
})

test('the intake has a switch repeat a document instead of suspending in an unreadable table', async () => {
  const { world, authorization } = await aWorldWithIntake({ users: people })
  await world.store.update(settingsKey, { set: NEWER })
  const before = await world.dump()
  const headers = { authorization, 'Content-Length': '99' }

  const { statusCode } = await post(world, 'live', { body: '{}', headers })

  expect(statusCode).toBe(503)
  expect(world.log.at(-1)).toMatchObject({ reason: expect.stringContaining('Tollgate 9.1.0') })
  expect(await world.dump()).toEqual(before)
})

test('a table that was just created has the stamp', async () => {
  const { store } = await aWorld()

  expect(() => requireFormat({})).toThrow('no stamp')
  expect(await store.get(settingsKey)).toMatchObject({ table_format: TABLE_FORMAT, table_release: RELEASE })
})
