import { spawnSync } from 'node:child_process'
import { expect, inject, test } from 'vitest'
import { arrivalOrder } from '#lib/cdrs/mediation.ts'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { deviceKey } from '#lib/table/keys.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { type DatasetRows, importRows } from '#test/datasets/import-rows.ts'
import { everything } from '#test/examples/everything.ts'
import { admin, person } from '#test/invoicing/a-month.ts'
import { program, root } from '../../machine/program.ts'
import { createTable } from '../../server/engine.ts'

const TWO_DAYS_MS = 48 * 3_600_000

const suspendedTwoDaysAgo = () => ({
  id: '0'.repeat(24),
  format: 'csv',
  source: 'gw',
  zone: 'UTC',
  text: 'a line',
  reason: 'unreadable',
  detail: 'it has 1 column, expected 16',
  order: arrivalOrder(new Date(Date.now() - TWO_DAYS_MS - 60_000)),
})

async function aTable(tableName = 'table-to-check', rows: DatasetRows = everything) {
  const location = { tableName, endpoint: inject('endpoint') }
  const client = createClient(location)
  await createTable(client, location.tableName)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  await importRows({ store, clock: () => new Date('2026-03-10T12:00:00Z') }, rows)
  const words = [program, 'check-data', '--endpoint', location.endpoint, '--table', location.tableName]
  const check = () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
    return { status, said: stdout.trim().split('\n'), stderr }
  }
  return { store, check }
}

test('a sound table has no problems, suspended CDRs are reported, a missing device fails', async () => {
  const { store, check } = await aTable()

  expect(check()).toEqual({
    status: 0,
    said: [expect.stringMatching(/^\d{3} items: no problems$/)],
    stderr: '',
  })

  await putSuspended(store, [suspendedTwoDaysAgo()])
  expect(check()).toMatchObject({
    status: 0,
    said: [
      '1 CDR suspended, the oldest for 48 hours: npx tollgate suspense list',
      expect.stringMatching(/no problems$/),
    ],
  })

  await store.transact([{ remove: deviceKey(100) }])
  const { status, said } = check()
  expect(status).toBe(1)
  expect(said).toContain(
    'USER#10 DEVICE#000000000000100 leads to DEVICE#100 DEVICE, which does not exist or does not have it.',
  )
  expect(said.at(-1)).toMatch(/^\d{3} items: \d+ problems$/)
})

test('accounts with a VAT percent are named while payments book it as credit, which is no problem', async () => {
  const settings = [{ name: 'Balance_From', value: '2026-03-01' }]
  const users = [admin, person(10), person(11, { vat_percent: '0' }), person(12)]
  const { store, check } = await aTable('table-with-vat', { settings, users })
  expect(check()).toEqual({
    status: 0,
    said: [
      'Payments_With_VAT is off: the VAT in what 3 accounts with a VAT percent pay becomes credit (u0, u10, u12)',
      expect.stringMatching(/no problems$/),
    ],
    stderr: '',
  })
  await store.update(settingsKey, { set: { Payments_With_VAT: 'on' } })
  expect(check().said).toEqual([expect.stringMatching(/no problems$/)])
})
