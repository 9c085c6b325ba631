import type { Actor } from '#lib/domain/accounts/account.ts'
import { actsFor, isOwnCustomerOrSelf, type Owned, seesEveryone } from '#lib/domain/accounts/scope.ts'

/** What a rule can be told to use, in the order in which what is wrong with them is refused. */
export const TARGETS = ['lcr_id', 'tariff_id', 'did_id', 'device_id', 'location_group_id'] as const

export type Target = (typeof TARGETS)[number]

/** Ids as they are sent: null takes away what was assigned. */
export type Assigned = Readonly<Partial<Record<Target, number | null | undefined>>>

/** The account of a device, the owner of everything else. */
export type TargetOwner = Owned | Pick<Owned, 'owner_id'>

/** Not there, by target, for who may use everything; for all others missing and foreign are the same. */
export const TARGET_ERRORS = {
  lcr_id: 'LCR was not found',
  tariff_id: 'Tariff was not found',
  did_id: 'DID was not found',
  device_id: 'Device was not found',
  location_group_id: 'Location Group was not found',
} as const satisfies Record<Target, string>

type NamedTargets = readonly (readonly [Target, TargetOwner | undefined])[]

/** Whether a caller names what it may not use, or what does not exist (wire.md 8.1). */
export const namesForeign = (caller: Actor, targets: NamedTargets): boolean =>
  !seesEveryone(caller) && !targets.every(([, owner]) => owner && isOwn(caller, owner))

/** What stands in a rule's way, looked at last: an equal rule, then what does not exist (wire.md 8.1). */
export const obstacleTo = (isUnique: boolean, targets: NamedTargets): Target | 'not_unique' | undefined =>
  isUnique ? targets.find(([, owner]) => owner === undefined)?.[0] : 'not_unique'

const isOwn = (caller: Actor, owner: TargetOwner): boolean =>
  'id' in owner ? isOwnCustomerOrSelf(caller, owner) : owner.owner_id === actsFor(caller)

/** The columns that the sent ids set. */
export const targetColumnsOf = (assigned: Assigned): Partial<Record<Target, number | undefined>> =>
  Object.fromEntries(
    TARGETS.flatMap((target) => {
      const id = assigned[target]
      return id === undefined ? [] : [[target, id ?? undefined]]
    }),
  )
