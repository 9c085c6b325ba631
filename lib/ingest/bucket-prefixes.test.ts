import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { findAccount } from '#lib/accounts/account.ts'
import { fileNames } from '#lib/dataset/import/files.ts'
import { findTariff, ratesOf } from '#lib/rates/tariff.ts'
import { listSwitches } from '#lib/rates/version-history.ts'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { queueEvent } from '#test/event.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { people } from '#test/examples/examples.ts'
import { exampleTariffs, rate, tariffCurrencies } from '#test/examples/tariffs.ts'
import { dumpBesideFailures } from '#test/failed-imports.ts'
import { aWorld, type World } from '#test/world.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import { type BucketPrefix, operatorPrefix, recordsPrefix } from './bucket-prefixes.ts'
import { importDroppedSheet } from './dropped-sheet.ts'
import { fileConsumer } from './file-consumer.ts'

const MALLORY = 'id,username,usertype,owner_id,password\n66,mallory,admin,0,let me in\n'
const CALLS = 'uniqueid,calldate,billsec,hangupcause,user_id,user_price\nx,@-0d 10:00:00,60,16,10,1\n'
const DEVICES = 'id,user_id,name,extension,device_type,secret\n7,10,7007,7007,SIP,hush hush\n'

const OPEN = operatorPrefix(true)
const CLOSED = operatorPrefix(false)

/** The writes of each consumer are recorded under its name (infra/senders.afterwards.test.ts). */
const consumerOf = new Map([
  [recordsPrefix, 'ingest_record_files'],
  [OPEN, 'ingest_files'],
  [CLOSED, 'ingest_files without access'],
])

/** Drops a file under a key. Returns the log, and the files that were written. */
async function drop(
  world: World,
  prefix: BucketPrefix,
  { key, text, beside = {} }: { key: string; text: string; beside?: Record<string, string> },
) {
  const written: Record<string, string> = {}
  const name = consumerOf.get(prefix) ?? ''
  const before = world.log.length
  const { batchItemFailures } = await fileConsumer(name, {
    ...world.services,
    openStore: notingWrites(name, world.services.openStore),
    files: {
      read: async () => Readable.from([Buffer.from(text)]),
      find: async (_bucket, path) =>
        path in beside ? Readable.from([Buffer.from(beside[path] ?? '')]) : undefined,
      copy: async () => {},
      write: async (_bucket, path, rows) => {
        written[path] = String(rows)
      },
      enqueue: async () => {},
    },
    prefix,
    ...(prefix !== recordsPrefix && { importSheet: importDroppedSheet }),
    partBytes: 1_000_000,
  })(queueEvent({ Records: [{ s3: { bucket: { name: 'bucket' }, object: { key, size: text.length } } }] }))
  return { failed: batchItemFailures.length, log: JSON.stringify(world.log.slice(before)), written }
}

test.each([
  ['an account under records/', recordsPrefix, 'records/x/users.csv', MALLORY, 'is not a file of records'],
  ['settings under records/', recordsPrefix, 'records/settings.csv', 'name,value\nAllow_API,0\n', 'is not'],
  ['devices under records/', recordsPrefix, 'records/devices.csv', DEVICES, 'put it under operator/'],
  [
    'an account under the other prefix',
    recordsPrefix,
    'operator/users.csv',
    MALLORY,
    'is not under records/',
  ],
  [
    'a path that leads out of its folder',
    recordsPrefix,
    'records/../operator/users.csv',
    MALLORY,
    'is not a file of records',
  ],
  ['an account if importsAccess is no', CLOSED, 'operator/x/users.csv', MALLORY, 'only if importsAccess is'],
  ['settings if importsAccess is no', CLOSED, 'operator/settings.ndjson', '{"name":"Allow_API"}', 'only if'],
  ['calls under operator/', OPEN, 'operator/calls.csv', CALLS, 'put it under records/'],
  [
    'a merge of devices',
    OPEN,
    'operator/may/devices.merge.csv',
    DEVICES,
    'only rates and destinations can be merged',
  ],
  ['a file outside the prefix', OPEN, 'users.csv', MALLORY, 'is not under operator/'],
])(
  '%s is refused: nothing is written, and the log has the reason',
  async (_case, prefix, key, text, reason) => {
    const world = await aWorld({ users: people })
    const before = await world.dump()

    const { failed, log } = await drop(world, prefix, { key, text })
    expect(failed).toBe(1)
    expect(log).toContain(reason)
    expect(await dumpBesideFailures(world)).toEqual(before)
  },
)

