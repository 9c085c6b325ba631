import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { importDataset } from '#lib/dataset/import/import.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { generatedSource } from '#test/examples/generated-rates.ts'
import { aWorld, bodyOf, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { demoKey, exampleOf } from '#tools/contracts/generated-files.ts'
import { type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'

const NOW = new Date('2026-11-18T15:30:00Z')
const THIS_YEAR = String(Date.parse('2026-01-01T00:00:00Z') / 1000)
const LAST_YEAR = '2025-11-05 10:00:00'

/** One of each object that an installation has many of. The examples of the methods ask for none of them. */
const further = (id: string): DatasetRows => ({
  users: [
    {
      id,
      username: `filler-${id}`,
      password_hash: '0'.repeat(40),
      usertype: 'user',
      owner_id: '2',
      tariff_id: '3',
    },
  ],
  devices: [{ id, user_id: id, device_type: 'SIP', name: id, secret: `secret-${id}`, extension: id }],
  device_rules: [{ id, device_id: id, name: 'Abroad', cut: '00' }],
  dids: [{ id, did: `370${id}`, owner_id: '2', user_id: id, device_id: id }],
  locations: [{ id, name: `Filler ${id}`, owner_id: '2' }],
  location_rules: [{ id, location_id: id, name: `Rule ${id}`, cut: '00', lcr_id: '3' }],
  services: [{ id, owner_id: '0', name: `Filler ${id}`, price: '1' }],
  subscriptions: [{ id, user_id: '21', service_id: id, from: LAST_YEAR }],
  payments: [{ id, user_id: '21', date: LAST_YEAR, amount: '1', completed: '1' }],
  credit_notes: [{ id, user_id: '21', issue_date: '2025-11-05', price: '1' }],
  invoices: [{ id, user_id: '21', number: `F-${id}`, issue_date: '2025-11-05', price: '1' }],
  calls: [
    {
      uniqueid: `filler-${id}`,
      calldate: '2026-11-18 10:00:00',
      src: '37060012345',
      dst: '12025550199',
      duration: '70',
      billsec: '60',
      hangupcause: '16',
      user_id: '21',
      user_price: '0.1',
    },
  ],
  active_calls: [{ id, start_time: '2026-11-18 15:20:00', src: '1001', user_id: '21' }],
  local_calls: [{ uniqueid: `filler-${id}`, calldate: LAST_YEAR, originator_user_id: '20' }],
  queue_log: [{ id, time: LAST_YEAR, queue_name: 'reception', event: 'ENTERQUEUE' }],
})

/** Parameters that ask a list for a part that stays the same, in place of those of the examples. */
const SLICES: Readonly<Record<string, SentParameters>> = {
  users_get: { u: 'harbourline', p: 'demo-harbourline' },
  active_calls_get: { u: 'carol' },
  quickstats_get: { u: 'carol' },
  tariff_rates_get: { u: 'admin', tariff_id: '2' },
  queue_log_get: { u: 'admin', from: THIS_YEAR, queuename: 'reception' },
  invoices_get: { u: 'northwind', from: THIS_YEAR },
  financial_statements_get: { u: 'alice_accounting', date_from: THIS_YEAR },
}

const FIRST_ID = 7_000_000

/** The demo with more objects, and a hundred times as many rates in the tariff of rate_get. */
async function aWorldOf(size: number): Promise<World> {
  const world = await aWorld()
  world.now = NOW
  const importing = { store: world.store, clock: () => NOW }
  await importPath(importing, demoDataset)
  const rates = { file: 'rates', source: generatedSource(3, 100 * size) } as const
  await importDataset(importing, 'growth', [rates], { merge: true })
  const objects = Array.from({ length: size }, (_, index) => further(String(FIRST_ID + index)))
  const files = Object.keys(objects[0] ?? {}) as (keyof DatasetRows)[]
  await world.given(
    Object.fromEntries(files.map((file) => [file, objects.flatMap((rows) => rows[file] ?? [])])),
  )
  return world
}

/** The units and round trips of a call, as its line of log states them. */
async function costOf(world: World, method: Method): Promise<object> {
  const params = signedParameters(method, SLICES[method.name] ?? exampleOf(method.name), demoKey())
  const answer = await world.send(method, { body: new URLSearchParams(params).toString() })
  expect(bodyOf(answer)).not.toContain('<error>')
  const { read_units, write_units, round_trips } = world.log.at(-1) ?? {}
  return { method: method.name, read_units, write_units, round_trips }
}

async function costsIn(world: World, methods: readonly Method[]): Promise<object[]> {
  const costs: object[] = []
  for (const method of methods) costs.push(await costOf(world, method))
  return costs
}

test('a call of a method costs the same in an installation that is 25 times as large', async () => {
  const methods = (await loadFunctionFiles()).map(({ method }) => method)
  const [small, large] = [await aWorldOf(20), await aWorldOf(500)]

  expect(await costsIn(large, methods)).toEqual(await costsIn(small, methods))
})
