import { expect, test } from 'vitest'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { TABLE_FORMAT } from '#lib/table/table-format.ts'
import { aWorld } from '#test/world.ts'
import { stampOfNewTable } from '../command-line/table-stamp.ts'
import { stampOf, tableOfStack } from '../commands/deploy/deploy.ts'

test('the table is that of the outputs which serverless prints', () => {
  const outputs =
    'service: tollgate\n\nStack Outputs:\n  ApiUrl: https://a.example/prod\n  TableName: tollgate-prod-Table-1\n'

  expect(tableOfStack(outputs)).toBe('tollgate-prod-Table-1')
  expect(tableOfStack('')).toBeUndefined()
})

test('a deployment stamps a new table, once', async () => {
  const { store } = await aWorld()
  await store.transact([{ remove: settingsKey }])

  expect(await stampOf(store)).toBeUndefined()
  await store.update(settingsKey, { set: { Allow_API: '1' } })
  expect(await stampOf(store)).toBeUndefined()

  expect(await store.get(settingsKey)).toEqual({ ...settingsKey, ...stampOfNewTable, Allow_API: '1' })
})

test('a deployment over a newer table is refused; over an earlier one it names the migration', async () => {
  const { store } = await aWorld()

  await store.update(settingsKey, { set: { table_format: TABLE_FORMAT + 1, table_release: '9.1.0' } })
  await expect(stampOf(store)).rejects.toThrow('use Tollgate 9.1.0 or a newer one')

  await store.update(settingsKey, { set: { table_format: 1 } })
  expect(await stampOf(store)).toMatch(/run npx tollgate migrate$/)
})
