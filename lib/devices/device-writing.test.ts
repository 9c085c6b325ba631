import { expect, test } from 'vitest'
import { isUsernameNote } from '#lib/devices/dialled.ts'
import type { Store } from '#lib/table/store.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { findDevice } from './device-stored.ts'
import { deleteDevice } from './device-writing.ts'

async function aDeviceWith(rules: number) {
  const world = await aWorld({
    users: people,
    devices: exampleDevices.slice(0, 1),
    device_rules: Array.from({ length: rules }, (_, id) => ({
      id: String(id),
      device_id: '100',
      name: `rule ${id}`,
      cut: '0',
    })),
  })
  const device = await findDevice(world.store, 100)
  if (!device) throw new Error('The device was not imported')
  const itemsOfDevice = async () =>
    (await world.dump()).filter(
      (item) => !isUsernameNote(item) && /^DEV|^DIALLED|DEVICE#/.test(`${item.PK} ${item.SK}`),
    )
  return { world, device, itemsOfDevice }
}

/** A store that fails all transactions after the first. */
function failingAfterOne(store: Store): Store {
  let transactions = 0
  const transact: Store['transact'] = async (changes) => {
    transactions += 1
    if (transactions > 1) throw new Error('The table is gone')
    await store.transact(changes)
  }
  return { ...store, transact }
}

test('one transaction deletes a device with few rules and their pointers', async () => {
  const { world, device, itemsOfDevice } = await aDeviceWith(40)

  await deleteDevice(failingAfterOne(world.store), device)

  expect(await itemsOfDevice()).toEqual([])
})

test('a device is deleted even if pointers of its rules cannot be removed; they find nothing', async () => {
  const { world, device, itemsOfDevice } = await aDeviceWith(80)

  await deleteDevice(failingAfterOne(world.store), device)

  const left = await itemsOfDevice()
  expect(left.length).toBeGreaterThan(0)
  expect(left.filter(({ PK }) => !PK.startsWith('DEVRULE#'))).toEqual([])
})

test('a failure before the deletion is thrown', async () => {
  const { world, device } = await aDeviceWith(1)
  const failing = { ...world.store, transact: () => Promise.reject(new Error('The table is gone')) }

  await expect(deleteDevice(failing, device)).rejects.toThrow('The table is gone')
})
