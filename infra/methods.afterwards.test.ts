import { expect, test } from 'vitest'
import { locationRulePointerKey } from '#lib/devices/location-rule-stored.ts'
import { ratePages } from '#lib/rates/tariff.ts'
import { intakeKeys } from '#lib/settings/intake.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { accountKey, callerKey, currencyKey, deviceKey, locationKey } from '#lib/table/keys.ts'
import { writesOf } from '#test/evidence/written-keys.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { mayDo } from '#test/template/iam.ts'
import { packagedTemplate } from '#test/template/template.ts'
import { loadResourceFiles, ROLES_OF_THE_CONSOLE } from '#tools/contracts/console-config.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { roleOf } from '#tools/contracts/functions-config.ts'

/** Runs after the tests of the methods, on the writes that they have recorded. */
const template = await packagedTemplate('prod', EVERYTHING)
const methods = (await loadFunctionFiles()).map(({ method }) => method)
const resources = (await loadResourceFiles()).map(({ resource }) => resource)
const writers = [
  ...methods.map((method) => [method.name, roleOf(method)] as const),
  ...resources.map(({ name, access }) => [`console_${name}`, ROLES_OF_THE_CONSOLE[access]] as const),
]
const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem']

test.for(writers)(
  'all that %s wrote in its tests is allowed to %s, also in one transaction',
  ([name, role], { skip }) => {
    const writes = writesOf(name).filter(({ action }) => WRITES.includes(action))
    if (writes.length === 0) return skip('it writes nothing, or its tests did not run')
    const actions = new Set(writes.map(({ action }) => action))
    const leadingKeys = [...new Set(writes.map(({ partition }) => partition))]

    expect([...actions].filter((action) => !mayDo(template, role, { action, leadingKeys }))).toEqual([])
  },
)

const FOREIGN = {
  ReaderRole: [
    settingsKey.PK,
    callerKey('ada').PK,
    accountKey(10).PK,
    deviceKey(1).PK,
    intakeKeys.item('fs1').PK,
    'CALL#1',
  ],
  WriterRole: [settingsKey.PK, callerKey('ada').PK, intakeKeys.item('fs1').PK, 'CALL#1', ratePages(1, 1)],
  PaymentWriterRole: [
    settingsKey.PK,
    callerKey('ada').PK,
    deviceKey(1).PK,
    intakeKeys.item('fs1').PK,
    'CALL#1',
  ],
  AccountWriterRole: [
    settingsKey.PK,
    intakeKeys.item('fs1').PK,
    'CALL#1',
    ratePages(1, 1),
    currencyKey('EUR').PK,
    locationKey(1).PK,
    locationRulePointerKey(1).PK,
  ],
  ConsoleWriterRole: [intakeKeys.item('fs1').PK, 'CALL#1', ratePages(1, 1), deviceKey(1).PK],
  RecordsRole: ['CALL#1', ratePages(1, 1)],
  SuspenseRole: [callerKey('ada').PK, intakeKeys.item('fs1').PK, ratePages(1, 1), deviceKey(1).PK],
  LoginRole: [settingsKey.PK, accountKey(10).PK, deviceKey(1).PK, intakeKeys.item('fs1').PK, 'CALL#1'],
}

test.each(Object.entries(FOREIGN))(
  '%s writes no settings, intakes, calls and rates of others',
  (role, partitions) => {
    const mayWrite = (...leadingKeys: string[]) =>
      WRITES.filter((action) => mayDo(template, role, { action, leadingKeys }))

    for (const partition of partitions) expect([partition, mayWrite(partition)]).toEqual([partition, []])
    expect(mayWrite()).toEqual([])
  },
)
