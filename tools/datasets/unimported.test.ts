import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { services } from '#lib/billing/service.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { aFolder } from '#test/datasets/exported.ts'
import { type DatasetRows, filesOf } from '#test/datasets/import-rows.ts'
import { everything } from '#test/examples/everything.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '../command-line/act-commands.ts'
import { everyItem } from '../command-line/open-table.ts'
import { findUnimported, removeUnimported, reportUnimported, type UnimportedOptions } from './unimported.ts'

const ids = everything.services.map(({ id = '' }) => id)

/** A table whose services have no subscriptions but one, and an export with these services. */
async function aWorldAndExport(exported: readonly string[]) {
  const { subscriptions, ...others } = everything
  const world = await aWorld({
    ...others,
    subscriptions: subscriptions.filter(({ service_id }) => service_id === '1'),
  })
  const [folder, other] = [await aFolder(), await aFolder()]
  onTestFinished(async () => {
    for (const made of [folder, other]) await rm(made, { recursive: true })
  })
  await writeFile(join(folder, 'services.csv'), `id\n${exported.map((id) => `${id}\n`).join('')}`)
  const list = join(other, 'unimported.csv')
  const report = (options: Partial<UnimportedOptions> = {}) => {
    const pages = everyItem({ ...world.table, meter: world.meter })
    return reportUnimported(world.store, pages, folder, { list, ...options })
  }
  const stored = async () =>
    (await services.findMany(world.store, ids)).flatMap((service) => (service ? [String(service.id)] : []))
  return { report, stored, listed: () => readFile(list, 'utf8') }
}

test('without --remove the rows are only listed, with the reason why one stays', async () => {
  const { report, stored, listed } = await aWorldAndExport(['3'])

  expect(await report()).toBe(1)
  expect(await listed()).toBe(
    "file,id,name,stays\r\nservices,1,Flat rate,4 references to it\r\nservices,2,Rick's support,\r\n",
  )
  expect(await stored()).toEqual(ids)
})

test('without a terminal nothing is removed unless --yes agrees', async () => {
  const { report, stored } = await aWorldAndExport(['1', '2'])

  expect(await report({ remove: true })).toBe(1)
  expect(await stored()).toEqual(ids)
  expect(await report({ remove: true, yes: true })).toBe(0)
  expect(await stored()).toEqual(['1', '2'])
  expect(await report()).toBe(0)
})

test('nothing is removed while the table lacks export rows, unless the import refuses them', async () => {
  const { report, stored } = await aWorldAndExport(['1', '2', '77'])

  await expect(report({ remove: true, yes: true })).rejects.toThrow(
    'The table lacks 1 row of services: import the dataset first, or pass --accept-rejected if the import refuses them',
  )
  expect(await stored()).toEqual(ids)
  expect(await report({ remove: true, yes: true, acceptRejected: true })).toBe(0)
  expect(await stored()).toEqual(['1', '2'])
})

const { calls, active_calls, local_calls, queue_log, ...lasting } = everything
const dataset: DatasetRows = lasting

/** The rows that the table of a world has, and a dataset lacks. */
const unimportedIn = ({ table, meter }: World, rows: DatasetRows) =>
  findUnimported(filesOf(rows), everyItem({ ...table, meter }))

test('a table that was filled from a dataset has nothing more, and lacks nothing', async () => {
  const world = await aWorld(everything)
  const { rows, missing } = await unimportedIn(world, everything)

  expect(rows).toEqual([])
  expect([...missing.values()].filter((count) => count > 0)).toEqual([])
})

/** The dataset without the rows of all files but the users that are admins. */
const emptied = Object.fromEntries(
  Object.entries(dataset).map(([file, rows = []]) => [
    file,
    file === 'users' ? rows.filter(({ usertype }) => usertype === 'admin') : [],
  ]),
)

