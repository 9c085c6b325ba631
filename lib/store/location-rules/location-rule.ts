import { NO_SUCH_ID } from '#lib/domain/ids.ts'
import { DIALLED, LENGTHS, LOCATION_RULE_TYPES } from '#lib/domain/location-rules/location-rule.ts'
import { ascending } from '#lib/domain/order.ts'
import {
  blankRow,
  flag,
  type Imported,
  id,
  importedReader,
  integer,
  oneOf,
  optionalId,
  type Row,
  requiredText,
  rowReader,
  textLike,
} from '#lib/store/columns.ts'
import { followPointers } from '#lib/store/entity.ts'
import { locationKeys, locationRuleKeys } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { type OwnedObject, readOwnedObject } from './owned-object.ts'

// Shape

const dialled = textLike('digits, # and *, at most 100', DIALLED, '')

/** The columns stand in the order in which a rule is printed (wire.md 8.1). */
export const locationRuleColumns = {
  id,
  location_id: id,
  name: requiredText,
  enabled: flag(true),
  cut: dialled,
  add: dialled,
  minlen: integer(LENGTHS.shortest),
  maxlen: integer(LENGTHS.longest),
  lr_type: oneOf(LOCATION_RULE_TYPES, 'dst'),
  lcr_id: optionalId,
  tariff_id: optionalId,
  did_id: optionalId,
  device_id: optionalId,
  change_callerid_name: flag(false),
  src_cut: dialled,
  src_add: dialled,
  src_minlen: integer(LENGTHS.shortest),
  src_maxlen: integer(LENGTHS.longest),
  location_group_id: optionalId,
}

/** A rule as a dataset brings it. */
export type LocationRuleRow = Row<typeof locationRuleColumns>

/** `version` goes up with every change; who writes names the version it has read. */
const storedColumns = { ...locationRuleColumns, version: integer() }

export type LocationRule = Imported<Row<typeof storedColumns>>

const readRule = importedReader(storedColumns)
const readPointer = rowReader({ location_id: id })

type GivenColumns = 'id' | 'location_id' | 'name'

/** A rule that is not stored yet, without a name; its other columns have the values that blank cells stand for. */
export const newLocationRule = (location_id: number): LocationRule => ({
  ...(blankRow(locationRuleColumns) as Omit<LocationRuleRow, GivenColumns>),
  id: NO_SUCH_ID,
  location_id,
  name: '',
  version: 1,
})

// Access patterns

/** Ascending by name, then id. */
export async function listLocationRules(store: Store, locationId: number): Promise<LocationRule[]> {
  const rules = (await store.list(locationRuleKeys.ofLocation(locationId))).map(readRule)
  return rules.sort((one, other) => ascending(one.name, other.name) || one.id - other.id)
}

export interface LocatedRule {
  readonly rule: LocationRule
  readonly location: OwnedObject
}

/** A rule by its id, with its location. */
export async function findLocationRule(store: Store, ruleId: number): Promise<LocatedRule | undefined> {
  const pointer = await store.get(locationRuleKeys.pointer(ruleId))
  if (!pointer) return undefined
  const { location_id: locationId } = readPointer(pointer)
  const [rule, location] = await store.getMany([
    locationRuleKeys.item(locationId, ruleId),
    locationKeys.item(locationId),
  ])
  return rule && location && { rule: readRule(rule), location: readOwnedObject(location) }
}

/** In the order of the ids. */
export const findLocationRules = (
  store: Store,
  ids: readonly number[],
): Promise<(LocationRule | undefined)[]> =>
  followPointers(store, ids, {
    pointer: locationRuleKeys.pointer,
    target: (pointer, ruleId) => locationRuleKeys.item(readPointer(pointer).location_id, ruleId),
    read: readRule,
  })
