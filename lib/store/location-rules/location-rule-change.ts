import { absent, is } from '#lib/store/conditions.ts'
import { locationRuleCountedOn } from '#lib/store/devices/device.ts'
import { nextId } from '#lib/store/id-counter.ts'
import { locationRuleKeys } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import type { LocationRule } from './location-rule.ts'
import { type PlannedLengths, planLengths } from './location-rule-lengths.ts'

// Access patterns. Each throws ConditionFailed when what it read has changed before it could write.

/** Gives the rule an id and answers it. */
export async function createLocationRule(
  store: Store,
  rule: LocationRule,
  lengths: PlannedLengths,
): Promise<number> {
  const id = await nextId(store, 'location_rule')
  await store.transact(changes({ before: undefined, after: { ...rule, id }, lengths }))
  return id
}

export const updateLocationRule = (store: Store, change: RuleChange): Promise<void> =>
  store.transact(changes(change))

export async function deleteLocationRule(store: Store, rule: LocationRule): Promise<void> {
  const lengths = await planLengths(store, rule, undefined)
  await store.transact(changes({ before: rule, after: undefined, lengths }))
}

/** A copy has everything but id and location; it may overlap with others (wire.md location_rule_copy). */
export async function copyLocationRule(store: Store, rule: LocationRule, location_id: number): Promise<void> {
  const copy = { ...rule, location_id, digest: undefined }
  const [lengths, id] = await Promise.all([
    planLengths(store, undefined, copy),
    nextId(store, 'location_rule'),
  ])
  await store.transact(changes({ before: undefined, after: { ...copy, id }, lengths }))
}

/** A rule as a dataset brings it, in place of what was there; it may overlap with others, as a copy may. */
export async function replaceLocationRule(
  store: Store,
  before: LocationRule | undefined,
  after: LocationRule,
): Promise<void> {
  const lengths = await planLengths(store, before, after)
  await store.transact(changes({ before, after, lengths }))
}

/** From what was read to what shall be; `undefined` is a rule that is not there. */
interface RuleChange {
  readonly before: LocationRule | undefined
  readonly after: LocationRule | undefined
  readonly lengths: PlannedLengths
}

/** A rule with all that points at it and counts it. */
const changes = ({ before, after, lengths }: RuleChange): Change[] => [
  ...itemChanges(before, after),
  ...pointerChanges(before, after),
  ...deviceChanges(before, after),
  ...lengths.changes,
]

function itemChanges(before: LocationRule | undefined, after: LocationRule | undefined): Change[] {
  const asRead = before ? { version: is(before.version) } : { PK: absent }
  const stays = before?.location_id === after?.location_id
  const version = (before?.version ?? 0) + 1
  return [
    ...(before && !stays
      ? [{ remove: locationRuleKeys.item(before.location_id, before.id), when: asRead }]
      : []),
    ...(after
      ? [
          {
            put: { ...locationRuleKeys.item(after.location_id, after.id), ...after, version },
            when: stays ? asRead : { PK: absent },
          },
        ]
      : []),
  ]
}

function pointerChanges(before: LocationRule | undefined, after: LocationRule | undefined): Change[] {
  if (before?.location_id === after?.location_id) return []
  if (after) return [{ put: { ...locationRuleKeys.pointer(after.id), location_id: after.location_id } }]
  return before ? [{ remove: locationRuleKeys.pointer(before.id) }] : []
}

/** The device counts the rules that point at it: it cannot be deleted while there are any. */
function deviceChanges(before: LocationRule | undefined, after: LocationRule | undefined): Change[] {
  if (before?.device_id === after?.device_id) return []
  return [...(before ? offItsDevice(before) : []), ...(after ? ontoItsDevice(after) : [])]
}

const offItsDevice = ({ id, device_id }: LocationRule): Change[] =>
  device_id === undefined
    ? []
    : [{ remove: locationRuleKeys.onDevice(device_id, id) }, locationRuleCountedOn(device_id, -1)]

const ontoItsDevice = ({ id, location_id, device_id }: LocationRule): Change[] =>
  device_id === undefined
    ? []
    : [
        { put: { ...locationRuleKeys.onDevice(device_id, id), location_id } },
        locationRuleCountedOn(device_id, 1),
      ]
