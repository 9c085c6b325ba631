import { ownerColumn, requiresOwner } from '#lib/accounts/account.ts'
import { ascending } from '#lib/base/collections.ts'
import { NO_SUCH_ID } from '#lib/base/fields.ts'
import {
  filledRow,
  flag,
  forOperator,
  id,
  integer,
  labelled,
  oneOf,
  optionalId,
  type Row,
  requiredText,
  rowReader,
  textLike,
  visible,
} from '#lib/table/columns.ts'
import { defineEntity, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import {
  deviceKey,
  didKey,
  type Key,
  type KeyForm,
  keyForm,
  lcrKey,
  locationGroupKey,
  locationKey,
  tariffKey,
} from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { accountOf } from './device-stored.ts'
import {
  DIALLED_FORM,
  LOCATION_RULE_LENGTHS,
  LOCATION_RULE_TYPES,
  type SentTargets,
  TARGETS,
  type Target,
  type TargetOwner,
} from './location-rule.ts'

/** LCRs, locations and location groups have a name and an owner. */
export const ownedObjectColumns = { id, name: visible(requiredText), owner_id: ownerColumn }

export type OwnedObject = Row<typeof ownedObjectColumns>

const defineOwnedObject = (
  name: string,
  key: KeyForm,
  list: { readonly list?: KeyForm; readonly listedSince?: number } = {},
) => defineEntity({ name, columns: ownedObjectColumns, key, requires: [requiresOwner], ...list })

export const lcrs = defineOwnedObject('LCR', lcrKey)
export const locations = defineOwnedObject('location', locationKey, {
  list: keyForm('LOCATIONS', '<id>'),
  listedSince: 3,
})
export const locationGroups = defineOwnedObject('location group', locationGroupKey)

const dialled = textLike('digits, # and *, at most 100', DIALLED_FORM, '')

/** In the order in which location_rule_get prints them (wire.md 8.1). */
export const locationRuleColumns = {
  id,
  location_id: labelled(id, 'Location'),
  name: requiredText,
  enabled: flag(true),
  cut: labelled(dialled, 'Cut', 'digits that are cut from the start of the number'),
  add: labelled(dialled, 'Add', 'digits that are put before the number'),
  minlen: labelled(integer(LOCATION_RULE_LENGTHS.shortest), 'Shortest number'),
  maxlen: labelled(integer(LOCATION_RULE_LENGTHS.longest), 'Longest number'),
  lr_type: labelled(oneOf(LOCATION_RULE_TYPES, 'dst'), 'Type'),
  /** Resellers cannot list these in forms; they name them through the API. */
  lcr_id: forOperator(labelled(optionalId, 'LCR')),
  tariff_id: labelled(optionalId, 'Tariff', 'the prices of its calls'),
  did_id: forOperator(labelled(optionalId, 'DID')),
  device_id: labelled(optionalId, 'Device'),
  change_callerid_name: flag(false),
  src_cut: labelled(dialled, 'Cut from the caller'),
  src_add: labelled(dialled, 'Add to the caller'),
  src_minlen: labelled(integer(LOCATION_RULE_LENGTHS.shortest), 'Shortest caller'),
  src_maxlen: labelled(integer(LOCATION_RULE_LENGTHS.longest), 'Longest caller'),
  location_group_id: forOperator(labelled(optionalId, 'Location group')),
}

export type LocationRuleRow = Row<typeof locationRuleColumns>

export const locationRuleKey = keyForm('LOCATION#<location_id>', 'RULE#<id>')
export const locationRulePointerKey = keyForm('LOCRULE#<id>', 'LOCRULE')
/** The list of a device's rules. */
const ruleOnDevice = keyForm('DEVICE#<device_id>', 'LOCRULE#<id>')

export const locationRules = defineEntity({
  name: 'location rule',
  columns: locationRuleColumns,
  key: locationRuleKey,
  pointer: locationRulePointerKey,
  copies: [{ key: ruleOnDevice, of: ({ device_id }) => (device_id === undefined ? [] : [{ device_id }]) }],
  requires: [
    { column: 'location_id', names: locationKey },
    { column: 'lcr_id', names: lcrKey },
    { column: 'tariff_id', names: tariffKey },
    { column: 'did_id', names: didKey },
    { column: 'device_id', names: deviceKey, counted: 'location_rule_count' },
    { column: 'location_group_id', names: locationGroupKey },
  ],
})

export type LocationRule = Stored<LocationRuleRow>

/** A rule that is not stored yet, without a name. Its other columns have the values of blank cells. */
export const newLocationRule = (location_id: number): LocationRule => ({
  ...filledRow(locationRuleColumns, { id: NO_SUCH_ID, location_id, name: '' }),
  version: 1,
})

/** Ascending by name, then id. */
export async function listLocationRules(store: Store, locationId: number): Promise<LocationRule[]> {
  const rules = (await store.list(locationRuleKey.range(locationId))).map(locationRules.read)
  return rules.sort((one, other) => ascending(one.name, other.name) || one.id - other.id)
}

export interface LocatedRule {
  readonly rule: LocationRule
  readonly location: OwnedObject
}

export const findLocationRule = async (store: Store, ruleId: number): Promise<LocatedRule | undefined> =>
  findLocationRuleAt(store, await store.get(locationRulePointerKey(ruleId)))

export async function findLocationRuleAt(
  store: Store,
  pointer: Item | undefined,
): Promise<LocatedRule | undefined> {
  if (!pointer) return undefined
  const [rule, location] = await store.getMany([
    locationRuleKey.of(pointer),
    locationKey(Number(pointer['location_id'])),
  ])
  return rule && location && { rule: locationRules.read(rule), location: locations.read(location) }
}

const KEYS_OF_TARGETS: Readonly<Record<Target, (id: number) => Key>> = {
  lcr_id: lcrKey,
  tariff_id: tariffKey,
  did_id: didKey,
  device_id: deviceKey,
  location_group_id: locationGroupKey,
}

/** The objects that a rule names, each with its owner, in the order of TARGETS. One round trip. */
export async function findTargets(
  store: Store,
  assigned: SentTargets,
): Promise<[target: Target, owner: TargetOwner | undefined][]> {
  const named = TARGETS.flatMap((target) => {
    const targetId = assigned[target]
    return typeof targetId === 'number' ? [{ target, key: KEYS_OF_TARGETS[target](targetId) }] : []
  })
  const items = await store.getMany(named.map(({ key }) => key))
  return named.map(({ target }, index) => {
    const item = items[index]
    return [target, item && ownerOf(target, item)]
  })
}

const readOwner = rowReader({ owner_id: id })
const readDeviceOwner = rowReader({ owner_id: id, user_id: id })

/** A device belongs to its account, all other objects to their owner. */
const ownerOf = (target: Target, item: Item): TargetOwner =>
  target === 'device_id' ? accountOf(readDeviceOwner(item)) : readOwner(item)