test('operator/ imports devices, records/ imports records', async () => {
  const world = await aWorld({ users: people })

  expect((await drop(world, CLOSED, { key: 'operator/may/devices.csv', text: DEVICES })).failed).toBe(0)
  expect((await drop(world, recordsPrefix, { key: 'records/may/calls.csv', text: CALLS })).failed).toBe(0)

  const stored = (await world.dump()).map(({ PK }) => PK)
  expect(stored).toEqual(expect.arrayContaining(['DEVICE#7', 'CALL#x', 'DATASET#may', 'DATASET#records/may']))
})

test('with importsAccess operator/ imports accounts and settings; their log names the file', async () => {
  const world = await aWorld({ users: people })
  await drop(world, OPEN, { key: 'operator/may/users.csv', text: MALLORY })
  await drop(world, OPEN, { key: 'operator/may/settings.csv', text: 'name,value\nNice_Number_Digits,2\n' })

  expect((await findAccount(world.store, 66))?.username).toBe('mallory')
  expect((await findSettings(world.store))['Nice_Number_Digits']).toBe('2')
  const log = await listAuditLog(world.store)
  expect(log.map((entry) => ('file' in entry ? entry.file : 'name' in entry && entry.name))).toEqual(
    expect.arrayContaining(['operator/may/users.csv', 'operator/may/settings.csv', 'Nice_Number_Digits']),
  )
})

test('each import is in the audit log with its counts, where the function may write there', async () => {
  const world = await aWorld({ users: people })
  await drop(world, OPEN, { key: 'operator/devices.csv', text: DEVICES })
  await drop(world, CLOSED, { key: 'operator/devices.csv', text: DEVICES })

  const file = 'operator/devices.csv'
  expect(await listAuditLog(world.store)).toEqual([
    { at: world.now.toISOString(), who: 'import', file, counts: 'devices: 1 new' },
  ])
})

test.each([
  [
    'users.csv',
    'id,username,usertype,owner_id,password\n66,mallory,emperor,66,hush hush\n',
    'usertype takes',
  ],
  ['users.csv', 'id,username,usertype,owner_id,password\n66,a,admin,66,x,hush hush\n', 'has 6 cells, but'],
  ['users.ndjson', '{"id":66,"usertype":"admin","owner_id":66,"pasword":"hush hush"}', 'unknown column'],
  ['settings.csv', 'name,value\nAPI_Secret_key,hush hush\n', 'there is no setting'],
  [
    'devices.csv',
    'id,user_id,name,extension,device_type,secret\n7,99,7007,7007,SIP,hush hush\n',
    'no account 99',
  ],
  [
    'devices.csv',
    'id,user_id,name,extension,device_type,pin\n7,10,7007,7007,SIP,hush hush\n',
    'pin takes digits',
  ],
  [
    'devices.csv',
    'id,user_id,name,extension,device_type,note\n7,99,7007,7007,SIP,hush hush\n',
    'no account 99',
  ],
])('neither the refused rows of %s nor the log contain a secret', async (file, text, reason) => {
  const world = await aWorld({ users: people })

  const { written, log } = await drop(world, OPEN, { key: `operator/may/${file}`, text })

  const report = written[`rejected/operator/may/${file.split('.')[0]}.rejected.csv`]
  expect(report).toContain(reason)
  expect(report).not.toContain('hush')
  expect(log).not.toContain('hush')
})

test('a tariff that would lose over a tenth is not replaced, and the report has the changes', async () => {
  const world = await aWorld({
    users: people,
    currencies: tariffCurrencies,
    tariffs: exampleTariffs,
    rates: [rate({ prefix: '33' }), rate({ prefix: '34' })],
  })
  const text = 'tariff_id,prefix,tariff_rate\n1,33,2\n'

  const { written, log } = await drop(world, OPEN, { key: 'operator/may/rates.csv', text })

  const removals = '1 of 2 prefixes would be removed, more than a tenth'
  expect(written['rejected/operator/may/rates.report.txt']).toContain(
    `tariff 1 was not replaced: ${removals}`,
  )
  expect(written['rejected/operator/may/rates.report.txt']).toContain('0 rates added, 1 removed, 1 changed')
  expect(log).toContain(removals)
})

/** The first rows stand for the others. */
const firstLinesOf = (calls: string): string => calls.split('\n').slice(0, 40).join('\n')

