import { expect, test } from 'vitest'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { dumpBesideFailures } from '#test/failed-imports.ts'
import { anOperator, dialogsDocument } from '#test/mediation/csv-switch.ts'
import { anIntake } from '#test/mediation/intake.ts'
import { aQueueAndBucket } from '#test/queue/queue-and-bucket.ts'
import type { World } from '#test/world.ts'
import { operatorPrefix, recordsPrefix } from './bucket-prefixes.ts'
import { fileConsumer } from './file-consumer.ts'
import { awsFileStore } from './file-store.ts'

const CONSUMER = 'ingest_record_files'

/** Puts a file into the bucket and consumes the messages that follow, each once. Returns their logs. */
async function drop(
  world: World,
  {
    key,
    text,
    prefix = recordsPrefix,
  }: { key: string; text: string | Buffer; prefix?: typeof recordsPrefix },
) {
  const aws = await aQueueAndBucket()
  const consumer = fileConsumer(CONSUMER, {
    ...world.services,
    openStore: notingWrites(CONSUMER, world.services.openStore),
    files: awsFileStore(aws.environment(CONSUMER)),
    prefix,
    partBytes: 500,
  })
  const before = world.log.length
  await aws.put(key, text)
  await aws.consume(CONSUMER, async (event) => {
    await consumer(event)
    return { batchItemFailures: [] }
  })
  return world.log.slice(before).filter((line) => 'key' in line)
}

const KAMAILIO = 'switches/sip1/kamailio-json/2026-03-10.json'

test('a dropped file of CDRs is stored once, and CDRs that cannot be stored are suspended', async () => {
  const world = await anOperator()
  const text = `${dialogsDocument(1)}\nnot JSON\n`

  expect(await drop(world, { key: KAMAILIO, text })).toMatchObject([
    { key: KAMAILIO, outcome: 'mediated', stored: 2, duplicate: 0, suspended: 1 },
  ])
  expect(await drop(world, { key: KAMAILIO, text })).toMatchObject([
    { stored: 0, duplicate: 2, suspended: 1 },
  ])

  expect(await searchedCalls(world)).toMatchObject([{ user_id: 10, source: 'sip1', billsec: 60, version: 1 }])
  expect(await suspenseOf(world)).toMatchObject([{ source: 'sip1', reason: 'unreadable', bytes: 8 }])
})

test('a large file goes back into the queue in parts', async () => {
  const world = await anOperator()
  const log = await drop(world, { key: KAMAILIO, text: dialogsDocument(8) })

  expect(log[0]).toMatchObject({ outcome: 'split', parts: log.length - 1 })
  expect(log.length).toBeGreaterThan(3)
  expect((await searchedCalls(world)).map(({ billsec, version }) => [billsec, version])).toEqual(
    Array.from({ length: 8 }, () => [60, 1]),
  )
})

test("the switch's intake gives zone, columns and mapping, also to parts of a large file", async () => {
  const world = await anOperator()
  await anIntake(world, 'gw1', { zone: 'America/New_York', map: 'start=When\naccount_code=Who' })
  const rows = Array.from({ length: 40 }, (_, n) => `${n},2026-03-10 04:00:00,12025550171,60,60,ANSWERED,bob`)
  const text = ['uniqueid,When,dst,duration,billsec,disposition,Who', ...rows].join('\n')
  await drop(world, { key: 'switches/gw1/csv/day.csv', text })

  const calls = await searchedCalls(world)
  expect([calls.length, calls[0]?.calldate]).toEqual([40, Date.UTC(2026, 2, 10, 8) / 1000])
})

test('a dropped file may be UTF-16, and a large one is not cut between its bytes', async () => {
  const world = await anOperator()
  const rows = 'uniqueid;start;dst;billsec;account_code\nu;2026-03-10 04:00:00;12025550171;60;bob\n'
  const small = Buffer.from(`\ufeff${rows}`, 'utf16le')
  const large = Buffer.from(`\ufeff${rows}${'x'.repeat(2000)}`, 'utf16le')

  expect(await drop(world, { key: 'switches/gw1/csv/small', text: small })).toMatchObject([{ stored: 1 }])
  await drop(world, { key: 'switches/gw1/csv/large', text: large })
  expect(await suspenseOf(world)).toMatchObject([
    { reason: 'too_large', detail: expect.stringMatching(/bytes are UTF-16: save it as UTF-8$/) },
  ])
})

test.each([
  ['freeswitch-xml', `<cdr>${'x'.repeat(2000)}</cdr>`],
  ['freeswitch-json', `[\n{"variables":"${'x'.repeat(2000)}"}]`],
])(
  'a large document that is not a rows stays in the bucket, and suspense names it: %s',
  async (format, text) => {
    const world = await anOperator()
    const log = await drop(world, { key: `switches/fs1/${format}/x`, text })

    expect(log).toMatchObject([{ outcome: 'mediated', suspended: 1 }])
    expect(await suspenseOf(world)).toMatchObject([
      {
        reason: 'too_large',
        format,
        object: expect.stringMatching(new RegExp(`^s3://.+/rejected/switches/fs1/${format}/x$`)),
      },
    ])
  },
)

test.each(['switches/fs1/morse/x', 'switches/two words/csv/x', 'switches/fs1/csv/', 'switches/calls.csv'])(
  '%s does not name switch and format, and is refused',
  async (key) => {
    const world = await anOperator()
    const before = await world.dump()

    const log = await drop(world, { key, text: dialogsDocument(1) })
    expect(log[0]).toMatchObject({ outcome: 'failed' })
    expect(String(log[0]?.['reason'])).toContain('is not switches/<name of a switch>/<format>/<file>')
    expect(await dumpBesideFailures(world)).toEqual(before)
  },
)

test("the operators' prefix refuses CDR documents", async () => {
  const world = await anOperator()
  const log = await drop(world, { key: KAMAILIO, text: dialogsDocument(1), prefix: operatorPrefix(true) })

  expect(String(log[0]?.['reason'])).toContain('is not under operator/')
})
