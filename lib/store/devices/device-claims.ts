import { addressOf, isIpAddress } from '#lib/domain/calls/switch-names.ts'
import { isPlainNumber } from '#lib/domain/devices/extension.ts'
import { absent, present } from '#lib/store/conditions.ts'
import { deviceKeys, extensionKeys, freeExtensionKeys, isSameKey, type Key } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { type Device, readHolder } from './device.ts'

// Shape

/** What a device is known by. */
export type Named = Pick<
  Device,
  'id' | 'user_id' | 'name' | 'extension' | 'authentication' | 'host' | 'ipaddr'
>

/** A key that stands for a name, number or address while a device has it. */
interface Claim {
  readonly key: Key
  /** Others may have it as well, each under a key of its own. */
  readonly isShared?: true
  /** The number it occupies, if it is one that could be handed out. */
  readonly number?: number
}

// Keys

/**
 * What a device goes by: a numeric name occupies its number too, unless the device's own extension does so already; one
 * that is let in by its address goes by that.
 */
export function claimsOf(device: Named): Claim[] {
  const { name, extension } = device
  const numericName = isPlainNumber(name) && name !== extension
  return [
    { key: deviceKeys.named(name) },
    ...(extension === '' ? [] : [{ key: extensionKeys.item(extension), ...numberOf(extension) }]),
    ...(numericName ? [{ key: extensionKeys.asName(name), ...numberOf(name) }] : []),
    ...addressesOf(device).map((address) => ({
      key: deviceKeys.at(address, device.id),
      isShared: true as const,
    })),
  ]
}

function addressesOf({ authentication, host, ipaddr }: Named): string[] {
  if (authentication !== 'ip') return []
  return [...new Set([host, ipaddr].map(addressOf))].filter(isIpAddress)
}

const numberOf = (text: string): { number?: number } => (isPlainNumber(text) ? { number: Number(text) } : {})

// Access patterns

/** Who has a device's name as name or as extension, and who has its extension as either. */
export interface Holders {
  readonly name: readonly number[]
  readonly extension: readonly number[]
}

/** In the order of the devices, which may be among the holders themselves. */
export async function findHolders(
  store: Store,
  devices: readonly Pick<Named, 'name' | 'extension'>[],
): Promise<Holders[]> {
  const words = devices.flatMap(({ name, extension }) => [name, extension])
  const keys = words.flatMap((word) => [deviceKeys.named(word), extensionKeys.item(word)])
  const holders = await store.getMany(keys)
  const holding = (word: number) =>
    holders.slice(2 * word, 2 * word + 2).flatMap((claim) => (claim ? [readHolder(claim).device_id] : []))
  return devices.map((_, position) => ({
    name: holding(2 * position),
    extension: holding(2 * position + 1),
  }))
}

/**
 * The changes that take a device from one name and extension to others; `undefined` is a device that is not there.
 * A number that nothing occupies any more goes to the free list, one that is taken leaves it.
 */
export async function changedClaims(store: Store, before?: Named, after?: Named): Promise<Change[]> {
  const [had, has] = [before, after].map((device) => (device ? claimsOf(device) : []))
  const given = without(had, has)
  const taken = without(has, had).filter(({ isShared }) => !isShared)
  const freed = numbersOf(given).filter((number) => !numbersOf(has ?? []).includes(number))

  return [
    ...given.map(({ key }): Change => ({ remove: key })),
    ...taken.map(({ key }): Change => ({ put: { ...key, device_id: after?.id }, when: { PK: absent } })),
    ...(has ?? []).flatMap(({ key, isShared }): Change[] =>
      isShared ? [{ put: { ...key, device_id: after?.id, user_id: after?.user_id } }] : [],
    ),
    ...numbersOf(taken).map((number): Change => ({ remove: freeExtensionKeys.item(number) })),
    ...(await freeing(store, freed, given)),
    ...extensionIsNobodysName(before, after),
    ...nameIsNobodysExtension(before, after),
  ]
}

const without = (claims: Claim[] = [], others: Claim[] = []): Claim[] =>
  claims.filter(({ key }) => !others.some((other) => isSameKey(other.key, key)))

const numbersOf = (claims: readonly Claim[]): number[] => [
  ...new Set(claims.flatMap(({ number }) => (number === undefined ? [] : [number]))),
]

/** A freed number may still be another device's name or extension; what was found about that is checked again. */
async function freeing(store: Store, numbers: readonly number[], given: readonly Claim[]): Promise<Change[]> {
  const others = numbers.map((number) => {
    const keys = [extensionKeys.item(String(number)), extensionKeys.asName(String(number))]
    return { number, key: keys.find((key) => !given.some((claim) => isSameKey(claim.key, key))) }
  })
  const open = others.flatMap(({ number, key }) => (key ? [{ number, key }] : []))
  const held = await store.getMany(open.map(({ key }) => key))
  return open.flatMap(({ number, key }, position): Change[] =>
    held[position]
      ? [{ check: key, when: { PK: present } }]
      : [{ check: key, when: { PK: absent } }, { put: freeExtensionKeys.item(number) }],
  )
}

/** Nor must a name be another device's extension. */
function nameIsNobodysExtension(before?: Named, after?: Named): Change[] {
  if (!after || after.name === before?.name) return []
  if (after.name === after.extension || after.name === before?.extension) return []
  return [{ check: extensionKeys.item(after.name), when: { PK: absent } }]
}

/** An extension must not be another device's name. Where it is the device's own, the claims above see to it. */
function extensionIsNobodysName(before?: Named, after?: Named): Change[] {
  if (!after?.extension || after.extension === before?.extension) return []
  if (after.extension === after.name || after.extension === before?.name) return []
  return [{ check: deviceKeys.named(after.extension), when: { PK: absent } }]
}
