import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loginFailureKeys } from '#lib/accounts/login-failures.ts'
import { dialogEventKey } from '#lib/cdrs/dialogs/dialog-event.ts'
import { suspenseKeys } from '#lib/cdrs/suspense/suspense.ts'
import { datasetKey } from '#lib/dataset/import/import.ts'
import { auditLogKey } from '#lib/settings/audit-log.ts'
import { failedImportsKey } from '#lib/settings/failed-import.ts'
import { intakeKeys } from '#lib/settings/intake.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import { accountKey, callerKey, deviceKey, type Key, tariffKey } from '#lib/table/keys.ts'
import { writesOf } from '#test/evidence/written-keys.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { mayDo } from '#test/template/iam.ts'
import { packagedTemplate } from '#test/template/template.ts'
import { root } from '#tools/machine/program.ts'

/** Runs after the tests of the consumers, on the writes that they have recorded. */
const template = await packagedTemplate('prod')
const open = await packagedTemplate('prod', EVERYTHING)

const SENDERS = { ingest_calls: 'IngestCallsRole', ingest_record_files: 'IngestRecordFilesRole' }
const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem']

const isAllowed = (role: string, action: string, ...leadingKeys: string[]): boolean =>
  mayDo(template, role, { action, leadingKeys })

test.for(Object.entries(SENDERS))(
  'all that %s wrote in its tests is allowed',
  ([consumer, role], { skip }) => {
    const writes = writesOf(consumer)
    if (writes.length === 0) return skip('its tests did not run')

    expect(writes.filter(({ action, partition }) => !isAllowed(role, action, partition))).toEqual([])
  },
)

/** Written alone, never together with a record. */
const ALONE = failedImportsKey().PK

test.for(Object.entries(SENDERS))(
  'a transaction of all that %s wrote is one request',
  ([consumer, role], { skip }) => {
    const transacted = writesOf(consumer).filter(
      ({ action, partition }) => action !== 'BatchWriteItem' && partition !== ALONE,
    )
    const partitions = transacted.map(({ partition }) => partition)
    if (partitions.length === 0) return skip('its tests did not run')

    expect(isAllowed(role, 'PutItem', ...partitions)).toBe(true)
    expect(isAllowed(role, 'PutItem', ...partitions, settingsKey.PK)).toBe(false)
  },
)

type Patterns = Readonly<Record<'records', string[]>>

test('senders may write only partitions that a record needs', ({ skip }) => {
  const partitions = Object.keys(SENDERS).flatMap((consumer) =>
    writesOf(consumer).map(({ partition }) => partition),
  )
  if (partitions.length === 0) return skip('their tests did not run')
  const { records } = parse(readFileSync(`${root}infra/partitions.yml`, 'utf8')) as Patterns
  const begins = (pattern: string) => partitions.some((one) => one.startsWith(pattern.replace('*', '')))

  expect(records.filter((pattern) => !begins(pattern))).toEqual([])
})

const FOREIGN: Readonly<Record<string, Key | string>> = {
  'the settings': settingsKey,
  'the settings log': auditLogKey('2026-03-10T12:00:00.000Z', 'x'),
  'a login': callerKey('ada'),
  'a login that is named like a record': callerKey('CALL#'),
  'an account': accountKey(0),
  'the accounts of an owner': 'OWNER#0',
  'failed logins of a name': loginFailureKeys.ofPair('ada', '203.0.113.7'),
  'failed logins of an address': loginFailureKeys.ofAddress('203.0.113.7'),
  'who may bring records over HTTP': intakeKeys.item('fs1'),
  'a device': deviceKey(1),
  'a tariff': tariffKey(1),
  'documents of an account': accountKey(10).PK,
  'an id counter': idCounterKey('device'),
  "an operator's dataset": datasetKey('demo'),
}

test.for(
  Object.values(SENDERS).flatMap((role) =>
    Object.entries(FOREIGN).map(([what, key]) => [role, what, key] as const),
  ),
)('%s cannot write %s', ([role, , key]) => {
  const partition = typeof key === 'string' ? key : key.PK

  expect(WRITES.filter((action) => isAllowed(role, action, partition))).toEqual([])
  expect(isAllowed(role, 'PutItem', 'CALL#1', partition)).toBe(false)
})

