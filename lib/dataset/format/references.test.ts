import { beforeAll, expect, test } from 'vitest'
import type { FileName } from '#lib/dataset/import/files.ts'
import { importDataset } from '#lib/dataset/import/import.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { filesOf, importRefusals } from '#test/datasets/import-rows.ts'
import { everything } from '#test/examples/everything.ts'
import { aWorld, type World } from '#test/world.ts'

const first = (file: keyof typeof everything): Cells => everything[file][0] as Cells

/** A refused row changes nothing, so that all refusals are of one table. */
let filled: World
beforeAll(async () => {
  filled = await aWorld(everything)
})

test.each<[FileName, Cells, string]>([
  ['users', { tariff_id: '77' }, 'tariff_id: there is no tariff 77'],
  ['users', { currency: 'XXX' }, 'currency: XXX has no exchange rate'],
  [
    'users',
    { usertype: 'reseller', id: '5', username: 'new', owner_id: '77' },
    'owner_id: there is no account 77',
  ],
  ['tariffs', { currency: 'XXX' }, 'currency: XXX has no exchange rate'],
  ['tariffs', { owner_id: '77' }, 'owner_id: there is no account 77'],
  ['rates', { tariff_id: '77' }, 'tariff_id: there is no tariff 77'],
  ['devices', { user_id: '77' }, 'user_id: there is no account 77'],
  ['device_rules', { device_id: '77' }, 'device_id: there is no device 77'],
  ['dids', { device_id: '77' }, 'device_id: there is no device 77'],
  ['location_rules', { lcr_id: '77' }, 'lcr_id: there is no LCR 77'],
  ['providers', { tariff_id: '77' }, 'tariff_id: there is no tariff 77'],
  ['calls', { user_id: '77' }, 'user_id: there is no account 77'],
  ['calls', { owner_id: '77' }, 'owner_id: there is no account 77'],
  ['active_calls', { user_id: '77' }, 'user_id: there is no account 77'],
  ['local_calls', { terminator_user_id: '77' }, 'terminator_user_id: there is no account 77'],
  ['services', { currency: 'XXX' }, 'currency: XXX has no exchange rate'],
  ['subscriptions', { service_id: '77' }, 'service_id: there is no service 77'],
  ['payments', { currency: 'XXX' }, 'currency: XXX has no exchange rate'],
  ['credit_notes', { currency: 'XXX' }, 'currency: XXX has no exchange rate'],
  ['invoices', { currency: 'XXX' }, 'currency: XXX has no exchange rate'],
  ['invoice_products', { invoice_id: '77' }, 'invoice 77: there is no such invoice'],
  ['invoice_products', { service_id: '77' }, 'service_id: there is no service 77'],
  ['settings', { name: 'Default_Currency', value: 'XXX' }, 'Default_Currency: there is no currency XXX'],
])('a row of %s with an unknown reference is refused: %o', async (file, cells, reason) => {
  const row = file === 'settings' ? cells : { ...first(file), ...cells }

  expect(await importRefusals(filled, { [file]: [row] })).toEqual([reason])
})

test('a row may refer to other rows of the dataset', async () => {
  const world = await aWorld()
  const person = {
    id: '0',
    username: 'admin',
    usertype: 'admin',
    owner_id: '0',
    password_hash: '0'.repeat(40),
  }

  expect(
    await importRefusals(world, {
      users: [{ ...person, tariff_id: '1', currency: 'EUR' }],
      currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
      tariffs: [{ id: '1', name: 'Retail', currency: 'EUR', owner_id: '0' }],
      providers: [{ id: '1', name: 'Thames', tariff_id: '1' }],
      calls: [
        { uniqueid: 'a', calldate: '2026-03-10 09:00:00', user_id: '0', provider_id: '1', user_price: '1' },
      ],
    }),
  ).toEqual([])
})

test('without any tariff, accounts may name tariffs, with a warning, but no unknown currency', async () => {
  const world = await aWorld()
  const person = (columns: object) => ({ ...first('users'), ...columns })
  const services = { store: world.store, clock: () => world.now }
  const rows = [
    person({ tariff_id: '77' }),
    person({ id: '9', username: 'nora', owner_id: '0', currency: 'XXX' }),
  ]

  expect(await importDataset(services, 'first', filesOf({ users: rows }))).toMatchObject([
    {
      refused: new Map([[2, 'currency: XXX has no exchange rate']]),
      remarks: ['warning: 1 accounts name tariffs, but no tariff exists yet: import the tariffs next'],
    },
  ])
})
