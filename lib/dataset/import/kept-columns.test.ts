import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAccounts, findCallers } from '#lib/accounts/account.ts'
import { checkPassword } from '#lib/accounts/password.ts'
import { payments } from '#lib/billing/payment.ts'
import { findDevices } from '#lib/devices/device-stored.ts'
import { findIdsOfDids } from '#lib/devices/did.ts'
import { directoryList, findDirectory } from '#lib/rates/destination.ts'
import { pagesOf } from '#lib/rates/prefix-versions.ts'
import { findTariffs } from '#lib/rates/tariff.ts'
import { importOne } from '#test/datasets/import-rows.ts'
import { ratesOfTariff } from '#test/datasets/tariff-rates.ts'
import { rowsOfPages } from '#test/dump.ts'
import { exampleCurrencies, exampleDevices, people } from '#test/examples/examples.ts'
import { bobsTariff, exampleTariffs, rate, withTariff } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { importPath } from './folder.ts'

const aWorldWithAll = () =>
  aWorld({
    currencies: exampleCurrencies,
    tariffs: exampleTariffs,
    users: withTariff(people, { bob: bobsTariff }),
    devices: exampleDevices,
  })

test('a file with two columns of devices changes only these', async () => {
  const world = await aWorldWithAll()
  const [before] = await findDevices(world.store, [100])
  const report = await importOne(world, 'devices', [{ id: '100', callerid: '"Bobby" <37000009>' }])

  expect(report).toMatchObject({ written: 1, refused: new Map() })
  expect((await findDevices(world.store, [100]))[0]).toEqual({
    ...before,
    callerid: '"Bobby" <37000009>',
    digest: expect.anything(),
    version: expect.anything(),
  })
})

test('a blank cell clears its column, also a further column', async () => {
  const world = await aWorldWithAll()
  await importOne(world, 'devices', [{ id: '100', callerid: '', nat: '' }])

  expect((await findDevices(world.store, [100]))[0]).toMatchObject({
    callerid: '',
    name: 'bobs-phone',
    extra: [
      ['qualify', '1000'],
      ['nat', ''],
    ],
  })
})

test("a new row's missing columns get their defaults, and are required without one", async () => {
  const world = await aWorldWithAll()
  const report = await importOne(world, 'devices', [
    { id: '300', user_id: '10', name: 'new-phone' },
    { id: '301', name: 'nobodys-phone' },
  ])

  expect(report?.refused).toEqual(new Map([[2, 'user_id is missing: a new row needs it']]))
  expect((await findDevices(world.store, [300]))[0]).toMatchObject({ device_type: 'SIP', port: 5060 })
})

test('a file with two columns blocks an account, which keeps its password and its tariff', async () => {
  const world = await aWorldWithAll()
  await importOne(world, 'users', [{ id: '10', blocked: 'blocked' }])

  expect((await findAccounts(world.store, [10]))[0]).toMatchObject({
    blocked: true,
    username: 'bob',
    first_name: 'Bob',
    tariff_id: 1,
  })
  const [bob] = await findCallers(world.store, ['bob'])
  expect((await checkPassword('password of bob', bob?.password_hash ?? '')).matches).toBe(true)
})

test('a blank password keeps the stored one, and a new account needs one', async () => {
  const world = await aWorldWithAll()
  const bob = { id: '10', username: 'bob', usertype: 'user', owner_id: '0', password: '', password_hash: '' }
  const report = await importOne(world, 'users', [bob, { ...bob, id: '99', username: 'new' }])

  expect(report).toMatchObject({
    unchanged: 1,
    refused: new Map([[2, 'takes either a password or a password_hash']]),
  })
  const [caller] = await findCallers(world.store, ['bob'])
  expect((await checkPassword('password of bob', caller?.password_hash ?? '')).matches).toBe(true)
})

test('the same file with few columns again changes nothing', async () => {
  const world = await aWorldWithAll()
  const rows = [{ id: '10', first_name: 'Robert' }]
  await importOne(world, 'users', rows)
  const before = await world.dump()

  expect(await importOne(world, 'users', rows)).toMatchObject({ written: 0, unchanged: 1 })
  const named = (items: readonly { readonly PK?: unknown }[]) =>
    items.filter(({ PK }) => !String(PK).startsWith('DATASET'))
  expect(named(await world.dump())).toEqual(named(before))
})

