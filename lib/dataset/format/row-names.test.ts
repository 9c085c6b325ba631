import { expect, test } from 'vitest'
import { findAccount, findCallers } from '#lib/accounts/account.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { aTable, operator, password } from '#test/datasets/import-table.ts'

const lena = { username: 'lena', usertype: 'user', owner_id: '0', ...password }

test.each<[string, DatasetRows, string]>([
  [
    'an account',
    { users: [{ ...lena, id: '5' }] },
    'id 5 belongs to the account bob: leave the id blank for a new one, or pass --rename',
  ],
  [
    'a device',
    { devices: [{ id: '10', user_id: '2', name: 'desk', secret: 'new-secret' }] },
    'id 10 belongs to the device bob-desk: leave the id blank for a new one, or pass --rename',
  ],
  [
    'a DID',
    { dids: [{ id: '3', did: '15550199', owner_id: '0' }] },
    'id 3 belongs to the DID 15550100: choose another id for a new one, or pass --rename',
  ],
])(
  'a row with the id of %s of another name is refused, and renames it with --rename',
  async (_case, rows, reason) => {
    const table = await aTable()
    await table.run(operator)
    const before = await table.dump()

    expect((await table.run(rows))[0]?.refused).toEqual(new Map([[1, reason]]))
    expect(await table.dump()).toEqual(before)
    expect((await table.run(rows, { rename: true }))[0]).toMatchObject({ written: 1, refused: new Map() })
  },
)

test('nothing of the dataset goes to the account whose id users.csv has for another one', async () => {
  const table = await aTable()
  await table.run(operator)
  const [users, devices, payments] = await table.run({
    users: [{ ...lena, id: '5' }],
    devices: [{ id: '90', user_id: '5', name: 'lena-desk', secret: 'new-secret' }],
    payments: [{ id: '1', user_id: '5', date: '2026-03-10 09:00:00', amount: '1' }],
  })

  expect(users?.refused.size).toBe(1)
  for (const report of [devices, payments])
    expect([...(report?.refused.values() ?? [])]).toEqual(['user_id: the row of account 5 is refused'])
})

test('a file without names changes rows by id, and a name in another form is the same', async () => {
  const table = await aTable()
  await table.run(operator)
  const [users, dids] = await table.run({
    users: [{ id: '5', first_name: 'Bob' }],
    dids: [{ id: '3', did: '+1 555 0100', owner_id: '0' }],
  })

  expect(users).toMatchObject({ written: 1, refused: new Map() })
  expect(dids).toMatchObject({ written: 1, refused: new Map() })
})

test('a blank id makes a new account above all others, once', async () => {
  const table = await aTable()
  const rows = {
    users: [...(operator.users ?? []), { ...lena, id: '' }, { ...lena, id: '40', username: 'max' }],
  }
  const [, first] = await table.run({ ...operator, ...rows })
  const [lenaStored] = await findCallers(table.store, ['lena'])
  const before = await table.dump()
  const [again] = await table.run({ users: rows.users })

  expect(first?.counts).toMatchObject({ new: 5 })
  expect(lenaStored?.id).toBe(41)
  expect(await findAccount(table.store, 41)).toMatchObject({ username: 'lena' })
  expect(first?.numbered).toEqual(['the id of lena is 41'])
  expect(again?.counts).toMatchObject({ unchanged: 5 })
  expect(await table.dump()).toEqual(before)
})

test('a new id is above all stored ones, also where the counter is not', async () => {
  const table = await aTable()
  await table.run(operator)
  await table.store.transact([{ remove: idCounterKey('account') }])
  await table.run({ users: [lena] })

  expect((await findCallers(table.store, ['lena']))[0]?.id).toBe(6)
  expect(await findAccount(table.store, 2)).toMatchObject({ username: 'rita' })
})

test('a row without an id column is the row of its name, or a new one', async () => {
  const table = await aTable()
  await table.run(operator)
  const [users, devices] = await table.run({
    users: [{ username: 'bob', first_name: 'Bob' }, lena],
    devices: [
      { id: ' ', name: 'bob-desk', comment: 'x' },
      { user_id: '5', name: 'attic', secret: 'new-secret' },
    ],
  })

  expect([users?.counts, devices?.counts]).toEqual([
    expect.objectContaining({ new: 1, changed: 1 }),
    expect.objectContaining({ new: 1, changed: 1 }),
  ])
  expect(await findAccount(table.store, 5)).toMatchObject({ username: 'bob', first_name: 'Bob' })
})

test('a dry run foresees new rows without ids, and gives out none', async () => {
  const table = await aTable()
  await table.run(operator)
  const before = await table.dump()
  const [report] = await table.run({ users: [lena, { ...lena, username: 'max' }] }, { dryRun: true })

  expect(report).toMatchObject({ counts: { new: 2 }, refused: new Map() })
  expect(await table.dump()).toEqual(before)
})

test('two rows of one name are refused, also without ids', async () => {
  const table = await aTable()
  await table.run(operator)
  const [report] = await table.run({ users: [lena, { ...lena, first_name: 'Another' }] })

  expect(report?.refused).toEqual(new Map([[2, 'username lena is in line 1 already']]))
})

test.each([
  ['payments', { user_id: '5', date: '2026-03-10 09:00:00', amount: '1' }],
  ['device_rules', { device_id: '10', name: 'x', cut: '1' }],
  ['tariffs', { name: 'Retail', owner_id: '0' }],
])('a row of %s needs its id', async (file, row) => {
  const table = await aTable()
  await table.run(operator)
  const [report] = await table.run({ [file]: [{ ...row, id: '' }] })

  expect(report?.refused).toEqual(new Map([[1, 'id must not be blank']]))
})
