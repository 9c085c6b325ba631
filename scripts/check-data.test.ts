import { spawnSync } from 'node:child_process'
import { expect, inject, test } from 'vitest'
import { importRows } from '#lib/dataset/import/import.ts'
import { root } from '#lib/local/root.ts'
import { createTable } from '#lib/local/server/engine.ts'
import { deviceKeys } from '#lib/store/keys.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { everything } from '#lib/testing/everything.ts'

async function aTable() {
  const location = { tableName: 'table-to-check', endpoint: inject('endpoint') }
  const client = createClient(location)
  await createTable(client, location.tableName)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  await importRows({ store, clock: () => new Date('2026-03-10T12:00:00Z') }, everything)
  const words = ['scripts/check-data.ts', '--endpoint', location.endpoint, '--table', location.tableName]
  const check = () => {
    const command = ['--import', 'tsx', ...words]
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' })
    return { status, said: stdout.trim().split('\n'), stderr }
  }
  return { store, check }
}

test('a sound table is well; a device that is gone is missed, and the command fails', async () => {
  const { store, check } = await aTable()

  expect(check()).toEqual({
    status: 0,
    said: [expect.stringMatching(/^\d{3} items: all is well$/)],
    stderr: '',
  })

  await store.transact([{ remove: deviceKeys.item(100) }])
  const { status, said } = check()
  expect(status).toBe(1)
  expect(said).toContain('The list of account 10 has device 100, which is not its own.')
  expect(said.at(-1)).toMatch(/^\d{3} items: \d+ things are wrong$/)
})