test('documents and owned objects keep columns that a file lacks', async () => {
  const world = await aWorldWithAll()
  await world.given({
    currencies: exampleCurrencies,
    payments: [
      { id: '1', user_id: '10', date: '2026-01-01 00:00:00', amount: '5', currency: 'EUR', type: 'cash' },
    ],
  })
  await importOne(world, 'payments', [{ id: '1', completed: 'yes' }])
  await importOne(world, 'tariffs', [{ id: '1', name: 'Renamed' }], { rename: true })

  expect(await payments.find(world.store, 1)).toMatchObject({
    user_id: 10,
    amount: '5',
    currency: 'EUR',
    type: 'cash',
    completed: true,
  })
  expect((await findTariffs(world.store, [1]))[0]).toMatchObject({
    name: 'Renamed',
    currency: 'USD',
    owner_id: 0,
  })
})

test('a payment without some columns keeps them, whether or not its amount changes', async () => {
  const world = await aWorldWithAll()
  const columns = { id: '1', user_id: '10', date: '2026-01-01 00:00:00', amount: '5' }
  await world.given({ payments: [{ ...columns, currency: 'EUR', type: 'cash', completed: 'yes' }] })

  expect(await importOne(world, 'payments', [columns], { dryRun: true })).toMatchObject({
    counts: { unchanged: 1 },
  })
  expect(await importOne(world, 'payments', [columns])).toMatchObject({ written: 0, unchanged: 1 })
  expect(await importOne(world, 'payments', [{ ...columns, amount: '6' }])).toMatchObject({ written: 1 })
  expect(await payments.find(world.store, 1)).toMatchObject({
    amount: '6',
    currency: 'EUR',
    type: 'cash',
    completed: true,
  })
})

test.each([
  ['subscriptions', { id: '1', user_id: '10', service_id: '1', from: '2026-03-01' }, { till: '2026-03-31' }],
  [
    'invoices',
    { id: '1', user_id: '10', number: 'A-1', issue_date: '2026-03-01', price: '5' },
    { period_from: '2026-02-01', period_till: '2026-02-28' },
  ],
] as const)('%s are checked together with the columns that they keep', async (file, columns, kept) => {
  const world = await aWorldWithAll()
  await world.given({ services: [{ id: '1', name: 'Line', owner_id: '0', price: '1' }] })
  await world.given({ [file]: [{ ...columns, ...kept }] })
  const wrong = file === 'invoices' ? { period_from: '2026-03-01' } : { from: '2026-04-01' }

  expect((await importOne(world, file, [{ ...columns, ...wrong }]))?.refused.size).toBe(1)
})

test('rates keep columns that a file lacks', async () => {
  const world = await aWorldWithAll()
  await world.given({
    rates: [rate({ prefix: '33', con_fee: '0.5', increment: '60', destination: 'France' })],
  })
  await importOne(world, 'rates', [
    { tariff_id: '1', prefix: '33', tariff_rate: '2' },
    { tariff_id: '1', prefix: '34', tariff_rate: '3' },
  ])

  expect(await ratesOfTariff(world)).toMatchObject([
    { prefix: '33', tariff_rate: '2', con_fee: '0.5', increment: 60, destination: 'France' },
    { prefix: '34', tariff_rate: '3', con_fee: '0', increment: 1, destination: '' },
  ])
})

test('rates without a key column are not imported if stored rates differ in it', async () => {
  const world = await aWorldWithAll()
  await world.given({ rates: [rate({ prefix: '33', effective_from: '2026-01-01' })] })
  const report = await importOne(world, 'rates', [{ tariff_id: '1', prefix: '33', tariff_rate: '2' }])

  expect(report).toMatchObject({
    notReplaced: true,
    remarks: [
      'tariff 1 was not replaced: the file lacks the column effective_from, and stored rows differ in it: add it, as exported files have it',
    ],
  })
  expect(await ratesOfTariff(world)).toMatchObject([{ prefix: '33', tariff_rate: '1' }])
})

