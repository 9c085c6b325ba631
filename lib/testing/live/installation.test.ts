import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createTable } from '#lib/local/server/engine.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { dumpTable } from '#lib/testing/dump.ts'
import { emptyTable, holdsOnlyTests, leaveTable } from './installation.ts'

async function aTable() {
  const tableName = `live-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  return { client, tableName }
}

const fill = (table: Awaited<ReturnType<typeof aTable>>) =>
  createStore({ ...table, meter: createMeter() }).putBatch(
    Array.from({ length: 25 }, (_, at) => ({ PK: `ITEM#${at}`, SK: 'ITEM' })),
  )

test('an empty table and one that a run has left may be used; one with other data may not', async () => {
  const table = await aTable()

  expect(await holdsOnlyTests(table)).toBe(true)
  await fill(table)
  expect(await holdsOnlyTests(table)).toBe(false)
  await emptyTable(table)
  await fill(table)
  expect(await holdsOnlyTests(table)).toBe(true)
})

test('nothing is left after the last test', async () => {
  const table = await aTable()
  await emptyTable(table)
  await fill(table)

  await leaveTable(table)

  expect(await dumpTable(table.client, table.tableName)).toEqual([])
})
