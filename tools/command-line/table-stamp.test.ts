import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { accountKey } from '#lib/table/keys.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { RELEASE } from '#lib/table/table-format.ts'
import { currentBuild } from '../machine/build.ts'
import { createTable } from '../server/engine.ts'
import { noteBuild, requireReadable, stampIfEmpty, stampOfNewTable } from './table-stamp.ts'

/** A table as somebody else creates it: without a stamp. */
async function aTable() {
  const location = { tableName: `stamp-${randomUUID()}`, endpoint: inject('endpoint') }
  const client = createClient(location)
  await createTable(client, location.tableName)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  await store.transact([{ remove: settingsKey }])
  return { location, store }
}

test('a command that changes an empty table stamps it, and one that reads it does not', async () => {
  const { location, store } = await aTable()

  await expect(requireReadable(location)).rejects.toThrow(
    `The table ${location.tableName} is empty and has no stamp yet: import a dataset, which writes both`,
  )
  expect(await store.get(settingsKey)).toBeUndefined()

  await stampIfEmpty(location)
  await stampIfEmpty(location)

  const noted = { ...settingsKey, ...stampOfNewTable, table_build: currentBuild() }
  expect(await store.get(settingsKey)).toEqual(noted)
  await requireReadable(location)
})

test('the table notes the build that writes it: its version and its commit, once', async () => {
  const { location, store } = await aTable()
  await stampIfEmpty(location)
  await store.update(settingsKey, { set: { table_build: '1.0.0 12345678' } })

  await requireReadable(location)
  expect(await store.get(settingsKey)).toMatchObject({ table_build: '1.0.0 12345678' })
  await stampIfEmpty(location)

  expect(currentBuild()).toMatch(new RegExp(`^${RELEASE.replaceAll('.', '\\.')}( [0-9a-f]{8})?$`))
  expect(await store.get(settingsKey)).toMatchObject({ table_build: currentBuild() })
  const { spent } = store.meter
  const before = spent.write
  await noteBuild(store, await store.get(settingsKey))
  expect(spent.write).toBe(before)
})

test.each([
  ['has items but no stamp', [{ put: { ...accountKey(1), id: 1 } }], 'no stamp of its format'],
  ['has settings but no stamp', [{ put: { ...settingsKey, Allow_API: '1' } }], 'no stamp of its format'],
  [
    'has a newer format',
    [{ put: { ...settingsKey, table_format: 99, table_release: '9.1.0' } }],
    'use Tollgate 9.1.0 or a newer one',
  ],
])('every command refuses a table that %s', async (_what, items, sentence) => {
  const { location, store } = await aTable()
  await store.transact(items)

  await expect(requireReadable(location)).rejects.toThrow(sentence)
  await expect(stampIfEmpty(location)).rejects.toThrow(sentence)
})