test('the directory keeps columns that a file lacks', async () => {
  const world = await aWorld({ destinations: [{ prefix: '44', direction: 'UK', destination: 'UK mobile' }] })
  await importOne(world, 'destinations', [{ prefix: '44', destination: 'United Kingdom' }, { prefix: '45' }])
  const lines = await rowsOfPages(pagesOf(world.store, directoryList, await findDirectory(world.store)))

  expect(lines).toEqual(['44\tUK\tUnited Kingdom', '45\t\t'])
})

test('a reference of 0 means none if nothing has the id 0', async () => {
  const world = await aWorldWithAll()
  await world.given({ tariffs: [{ id: '0', name: 'Zero', owner_id: '0' }] })
  await importOne(world, 'users', [{ id: '10', tariff_id: '0' }])
  await importOne(world, 'dids', [{ id: '1', did: '370', owner_id: '0', user_id: '0', device_id: '0' }])

  expect((await findAccounts(world.store, [10]))[0]?.tariff_id).toBe(0)
  const dids = (await world.dump()).filter(({ PK }) => PK === 'DID#1')
  expect(dids).toMatchObject([{ user_id: 0 }])
  expect(dids[0]).not.toHaveProperty('device_id')
})

test.each([
  ['tariff_rate', '1,234', undefined, '1,234 may be 1.234 or 1234: pass --decimal-comma or --decimal-point'],
  ['tariff_rate', '1,234', 'decimal', '1.234'],
  ['tariff_rate', '1,234', 'thousands', '1234'],
  ['tariff_rate', '0,125', undefined, '0.125'],
] as const)('the %s %s is read with %s comma', async (column, cell, comma, expected) => {
  const world = await aWorldWithAll()
  const report = await importOne(
    world,
    'rates',
    [rate({ prefix: '33', [column]: cell })],
    comma ? { comma } : {},
  )
  const [stored] = await ratesOfTariff(world)

  expect(report?.refused.get(1) ?? stored?.[column]).toBe(
    expected.startsWith('1,234') ? `${column} ${expected}` : expected,
  )
})

test('the cells that MySQL exports for no value are blank', async () => {
  const world = await aWorldWithAll()
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-kept-'))
  const header = 'id,user_id,transaction_id,date,confirm_date,type,amount,comments_for_user'
  const rows = [
    '1,10,\\N,2026-01-01 00:00:00,0000-00-00 00:00:00,NULL,5,\\N',
    '2,10,"NULL",2026-01-01 00:00:00,NULL,cash,5,"as said, NULL"',
  ]
  await writeFile(join(folder, 'payments.csv'), [header, ...rows].join('\n'))
  const services = { store: world.store, clock: () => world.now }

  expect(await importPath(services, join(folder, 'payments.csv'))).toMatchObject([{ written: 2 }])
  const stored = await payments.findMany(world.store, [1, 2])
  expect(stored).toMatchObject([
    { transaction_id: '', type: '', comments_for_user: '' },
    { transaction_id: 'NULL', type: 'cash', comments_for_user: 'as said, NULL' },
  ])
  expect(stored.map((payment) => payment?.confirm_date)).toEqual([undefined, undefined])
})

test('a file without a key column is refused as a whole', async () => {
  const world = await aWorldWithAll()
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-kept-'))
  await writeFile(join(folder, 'devices.csv'), 'extension,pin\n1,1\n')

  await expect(
    importPath({ store: world.store, clock: () => world.now }, join(folder, 'devices.csv')),
  ).rejects.toThrow('devices.csv: column id is missing')
})

test('the numbers of DIDs are read as dial codes are', async () => {
  const world = await aWorldWithAll()
  const numbers = ['442079460050.0', '00442079460051', '+44 20 7946 0052', '4.42079E+11']
  const report = await importOne(
    world,
    'dids',
    numbers.map((did, index) => ({ id: String(index + 1), did, owner_id: '0' })),
  )

  expect([...(report?.refused ?? [])]).toEqual([
    [4, 'did 4.42079E+11 is not a number: a spreadsheet shortened it, format the column as text'],
  ])
  expect(await findIdsOfDids(world.store, ['442079460050', '442079460051', '442079460052'])).toEqual([
    1, 2, 3,
  ])
})
