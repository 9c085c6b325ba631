import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { dumpTable } from '#test/dump.ts'
import { createTable } from '#tools/server/engine.ts'
import { emptyTable, leaveTable, refuseDataOfOthers } from './installation.ts'

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

const refusalOf = ({ tableName }: { tableName: string }, url = 'http://localhost:3000') =>
  refuseDataOfOthers({ url, tableName, endpoint: inject('endpoint') }).then(
    () => undefined,
    ({ message }: Error) => message,
  )

test('an empty table and one that a run has left may be used; one with other data may not', async () => {
  const table = await aTable()

  expect(await refusalOf(table)).toBeUndefined()
  await fill(table)
  expect(await refusalOf(table)).toMatch(/^The table live-\S+ holds data that the tests would delete: /)
  await emptyTable(table)
  await fill(table)
  expect(await refusalOf(table)).toBeUndefined()
})

test('a prod stage is refused by the name of its table, and by its URL', async () => {
  const stage = 'https://api.example.org/prod'

  expect(await refusalOf({ tableName: 'tollgate-prod-Table' })).toMatch(/^tollgate-prod-Table looks like /)
  expect(await refusalOf(await aTable(), stage)).toMatch(/^https:\S+\/prod looks like production: /)
})

test('nothing is left after the last test', async () => {
  const table = await aTable()
  await emptyTable(table)
  await fill(table)

  await leaveTable(table)

  expect(await dumpTable(table.client, table.tableName)).toEqual([])
})
