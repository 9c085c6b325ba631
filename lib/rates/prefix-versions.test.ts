import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { rowsOfPages } from '#test/dump.ts'
import { faultyEndpoint } from '#test/faults/faulty-endpoint.ts'
import { createTable } from '#tools/server/engine.ts'
import { activeVersion, pagesOf, readVersions } from './prefix-versions.ts'
import { versionActivated } from './version-history.ts'
import { replaceLines } from './version-replacement.ts'

const list = { header: { PK: 'LIST', SK: 'LIST' }, pages: (version: number) => `PAGES#${version}` }

const replace = (store: Store, ...lines: readonly string[]) =>
  replaceLines(store, list, { lines, at: new Date(), who: 'ada' })

async function linesOf(store: Store): Promise<readonly string[]> {
  const header = readVersions(await store.get(list.header))
  return rowsOfPages(pagesOf(store, list, activeVersion(header)))
}

/** A store that loses the answers of the transactions with these numbers, and a store that loses none. */
async function aList(isLost: (transaction: number) => boolean) {
  const tableName = `list-${randomUUID()}`
  const direct = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(direct, tableName)
  let transactions = 0
  const { origin } = await faultyEndpoint(({ operation }) =>
    operation === 'TransactWriteItems' && isLost(++transactions) ? 'answer lost' : undefined,
  )
  const losing = createClient({ tableName, endpoint: origin })
  const storeOver = (client: typeof direct) => createStore({ client, tableName, meter: createMeter() })
  return { store: storeOver(losing), reading: storeOver(direct) }
}

test('a list is replaced even if the answer to each change is lost once', async () => {
  const { store, reading } = await aList((transaction) => transaction % 2 === 1)

  expect(await replace(store, '1\ta', '2\tb')).toBe('written')
  expect(await replace(store, '1\tc')).toBe('written')
  expect(await linesOf(reading)).toEqual(['1\tc'])
})

test('a rollback whose answer is lost happens once', async () => {
  const { store, reading } = await aList((transaction) => transaction === 5)
  await replace(store, '1\ta')
  await replace(store, '1\tb')

  const { to, changes = [] } = (await versionActivated(store, list, { at: new Date(), who: 'ada' })) ?? {}
  await store.transact(changes)
  expect(to).toMatchObject({ version: 1 })
  expect(await linesOf(reading)).toEqual(['1\ta'])
})

test('a switch whose answer never comes leaves a complete list', async () => {
  const { store, reading } = await aList((transaction) => transaction > 3)
  await replace(store, '1\ta')

  await expect(replace(store, '1\tb')).rejects.toMatchObject({ code: 'ECONNRESET' })

  expect(await linesOf(reading)).toEqual(['1\tb'])
  expect(await replace(reading, '1\tb')).toBe('unchanged')
})
