import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { Refusal } from '#lib/base/refusal.ts'
import { setSetting } from '#lib/calls/set-settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { type DatasetRows, importRows } from '#test/datasets/import-rows.ts'
import { linesOfList, rowsOfList } from '#test/listed.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { refusedCommand } from '../../command-line/remedies.ts'
import { createTable } from '../../server/engine.ts'
import { listSettings, listSettingsLogRows, showSetting } from './settings-tool.ts'

const now = new Date('2026-03-10T12:00:00Z')
const password = { password_hash: 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3' }

const people: DatasetRows = {
  users: [
    { id: '0', username: 'ada', usertype: 'admin', owner_id: '0', ...password },
    {
      id: '1',
      username: 'alice',
      usertype: 'accountant',
      owner_id: '0',
      permissions: 'see_all, api_settings',
      ...password,
    },
    { id: '2', username: 'bob', usertype: 'user', owner_id: '0', ...password },
    { id: '3', username: 'eve', usertype: 'admin', owner_id: '0', blocked: '1', ...password },
  ],
}

async function anInstallation(rows: DatasetRows): Promise<Store> {
  const tableName = `settings-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const store = createStore({ client, tableName, meter: createMeter() })
  await importRows({ store, clock: () => now }, rows)
  return store
}

const change = (store: Store, as: string | undefined, name = 'Allow_API', value = 'on') =>
  carryOutAs(store, setSetting, { as, now }, { name, value }).catch((error: unknown) => {
    throw error instanceof Refusal ? refusedCommand(error) : error
  })

test.each(['ada', 'alice'])('%s may change a setting', async (as) => {
  const store = await anInstallation(people)
  await change(store, as)

  expect(await showSetting(store, 'Allow_API')).toBe('on')
})

test.each([
  ['a command without --as', undefined, 'pass --as'],
  ['an unknown account', 'zoe', 'There is no account zoe'],
  ['a blocked admin', 'eve', 'The account eve is blocked'],
  ['a user without the permission', 'bob', 'an account with the permission api_settings'],
])('%s may not', async (_case, as, message) => {
  const store = await anInstallation(people)

  await expect(change(store, as)).rejects.toThrow(message)
  expect(await showSetting(store, 'Allow_API')).toBe('off')
})

test.each([
  ['API_Secret_Key', 'a-key-of-her-own-1234567'],
  ['API_Disable_hash_checking', 'on'],
  ['Allow_GET_API', 'on'],
  ['Trusted_Login_Addresses', '0.0.0.0/0'],
  ['Balances_Without_Signature', 'on'],
  ['Payments_Sign_All', 'off'],
  ['Webhooks_On_This_Machine', 'on'],
])('only an admin sets %s, which gives the installation away', async (name, value) => {
  const store = await anInstallation(people)

  await expect(change(store, 'alice', name, value)).rejects.toThrow(`${name} is set by admins only`)
  await change(store, 'ada', name, value)
})

test.each([
  [
    'Timezone',
    'Mars/X',
    'Timezone takes the IANA name of a time zone, such as Europe/Vilnius, and not "Mars/X"',
  ],
  ['API_Secret_Key', 'short', /^API_Secret_Key takes at least 6 characters$/],
])('the error of a value names it, but no secret: %s', async (name, value, message) => {
  const store = await anInstallation(people)

  await expect(change(store, 'ada', name, value)).rejects.toThrow(message)
})

test('without any account, the operator sets the key', async () => {
  const store = await anInstallation({})
  await change(store, undefined, 'API_Secret_Key', 'first-secret')

  expect(await rowsOfList(await listSettingsLogRows(store))).toEqual([
    {
      at: '2026-03-10T12:00:00.000Z',
      who: expect.stringMatching(/ at the terminal$/),
      changed: 'API_Secret_Key',
      before: '',
      after: '********',
    },
  ])
})

test('a change is logged with the account, the time, the old and the new value', async () => {
  const store = await anInstallation(people)
  await change(store, 'ada', 'Timezone', 'Europe/Vilnius')

  expect(await rowsOfList(await listSettingsLogRows(store))).toEqual([
    { at: now.toISOString(), who: 'ada', changed: 'Timezone', before: 'UTC', after: 'Europe/Vilnius' },
  ])
})

test('the key is never shown', async () => {
  const store = await anInstallation(people)
  await change(store, 'ada', 'API_Secret_Key', 'hush-hush-hush')
  await change(store, 'ada', 'API_Secret_Key', 'hush-hush-more')
  const refusal = await change(store, 'ada', 'API_Secret_Key', 'hush').catch(String)
  const said = [
    ...(await linesOfList(await listSettings(store))),
    ...(await linesOfList(await listSettingsLogRows(store))),
    refusal,
  ]

  expect(await showSetting(store, 'API_Secret_Key')).toBe('********')
  expect(said.join()).not.toContain('hush')
})

test.each([
  ['an unknown setting', 'Allow_All', 'on', 'There is no setting Allow_All'],
  ['an invalid value', 'Allow_API', 'perhaps', 'Allow_API takes 1 or 0'],
  ['a range that begins after its end', 'Device_Range_MIN', '10000', 'above Device_Range_MAX'],
  ['a range that ends before it begins', 'Device_Range_MAX', '1000', 'above Device_Range_MAX'],
  ['an unknown currency', 'Default_Currency', 'XYZ', 'There is no currency XYZ'],
  ['more decimals than answers have', 'Nice_Number_Digits', '16', 'takes 0 to 15'],
  ['a key that is too short', 'API_Secret_Key', '12345', 'at least 6 characters'],
  ['a name among the addresses', 'Trusted_Login_Addresses', 'portal', 'takes IP addresses'],
])('refuses %s', async (_case, name, value, message) => {
  const store = await anInstallation(people)

  await expect(change(store, 'ada', name, value)).rejects.toThrow(message)
  expect(await rowsOfList(await listSettingsLogRows(store))).toEqual([])
})

test('a known currency can be the default one', async () => {
  const store = await anInstallation({ ...people, currencies: [{ name: 'EUR', exchange_rate: '0.9' }] })
  await change(store, 'ada', 'Default_Currency', 'EUR')

  expect(await showSetting(store, 'Default_Currency')).toBe('EUR')
})

test('a key that can be guessed is accepted with a warning', async () => {
  const store = await anInstallation(people)

  const { remarks } = await change(store, 'ada', 'API_Secret_Key', 'x'.repeat(23))
  expect(remarks).toEqual([expect.stringContaining('fewer than 24 characters')])
  expect(await change(store, 'ada', 'API_Secret_Key', 'x'.repeat(24))).toMatchObject({ remarks: [] })
})

test('of two simultaneous changes that contradict each other, one is made', async () => {
  const store = await anInstallation(people)

  const outcomes = await Promise.allSettled([
    change(store, 'ada', 'Device_Range_MIN', '5000'),
    change(store, 'alice', 'Device_Range_MAX', '4000'),
  ])

  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('settings that already contradict each other do not block changes of other settings', async () => {
  const store = await anInstallation(people)
  await store.update(settingsKey, { set: { Device_Range_MIN: '9', Device_Range_MAX: '8' } })

  await change(store, 'ada')
  await change(store, 'ada', 'Device_Range_MAX', '10')

  expect(await showSetting(store, 'Device_Range_MAX')).toBe('10')
})
