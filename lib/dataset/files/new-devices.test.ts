import { expect, test } from 'vitest'
import { findAccount } from '#lib/accounts/account.ts'
import { contextWith, onlyTable } from '#lib/dataset/format/import-context.ts'
import { type DeviceRow, deviceColumns, findDevices, newDevice } from '#lib/devices/device-stored.ts'
import { filledRow } from '#lib/table/columns.ts'
import { importOne } from '#test/datasets/import-rows.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'
import { createNewDevices } from './new-devices.ts'

const users = [
  { id: '0', username: 'admin', password_hash: '0'.repeat(40), usertype: 'admin', owner_id: '0' },
  ...[4, 5, 8].map((id) => ({
    id: String(id),
    username: `user-${id}`,
    password_hash: '0'.repeat(40),
    usertype: 'user',
    owner_id: '0',
  })),
]

const cellsOf = (id: number, user: number) => ({
  id: String(id),
  user_id: String(user),
  name: `desk-${id}`,
  extension: String(7000 + id),
})

test("new devices take few transactions, and each customer's first one is primary", async () => {
  const world = await aWorld({ users })
  const before = { ...world.store.meter.spent }
  const rows = Array.from({ length: 60 }, (_, index) => cellsOf(100 + index, [4, 5, 8][index % 3] ?? 4))
  const report = await importOne(world, 'devices', rows)

  expect(report).toMatchObject({ written: 60, refused: new Map() })
  const { requests, write } = world.store.meter.spent
  expect(requests - before.requests).toBeLessThan(60)
  // The four items of a device take two units each; what it shares with others, a third of one.
  expect((write - before.write) / 60).toBeLessThan(8.4)
  const found = await findDevices(
    world.store,
    rows.map(({ id }) => Number(id)),
  )
  expect(found.flatMap((device) => (device?.primary_device === 'yes' ? [device.id] : []))).toEqual([
    100, 101, 102,
  ])
  expect(found.map((device) => device?.user_id)).toEqual(rows.map(({ user_id }) => Number(user_id)))
  expect(await findAccount(world.store, 4)).toMatchObject({ device_count: 20 })
  expect(await damageIn(world)).toEqual([])
})

test('a device with a taken name leaves those of its transaction to be written one by one', async () => {
  const world = await aWorld({ users, devices: [cellsOf(1, 5)] })
  const entry = (id: number, user_id: number, name: string) => {
    const row: DeviceRow = filledRow(deviceColumns, { id, user_id, name, primary_device: 'no' })
    return { line: id, row, cells: {}, kept: [], digest: 'd' }
  }
  const entries = [
    entry(2, 5, 'free-2'),
    entry(3, 4, 'desk-1'),
    entry(4, 8, 'free-4'),
    entry(5, 77, 'free-5'),
  ]
  const created = await createNewDevices(
    entries,
    contextWith(onlyTable(world.store), {}, () => world.now),
    ({ row }, { owner_id }) => newDevice({ ...row, owner_id }),
  )

  expect([...created].map(({ line }) => line)).toEqual([2])
  expect((await findDevices(world.store, [2, 3, 4, 5])).map((device) => device?.name)).toEqual([
    'free-2',
    undefined,
    undefined,
    undefined,
  ])
})
