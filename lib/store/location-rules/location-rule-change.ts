import type { Imported } from '#lib/store/columns.ts'
import { changesOf } from '#lib/store/entity-changes.ts'
import { nextId } from '#lib/store/id-counter.ts'
import type { Store } from '#lib/store/store.ts'
import { type LocationRule, type LocationRuleRow, locationRules } from './location-rule.ts'
import { type PlannedLengths, planLengths } from './location-rule-lengths.ts'

// Access patterns. Each throws ConditionFailed when what it read has changed before it could write.

/** Gives the rule an id and answers it. */
export async function createLocationRule(
  store: Store,
  rule: LocationRule,
  lengths: PlannedLengths,
): Promise<number> {
  const id = await nextId(store, 'location_rule')
  await store.transact([...changesOf(locationRules, undefined, { ...rule, id }), ...lengths.changes])
  return id
}

/** Puts the rule in place of what was read; `lengths` were planned for that. */
export const updateLocationRule = (
  store: Store,
  before: LocationRule,
  after: LocationRule,
  lengths: PlannedLengths,
): Promise<void> => store.transact([...changesOf(locationRules, before, after), ...lengths.changes])

export async function deleteLocationRule(store: Store, rule: LocationRule): Promise<void> {
  const lengths = await planLengths(store, rule, undefined)
  await store.transact([...changesOf(locationRules, rule, undefined), ...lengths.changes])
}

/** A copy has everything but id and location; it may overlap with others (wire.md location_rule_copy). */
export async function copyLocationRule(store: Store, rule: LocationRule, location_id: number): Promise<void> {
  const copy = { ...rule, location_id, digest: undefined }
  const [lengths, id] = await Promise.all([
    planLengths(store, undefined, copy),
    nextId(store, 'location_rule'),
  ])
  await store.transact([...changesOf(locationRules, undefined, { ...copy, id }), ...lengths.changes])
}

/** Puts a rule, as a dataset brings it, in place of what was read. It may overlap with others, as a copy may. */
export async function replaceLocationRule(
  store: Store,
  before: LocationRule | undefined,
  after: Imported<LocationRuleRow>,
): Promise<void> {
  const lengths = await planLengths(store, before, after)
  await store.transact([...changesOf(locationRules, before, after), ...lengths.changes])
}
