import { expect, test } from 'vitest'
import { findAccount, findCallers } from '#lib/accounts/account.ts'
import {
  deleteDeviceRule,
  deviceRuleReplaced,
  deviceRules,
  listDeviceRules,
} from '#lib/devices/device-rule-stored.ts'
import { findDevice, findDevices, listDevicesOf } from '#lib/devices/device-stored.ts'
import { deviceReplaced } from '#lib/devices/device-writing.ts'
import { findHolders } from '#lib/devices/dialled.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import { aTable, operator } from '#test/datasets/import-table.ts'

test('a changed row replaces its item and keeps derived columns', async () => {
  const table = await aTable()
  await table.run(operator)
  const [desk, soft] = operator.devices ?? []
  const rows = { devices: [{ ...desk, name: 'bob-new', comment: 'moved' }, { ...soft }] }
  const [report] = await table.run(rows, { rename: true })

  expect(report).toMatchObject({ written: 1, unchanged: 1, refused: new Map() })
  expect(await findDevice(table.store, 10)).toMatchObject({
    name: 'bob-new',
    comment: 'moved',
    primary_device: 'yes',
    rule_count: 1,
    did_count: 1,
  })
  expect(await findHolders(table.store, ['bob-desk', '1001'])).toMatchObject([undefined, { id: 10 }])
})

test('changes by the API are kept when the same row is imported again', async () => {
  const table = await aTable()
  await table.run(operator)
  const device = await findDevice(table.store, 11)
  if (device) await table.store.transact(deviceReplaced(device, { ...device, comment: 'by the API' }))
  await table.run(operator)

  expect((await findDevice(table.store, 11))?.comment).toBe('by the API')
})

test('a device that moves to another account is listed and counted there', async () => {
  const table = await aTable()
  await table.run(operator)
  const [desk] = operator.devices ?? []
  await table.run({ devices: [{ ...desk, user_id: '2' }] })

  expect((await listDevicesOf(table.store, 5)).map(({ id }) => id)).toEqual([11])
  expect((await listDevicesOf(table.store, 2)).map(({ id }) => id)).toEqual([10])
  expect((await findAccount(table.store, 5))?.device_count).toBe(1)
  expect((await findAccount(table.store, 2))?.device_count).toBe(1)
  expect((await findDevice(table.store, 10))?.owner_id).toBe(0)
})

test('an account that moves to another owner takes its devices along', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob] = operator.users ?? []
  await table.run({ users: [{ ...bob, owner_id: '0' }] })

  expect((await findDevices(table.store, [10, 11])).map((device) => device?.owner_id)).toEqual([0, 0])
  expect((await findAccount(table.store, 5))?.device_count).toBe(2)
})

test('a refused account leaves its devices with their owner', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob, admin] = operator.users ?? []
  /** The accounts swap their names, which fails as long as the other one has the name. */
  const swapped = [
    { ...bob, username: 'admin', owner_id: '0' },
    { ...admin, username: 'bob' },
  ]
  const reports = await table.run({ users: swapped })

  expect(reports.flatMap(({ refused }) => [...refused.keys()])).toHaveLength(2)
  expect((await findAccount(table.store, 5))?.owner_id).toBe(2)
  expect((await findDevices(table.store, [10, 11])).map((device) => device?.owner_id)).toEqual([2, 2])
})

test('replacing a rule that was deleted after it was read fails and changes no count', async () => {
  const table = await aTable()
  await table.run(operator)
  const [rule] = await deviceRules.findMany(table.store, [7])
  const device = await findDevice(table.store, 10)
  if (!rule || !device) throw new Error('The dataset has no such rule')
  await deleteDeviceRule(table.store, device, rule)
  const changed = { ...rule, cut: '1' }

  for (const after of [changed, { ...changed, device_id: 11 }]) {
    await expect(table.store.transact(deviceRuleReplaced(rule, after))).rejects.toThrow(ConditionFailed)
  }
  expect((await findDevice(table.store, 10))?.rule_count).toBe(0)
  expect((await findDevice(table.store, 11))?.rule_count).toBe(0)
})

test('a renamed account frees its old name', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob] = operator.users ?? []
  await table.run({ users: [{ ...bob, username: 'robert' }] }, { rename: true })
  const [old, renamed] = await findCallers(table.store, ['bob', 'robert'])

  expect([old, renamed?.id]).toEqual([undefined, 5])
})

test('names may pass from row to row within a dataset, in any order', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob, admin, rita] = operator.users ?? []
  const [desk, soft] = operator.devices ?? []
  const rows = {
    users: [{ ...bob, username: 'rita' }, { ...admin }, { ...rita, username: 'margarita' }],
    devices: [
      { ...desk, extension: '1002' },
      { ...soft, name: '1003', extension: '1003' },
    ],
  }
  const reports = await table.run(rows, { rename: true })

  expect(reports.map(({ refused }) => refused.size)).toEqual([0, 0])
  expect((await findCallers(table.store, ['rita'])).map((caller) => caller?.id)).toEqual([5])
  expect((await findDevice(table.store, 10))?.extension).toBe('1002')
})

test('a rule and a DID that move to another device are counted there', async () => {
  const table = await aTable()
  await table.run(operator)
  const [rule] = operator.device_rules ?? []
  const [did] = operator.dids ?? []
  await table.run({ device_rules: [{ ...rule, device_id: '11' }], dids: [{ ...did, device_id: '11' }] })
  const devices = await findDevices(table.store, [10, 11])

  expect(devices.map((device) => [device?.rule_count, device?.did_count])).toEqual([
    [0, 0],
    [1, 1],
  ])
  expect((await listDeviceRules(table.store, 11)).map(({ id }) => id)).toEqual([7])
})