test('the intake only reads intakes, counts wrong secrets and suspends CDRs', ({ skip }) => {
  const writes = writesOf('intake')
  if (writes.length === 0) return skip('its tests did not run')
  const [intake, failures] = [intakeKeys.item('fs1').PK, intakeKeys.failures('192.0.2.1', 1).PK]
  const foreign = Object.values(FOREIGN)
    .map((key) => (typeof key === 'string' ? key : key.PK))
    .filter((key) => key !== intake)
  const mayRead = (...keys: string[]) => isAllowed('IntakeRole', 'BatchGetItem', ...keys)

  expect(writes.filter(({ action, partition }) => !isAllowed('IntakeRole', action, partition))).toEqual([])
  expect(mayRead(intake)).toBe(true)
  expect([...foreign, failures, 'CALL#1'].filter((key) => mayRead(key) || mayRead(intake, key))).toEqual([])
  expect(WRITES.filter((action) => isAllowed('IntakeRole', action, intake))).toEqual([])
})

test.for(['authorize_call', 'release_call'])(
  '%s writes nothing but holds and the counters of wrong secrets',
  (name, { skip }) => {
    const writes = writesOf(name)
    if (writes.length === 0) return skip('its tests did not run')
    const foreign = Object.values(FOREIGN).map((key) => (typeof key === 'string' ? key : key.PK))

    expect(
      writes.filter(({ action, partition }) => !isAllowed('CallControlRole', action, partition)),
    ).toEqual([])
    expect(
      [...foreign, 'CALL#1', 'BALANCE#10#0'].filter((key) => isAllowed('CallControlRole', 'UpdateItem', key)),
    ).toEqual([])
  },
)

test('Stripe books payments, and writes no logins, intakes, calls and prices', ({ skip }) => {
  const writes = writesOf('stripe')
  if (writes.length === 0) return skip('its tests did not run')
  const mayWrite = (action: string, ...leadingKeys: string[]) =>
    mayDo(open, 'StripeRole', { action, leadingKeys })

  expect(writes.filter(({ action, partition }) => !mayWrite(action, partition))).toEqual([])
  expect(mayWrite('PutItem', ...writes.map(({ partition }) => partition))).toBe(true)
  const foreign = [callerKey('ada').PK, intakeKeys.item('fs1').PK, 'CALL#1', tariffKey(1).PK]
  expect(foreign.filter((key) => WRITES.some((action) => mayWrite(action, key)))).toEqual([])
})

test.each(Object.values(SENDERS))('%s may write many at once only of what waits aside', (role) => {
  const pending = dialogEventKey.partition(0)
  const mayBatch = (...keys: string[]) => isAllowed(role, 'BatchWriteItem', ...keys)

  expect(mayBatch(pending, suspenseKeys.item('1').PK)).toBe(true)
  expect([mayBatch(pending, 'CALL#1'), mayBatch()]).toEqual([false, false])
})

test.each(Object.values(SENDERS))(
  '%s cannot write what names no key, nor without a transaction many',
  (role) => {
    expect(WRITES.filter((action) => isAllowed(role, action))).toEqual([])
    expect(isAllowed(role, 'BatchWriteItem', 'CALL#1')).toBe(false)
  },
)

test('files of operators change settings and logins only if the stage allows it', () => {
  const [role, access] = ['IngestFilesRole', [settingsKey.PK, callerKey('ada').PK]] as const
  const mayWrite = (where: typeof template) =>
    access.map((key) => mayDo(where, role, { action: 'PutItem', leadingKeys: [key] }))

  expect(mayWrite(template)).toEqual([false, false])
  expect(mayWrite(open)).toEqual([true, true])
  expect(isAllowed(role, 'PutItem', deviceKey(1).PK, callerKey('ada').PK)).toBe(false)
})

test.for([
  ['ingest_files', open],
  ['ingest_files without access', template],
] as const)('all that %s wrote in its tests is allowed', ([consumer, where], { skip }) => {
  const writes = writesOf(consumer)
  if (writes.length === 0) return skip('its tests did not run')
  const isAllowedThere = (action: string, partition: string) =>
    mayDo(where, 'IngestFilesRole', { action, leadingKeys: [partition] })

  expect(writes.filter(({ action, partition }) => !isAllowedThere(action, partition))).toEqual([])
})