test('every file of the demo is imported under its prefix without a refusal', async () => {
  const world = await aWorld()
  const names = fileNames.filter((name) => existsSync(`${demoDataset}/${name}.csv`))
  // Charges are made from the subscriptions of the demo, and its tariffs have one price for all callers.
  expect(fileNames.filter((name) => !names.includes(name))).toEqual(['origins', 'npas', 'charges'])
  for (const name of names) {
    const prefix = [recordsPrefix, CLOSED, OPEN].find(({ obstacle }) => obstacle(name) === undefined) ?? OPEN
    const whole = await readFile(`${demoDataset}/${name}.csv`, 'utf8')
    const text = name === 'calls' ? firstLinesOf(whole) : whole
    const { failed, written } = await drop(world, prefix, { key: `${prefix.path}demo/${name}.csv`, text })
    expect([name, failed]).toEqual([name, 0])
    expect(Object.keys(written).filter((path) => path.endsWith('.rejected.csv'))).toEqual([])
  }
})

test('rates.merge merges rates into a tariff, and the log of the tariff names the file', async () => {
  const world = await aWorld({
    users: people,
    currencies: tariffCurrencies,
    tariffs: exampleTariffs,
    rates: [rate({ prefix: '44' }), rate({ prefix: '49' })],
  })
  const key = 'operator/may/rates.merge.csv'
  const { failed } = await drop(world, OPEN, { key, text: 'tariff_id,prefix,tariff_rate\n1,370,2\n' })
  const tariff = await findTariff(world.store, 1)

  expect(failed).toBe(0)
  expect(tariff?.active).toMatchObject({ rows: 3 })
  expect(await listSwitches(world.store, ratesOf(1))).toContainEqual(
    expect.objectContaining({ who: key, from: 1, to: 2 }),
  )
})

const SHEET = 'Destination;Code;Rate\nGermany;49;0,02\nLithuania;370-371;0,05\n'
const aSheet = (profile: object, text = SHEET) => ({
  key: 'operator/carriers/carrier-a.csv',
  text,
  beside: { 'operator/carriers/carrier-a.json': JSON.stringify(profile) },
})

const aWorldWithRates = () =>
  aWorld({
    users: people,
    currencies: tariffCurrencies,
    tariffs: exampleTariffs,
    rates: [rate({ prefix: '44' }), rate({ prefix: '49' })],
  })

test('a rate sheet is imported with the profile of its name', async () => {
  const world = await aWorldWithRates()
  const { failed, log } = await drop(world, OPEN, aSheet({ tariff: 1, mode: 'merge', dash: 'range' }))

  expect(failed).toBe(0)
  expect(log).toContain('"written":3')
  expect((await findTariff(world.store, 1))?.active).toMatchObject({ rows: 4 })
  expect((await listSwitches(world.store, ratesOf(1))).map(({ who }) => who)).toContain(
    'operator/carriers/carrier-a.csv',
  )
})

test('a rate sheet that would remove too much is not imported, and refused rows are reported', async () => {
  const world = await aWorldWithRates()
  const whole = await drop(world, OPEN, aSheet({ tariff: 1, mode: 'replace', dash: 'range' }))
  const wrong = await drop(
    world,
    OPEN,
    aSheet({ tariff: 1, mode: 'merge' }, 'Code;Rate\n44;0,02\n45;cheap\n'),
  )

  expect(whole.written).toEqual({
    'rejected/operator/carriers/carrier-a.report.txt': expect.stringContaining(
      'tariff 1 is not switched: 1 of 2 prefixes would be removed',
    ),
  })
  expect(wrong.written['rejected/operator/carriers/carrier-a.rejected.csv']).toMatch(/^line,reason,.*\r\n3,/)
  expect((await findTariff(world.store, 1))?.active).toMatchObject({ version: 1 })
})

test.each([
  [{ mode: 'merge', dash: 'range' }, 'The profile lacks the tariff'],
  [{ tariff: 1, dash: 'range' }, 'the mode, replace or merge'],
  [{ tariff: 9, mode: 'merge', dash: 'range' }, 'There is no tariff 9'],
  [{ tariff: 1, mode: 'merge' }, 'answer it in the profile, as dash'],
  [{ tariff: 1, mode: 'merge', colour: 'blue' }, 'The profile'],
])('a profile that leaves a question open is refused: %o', async (profile, reason) => {
  const world = await aWorldWithRates()
  const { failed, log } = await drop(world, OPEN, aSheet(profile))

  expect(failed).toBe(1)
  expect(log).toContain(reason)
})

test('a profile alone is kept, and a rate sheet without one is an unknown dataset file', async () => {
  const world = await aWorldWithRates()
  const profile = await drop(world, OPEN, { key: 'operator/carriers/carrier-a.json', text: '{}' })
  const alone = await drop(world, OPEN, { key: 'operator/carriers/carrier-a.csv', text: SHEET })

  expect([profile.failed, alone.failed]).toEqual([0, 1])
  expect(alone.log).toContain('carrier-a.csv is not a dataset file')
})
