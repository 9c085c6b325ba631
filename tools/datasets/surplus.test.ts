import { expect, test } from 'vitest'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { type DatasetRows, filesOf } from '#test/datasets/import-rows.ts'
import { everything } from '#test/examples/everything.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '../command-line/act-commands.ts'
import { everyItem } from '../command-line/open-table.ts'
import { findSurplus } from './surplus.ts'
import { removeSurplus } from './surplus-report.ts'

const { calls, active_calls, local_calls, queue_log, ...lasting } = everything
const dataset: DatasetRows = lasting

/** What the table of a world has more than a dataset. */
const surplusOf = ({ table, meter }: World, rows: DatasetRows) =>
  findSurplus(filesOf(rows), everyItem({ ...table, meter }))

test('a table that was filled from a dataset has nothing more, and lacks nothing', async () => {
  const world = await aWorld(everything)
  const { rows, missing } = await surplusOf(world, everything)

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
  const before = await surplusOf(world, emptied)
  const staying = await removeSurplus(world.store, before.removable)
  const after = await surplusOf(world, emptied)

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
  const { rows, removable } = await surplusOf(world, { ...emptied, calls: [] })
  await removeSurplus(world.store, removable)
  const stays = (file: FileName) => rows.filter((row) => row.file === file).map((row) => [row.id, row.stays])

  expect(stays('calls')).toHaveLength(calls.length)
  expect(new Set(stays('calls').map(([, reason]) => reason))).toEqual(new Set(['calls are never removed']))
  expect(stays('users')).toContainEqual(['10', expect.stringMatching(/^\d+ references to it$/)])
  expect(await damageIn(world)).toEqual([])
})

test('a file that the dataset does not have is not compared', async () => {
  const world = await aWorld(everything)
  const { rows, missing } = await surplusOf(world, { services: [{ ...everything.services[0], id: '99' }] })

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
  const { removable } = await surplusOf(world, {
    ...(meanwhile.lcrs ? { lcrs: lcrs ?? [] } : { users: users ?? [] }),
  })
  await world.given(meanwhile)

  expect(removable).toHaveLength(1)
  expect(await removeSurplus(world.store, removable)).toMatchObject([{ stays: 'it was changed meanwhile' }])
  expect(await damageIn(world)).toEqual([])
})

test('an issued invoice stays, and so do its payment and its adjustment', async () => {
  const calls = [aCall(10, '2026-05-03 10:00:00', '9.999')]
  const world = await aBilledWorld({ users: [admin, person(10)], calls })
  await issue(world)
  const paid = { customer: 'u10', amount: '5', type: 'bank', invoice: 'A-2026-1' }
  await carryOutAs(world.store, recordPayment, { now: world.now, as: 'u0' }, paid)

  const { removable, rows } = await surplusOf(world, { invoices: [], payments: [], adjustments: [] })
  expect(removable).toEqual([])
  expect(rows.map(({ file, stays }) => `${file}: ${stays}`)).toEqual([
    'payments: it pays an invoice',
    'adjustments: it belongs to an issued document',
    'invoices: it was issued here',
  ])
})
