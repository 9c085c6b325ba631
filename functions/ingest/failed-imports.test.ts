import type { SQSRecord } from 'aws-lambda'
import { expect, test } from 'vitest'
import { operatorPrefix, recordsPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { importDroppedSheet } from '#lib/ingest/dropped-sheet.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { awsFileStore, type FileStore } from '#lib/ingest/file-store.ts'
import { listFailedImports } from '#lib/settings/failed-import.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { people } from '#test/examples/examples.ts'
import { exampleTariffs, rate, tariffCurrencies } from '#test/examples/tariffs.ts'
import { aQueueAndBucket } from '#test/queue/queue-and-bucket.ts'
import { aWorld } from '#test/world.ts'

const CONSUMERS = {
  ingest_record_files: { prefix: recordsPrefix },
  ingest_files: { prefix: operatorPrefix(false), importSheet: importDroppedSheet },
} as const

/** Puts files into the bucket and consumes all their messages; returns the failed imports. */
async function anInstallation() {
  const world = await aWorld({
    users: people,
    currencies: tariffCurrencies,
    tariffs: exampleTariffs,
    rates: [rate({ prefix: '1' })],
  })
  const aws = await aQueueAndBucket()
  const drop = async (key: string, text: string) => {
    await aws.put(key, text)
    for (const [name, served] of Object.entries(CONSUMERS)) {
      const openStore = notingWrites(name, world.services.openStore)
      const files = awsFileStore(aws.environment(name))
      await aws.consume(
        name,
        fileConsumer(name, { ...world.services, openStore, files, partBytes: 500, ...served }),
      )
    }
    return listFailedImports(world.store)
  }
  return { world, drop }
}

const CALLS = 'records/may/calls.csv'
const callsFile = (...users: number[]): string =>
  ['uniqueid,calldate,src,dst,billsec,hangupcause,user_id,user_price']
    .concat(users.map((user, n) => `c${n},@-0d 10:00:00,1201,1202,60,16,${user},0.1`))
    .join('\n')

test('a file with refused rows is listed until it is imported whole', async () => {
  const { world, drop } = await anInstallation()

  expect(await drop(CALLS, callsFile(10, 999, 10))).toEqual([
    {
      file: CALLS,
      kind: 'calls',
      at: world.now.toISOString(),
      reason: 'line 3: user_id: there is no account 999',
      rejected: 'rejected/records/may/calls.rejected.csv',
      parts: [{ from: 0, rows: 3, refused: 1 }],
    },
  ])
  expect(await drop(CALLS, callsFile(10, 10, 10))).toEqual([])
})

test('a large file is listed with its parts that had refused rows, until it comes again', async () => {
  const { drop } = await anInstallation()
  const many = Array.from({ length: 60 }, () => 10)

  const [listed, ...others] = await drop(CALLS, callsFile(999, ...many, 999))

  expect(others).toEqual([])
  expect(listed?.parts.map(({ refused }) => refused)).toEqual([1, 1])
  expect(await drop(CALLS, callsFile(...many))).toEqual([])
})

test('a part that fails while its file is still being split is listed', async () => {
  const { world } = await anInstallation()
  const aws = await aQueueAndBucket()
  const files: FileStore = {
    ...awsFileStore(aws.environment('ingest_record_files')),
    enqueue: async (message) => {
      await consume({ Records: [{ messageId: '1', body: JSON.stringify(message) } as SQSRecord] })
    },
  }
  const consume = fileConsumer('ingest_record_files', {
    ...world.services,
    ...{ files, partBytes: 500, prefix: recordsPrefix },
  })
  await aws.put(CALLS, callsFile(999, ...Array.from({ length: 60 }, () => 10)))
  await aws.consume('ingest_record_files', consume)

  expect(await listFailedImports(world.store)).toMatchObject([{ file: CALLS, parts: [{ refused: 1 }] }])
})

test.each([
  ['records/photo.jpg', 'some bytes', 'unknown', 'photo.jpg is not a dataset file'],
  [
    'operator/users.csv',
    'id\n1\n',
    'users',
    'users is imported from the bucket only if importsAccess is yes',
  ],
  ['switches/fs1/morse/x', '-.-.', 'CDRs', 'is not switches/<name of a switch>/<format>/<file>'],
])('a file that a prefix refuses is listed with the reason: %s', async (file, text, kind, reason) => {
  const { drop } = await anInstallation()

  expect(await drop(file, text)).toMatchObject([
    { file, kind, reason: expect.stringContaining(reason), parts: [{ from: 0, rows: 0, refused: 0 }] },
  ])
})

test('a rate sheet is listed as long as it does not replace its tariff', async () => {
  const { drop } = await anInstallation()
  await drop('operator/carriers/a.json', JSON.stringify({ tariff: 1, mode: 'merge', dash: 'range' }))
  const sheet = (code: string) => `Destination;Code;Rate\nGermany;49;0,02\nLithuania;${code};0,05\n`

  expect(await drop('operator/carriers/a.csv', sheet('x'))).toMatchObject([
    {
      kind: 'rate sheet',
      reason: expect.stringContaining('line 3'),
      rejected: 'rejected/operator/carriers/a.rejected.csv',
      parts: [{ rows: 2, refused: 1 }],
    },
  ])
  expect(await drop('operator/carriers/a.csv', sheet('370'))).toEqual([])
})

test('no reason shows a password or another cell that is a secret', async () => {
  const { world } = await anInstallation()
  const aws = await aQueueAndBucket()
  const services = {
    ...world.services,
    files: awsFileStore(aws.environment('ingest_files')),
    partBytes: 5000,
  }
  await aws.put(
    'operator/devices.csv',
    'id,user_id,name,extension,device_type,secret\n7,999,7007,7007,SIP,hunter2hunter2\n',
  )
  await aws.consume(
    'ingest_files',
    fileConsumer('ingest_files', { ...services, prefix: operatorPrefix(true) }),
  )

  const listed = JSON.stringify(await listFailedImports(world.store))
  expect(listed).toContain('there is no account 999')
  expect(listed).not.toContain('hunter2')
})
