import { randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { sessionLoad } from '#lib/api/console/steps.ts'
import { directoryKey } from '#lib/rates/destination.ts'
import { REMEMBERED_MS } from '#lib/settings/recent-items.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { callerKey, tariffKey } from '#lib/table/keys.ts'
import { present } from '#lib/table/requests/changes.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { createTable } from '#tools/server/engine.ts'
import { openTable } from '../command-line/open-table.ts'
import { isRemembered } from './remembered-keys.ts'

test('every item that functions may remember counts as remembered', async () => {
  const methods = (await loadFunctionFiles()).map(({ method }) => method)
  const loads = [...methods.flatMap(({ loads: loaded }) => Object.values(loaded ?? {})), sessionLoad]
  const sent = new Proxy<Record<string, string>>({}, { get: () => '7' })
  const from = { address: '192.0.2.1', username: 'admin', token: 'token' }

  const remembered = loads.filter(({ mayBeRecent }) => mayBeRecent).map(({ key }) => key(sent, from))

  expect(remembered.length).toBeGreaterThan(10)
  for (const key of [...remembered, settingsKey, directoryKey, tariffKey(1), callerKey('admin')])
    expect(key && isRemembered(key)).toBe(true)
})

const plainKey = { PK: 'PLAIN', SK: 'PLAIN' }

test('a command that changes what functions remember lives until they have forgotten it', async () => {
  const location = { tableName: `open-${randomUUID()}`, endpoint: inject('endpoint') }
  await createTable(createClient(location), location.tableName)
  const store = openTable(location)
  const timer = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timer.mockRestore())
  const isKept = () => timer.mock.calls.some(([, delay]) => delay === REMEMBERED_MS)

  await store.update(plainKey, { set: { a: 1 } })
  await store.transact([
    { put: { ...plainKey, a: 2 } },
    { check: settingsKey, when: { table_format: present } },
  ])
  expect(isKept()).toBe(false)

  await store.update(settingsKey, { set: { Allow_API: '1' } })
  expect(isKept()).toBe(true)

  timer.mockClear()
  await store.transact([{ put: { ...callerKey('admin'), a: 2 } }])
  expect(isKept()).toBe(true)
})
