import { isPlainNumber } from '#lib/domain/devices/extension.ts'
import { type Key, keyForm } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import { absent, present } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { type Device, deviceNameKey, extensionKeys, holderOf, isNumberByName } from './device.ts'

/** A device is dialled by its name and its extension. */
export type Dialled = Pick<Device, 'name' | 'extension'>

// Keys

const freeExtension = keyForm('EXTFREE', '<place>')

/** The free list: numbers that a device had, and that no device has now. */
export const freeExtensionKeys = {
  item: (number: number) => freeExtension(extensionKeys.place(number)),
  all: 'EXTFREE',
  numberIn: (sortKey: string): number => Number(sortKey.slice(1)),
}

// Access patterns

/** The ids of devices that have a device's name as name or extension, and of those that have its extension as either. */
export interface Holders {
  readonly name: readonly number[]
  readonly extension: readonly number[]
}

/** In the order of the devices, which may be holders themselves. */
export async function findHolders(store: Store, devices: readonly Dialled[]): Promise<Holders[]> {
  const words = devices.flatMap(({ name, extension }) => [name, extension])
  const holders = await store.getMany(
    words.flatMap((word) => [deviceNameKey(word), extensionKeys.item(word)]),
  )
  const holding = (word: number) =>
    holders.slice(2 * word, 2 * word + 2).flatMap((claim) => (claim ? [holderOf(claim)] : []))
  return devices.map((_, position) => ({
    name: holding(2 * position),
    extension: holding(2 * position + 1),
  }))
}

/**
 * The changes of the free list: a number that no device has any more joins it, a taken number leaves it. Further changes
 * check that no device is named like the extension of another one.
 */
export async function numberChanges(store: Store, before?: Dialled, after?: Dialled): Promise<Change[]> {
  const [had, has] = [before, after].map(numbersOf) as [number[], number[]]
  const taken = has.filter((number) => !had.includes(number))
  const freed = had.filter((number) => !has.includes(number))
  return [
    ...taken.map((number): Change => ({ remove: freeExtensionKeys.item(number) })),
    ...(await freeing(store, freed, before)),
    ...extensionIsNobodysName(before, after),
    ...nameIsNobodysExtension(before, after),
  ]
}

/** The numbers that a device occupies. */
export const numbersOf = (device?: Dialled): number[] =>
  device ? [...new Set([device.name, device.extension].filter(isPlainNumber).map(Number))] : []

/** A freed number may still be another device's name or extension. The transaction checks what was read about that. */
async function freeing(store: Store, numbers: readonly number[], before?: Dialled): Promise<Change[]> {
  const others = numbers.map((number) =>
    before && isNumberByName(before) && before.name === String(number)
      ? extensionKeys.item(String(number))
      : extensionKeys.asName(String(number)),
  )
  const held = await store.getMany(others)
  return numbers.flatMap((number, position): Change[] => {
    const check = others[position] as Key
    if (held[position]) return [{ check, when: { PK: present } }]
    return [{ check, when: { PK: absent } }, { put: freeExtensionKeys.item(number) }]
  })
}

/** If the name is or was the device's own extension, its claims already protect it. */
function nameIsNobodysExtension(before?: Dialled, after?: Dialled): Change[] {
  if (!after || after.name === before?.name) return []
  if (after.name === after.extension || after.name === before?.extension) return []
  return [{ check: extensionKeys.item(after.name), when: { PK: absent } }]
}

function extensionIsNobodysName(before?: Dialled, after?: Dialled): Change[] {
  if (!after?.extension || after.extension === before?.extension) return []
  if (after.extension === after.name || after.extension === before?.name) return []
  return [{ check: deviceNameKey(after.extension), when: { PK: absent } }]
}
