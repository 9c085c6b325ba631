import { expect, test } from 'vitest'
import { findAccounts } from '#lib/accounts/account.ts'
import { wholeAccountColumns } from '#lib/accounts/whole-account.ts'
import { contextWith, onlyTable } from '#lib/dataset/format/import-context.ts'
import { filledRow } from '#lib/table/columns.ts'
import { importOne } from '#test/datasets/import-rows.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'
import { type UserRow, usersFile } from './users.ts'

const customer = (id: number) => ({
  ...{ id: String(id), username: `customer-${id}`, email: `${id}@example.net` },
  ...{ usertype: 'user', owner_id: '0', password_hash: '0'.repeat(40) },
})

const users = [{ ...customer(0), username: 'admin', usertype: 'admin' }, customer(7)]

test('new customers take a transaction for eight of them', async () => {
  const world = await aWorld({ users })
  const rows = Array.from({ length: 80 }, (_, index) => customer(100 + index))
  const before = world.store.meter.spent.requests

  expect(await importOne(world, 'users', rows)).toMatchObject({ written: 80, refused: new Map() })
  expect(world.store.meter.spent.requests - before).toBeLessThan(60)
  expect(await damageIn(world)).toEqual([])
})

test('a customer that cannot be created leaves those of its transaction to be written one by one', async () => {
  const world = await aWorld({ users })
  const entry = (id: number, username: string) => {
    const columns = filledRow(wholeAccountColumns, { id, username, usertype: 'user', owner_id: 0 })
    const row: UserRow = { ...columns, password: '', password_hash: '0'.repeat(40) }
    return { line: id, row, cells: {}, kept: [], digest: 'd' }
  }
  const entries = [entry(8, 'new-8'), entry(9, 'customer-7'), entry(10, 'new-10')]
  const outcomes = await usersFile.write(
    entries,
    contextWith(onlyTable(world.store), {}, () => world.now),
  )

  expect(entries.map((one) => typeof outcomes.get(one))).toEqual(['string', 'object', 'string'])
  const found = await findAccounts(world.store, [8, 9, 10])
  expect(found.map((account) => account?.username)).toEqual(['new-8', undefined, 'new-10'])
})