test('every kind of row is listed, and unnamed ones are removed with all that belongs to them', async () => {
  const world = await aWorld(dataset)
  const before = await unimportedIn(world, emptied)
  const staying = await removeUnimported(world.store, before.removable)
  const after = await unimportedIn(world, emptied)

  expect(new Set(before.rows.map(({ file }) => file))).toEqual(
    new Set([
      'currencies',
      'users',
      'tariffs',
      'providers',
      'devices',
      'device_rules',
      'dids',
      'lcrs',
      'location_groups',
      'locations',
      'location_rules',
      'services',
      'subscriptions',
      'payments',
      'adjustments',
      'charges',
      'invoices',
      'credit_notes',
    ]),
  )
  expect(staying.map(({ file, id, stays }) => `${file} ${id}: ${stays}`)).toEqual([])
  expect(
    after.rows.filter(({ file }) => file !== 'currencies').map(({ file, id }) => `${file} ${id}`),
  ).toEqual([])
  expect(await damageIn(world)).toEqual([])
})

test('calls stay, and so does what they and others name', async () => {
  const world = await aWorld(everything)
  const { rows, removable } = await unimportedIn(world, { ...emptied, calls: [] })
  await removeUnimported(world.store, removable)
  const stays = (file: FileName) => rows.filter((row) => row.file === file).map((row) => [row.id, row.stays])

  expect(stays('calls')).toHaveLength(calls.length)
  expect(new Set(stays('calls').map(([, reason]) => reason))).toEqual(new Set(['calls are never removed']))
  expect(stays('users')).toContainEqual(['10', expect.stringMatching(/^\d+ references to it$/)])
  expect(await damageIn(world)).toEqual([])
})

test('a file that the dataset does not have is not compared', async () => {
  const world = await aWorld(everything)
  const { rows, missing } = await unimportedIn(world, { services: [{ ...everything.services[0], id: '99' }] })

  expect(rows.map(({ file, id }) => `${file} ${id}`)).toEqual(
    everything.services.map(({ id }) => `services ${id}`),
  )
  expect(missing).toEqual(new Map([['services', 1]]))
})

test.each<[string, DatasetRows]>([
  ['is changed', { lcrs: [{ id: '77', name: 'renamed', owner_id: '0' }] }],
  ['gets a row that names it', { devices: [{ id: '78', user_id: '76', name: 'new-desk' }] }],
])('a row that %s after it was listed stays', async (_, meanwhile) => {
  const world = await aWorld(dataset)
  const user = { id: '76', username: 'gus', usertype: 'user', owner_id: '0', password_hash: '0'.repeat(40) }
  await world.given({ lcrs: [{ id: '77', name: 'cheap', owner_id: '0' }], users: [user] })
  const { lcrs, users } = dataset
  const { removable } = await unimportedIn(world, {
    ...(meanwhile.lcrs ? { lcrs: lcrs ?? [] } : { users: users ?? [] }),
  })
  await world.given(meanwhile)

  expect(removable).toHaveLength(1)
  expect(await removeUnimported(world.store, removable)).toMatchObject([
    { stays: 'it was changed meanwhile' },
  ])
  expect(await damageIn(world)).toEqual([])
})

test('an issued invoice stays, and so do its payment and its adjustment', async () => {
  const calls = [aCall(10, '2026-05-03 10:00:00', '9.999')]
  const world = await aBilledWorld({ users: [admin, person(10)], calls })
  await issue(world)
  const paid = { customer: 'u10', amount: '5', type: 'bank', invoice: 'A-2026-1' }
  await carryOutAs(world.store, recordPayment, { now: world.now, as: 'u0' }, paid)

  const { removable, rows } = await unimportedIn(world, { invoices: [], payments: [], adjustments: [] })
  expect(removable).toEqual([])
  expect(rows.map(({ file, stays }) => `${file}: ${stays}`)).toEqual([
    'payments: it pays an invoice',
    'adjustments: it belongs to an issued document',
    'invoices: it was issued here',
  ])
})
