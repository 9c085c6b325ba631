import type { Imported } from '#lib/table/columns.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { nextId } from '#lib/table/id-counter.ts'
import { type Key, keyForm } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { LOCATION_RULE_LENGTHS } from './location-rule.ts'
import { type LocationRule, type LocationRuleRow, locationRules } from './location-rule-stored.ts'

/** Rules overlap if they agree in location, type, cut and add, and both cover a length (wire.md 8.1). */
interface Matching extends LengthRange {
  readonly location_id: number
  readonly lr_type: string
  readonly cut: string
  readonly add: string
}

export interface PlannedLengths {
  /** The rule overlaps with no other rule. */
  readonly isUnique: boolean
  readonly changes: readonly Change[]
}

/** `match` is type, cut and add, separated by `|`. */
export const lengthsKey = keyForm('LOCATION#<location_id>', 'LENGTHS#<match>')

export const keyOfLengths = ({ location_id, lr_type, cut, add }: Matching): Key =>
  lengthsKey(location_id, [lr_type, cut, add].join('|'))

const matchText = (rule: Matching): string => JSON.stringify(keyOfLengths(rule))

/**
 * Plans the lengths for a rule that is created, replaced or deleted. The lengths that were read are a
 * condition of the changes: of two equal rules that are written at the same moment, one fails.
 */
export async function planLengths(
  store: Store,
  before: Matching | undefined,
  after: Matching | undefined,
): Promise<PlannedLengths> {
  if (before && after && isSame(before, after)) return { isUnique: true, changes: [] }
  const rules = [before, after].filter((rule) => rule !== undefined)
  const concerned = [...new Map(rules.map((rule) => [matchText(rule), rule])).values()]
  const stored = await store.getMany(concerned.map(keyOfLengths))
  const planned = concerned.map((rule, index) =>
    lengthsChange(
      keyOfLengths(rule),
      String(stored[index]?.['lengths'] ?? NO_LENGTHS),
      before && matchText(before) === matchText(rule) ? before : undefined,
      after && matchText(after) === matchText(rule) ? after : undefined,
    ),
  )
  return {
    isUnique: planned.every(({ isUnique }) => isUnique),
    changes: planned.map(({ change }) => change),
  }
}

const isSame = (one: Matching, other: Matching): boolean =>
  matchText(one) === matchText(other) && one.minlen === other.minlen && one.maxlen === other.maxlen

/** The change of the lengths that the rules of one location, type, cut and add cover. */
function lengthsChange(
  key: Key,
  before: RuleLengths,
  removed: Matching | undefined,
  added: Matching | undefined,
) {
  const others = removed ? withoutRule(before, removed) : before
  const after = added ? withRule(others, added) : others
  const when = { lengths: before === NO_LENGTHS ? absent : is(before) }
  const change: Change =
    after === NO_LENGTHS ? { remove: key, when } : { put: { ...key, lengths: after }, when }
  return { isUnique: !added || !overlaps(others, added), change }
}

// Each of the following throws ConditionFailed when an item that was read has changed meanwhile.

/** Gives the rule an id and returns it. */
export async function createLocationRule(
  store: Store,
  rule: LocationRule,
  lengths: PlannedLengths,
): Promise<number> {
  const id = await nextId(store, 'location_rule')
  await store.transact([...changesOf(locationRules, undefined, { ...rule, id }), ...lengths.changes])
  return id
}

/** Replaces a rule. `lengths` were planned for the same two states. */
export const updateLocationRule = (
  store: Store,
  before: LocationRule,
  after: LocationRule,
  lengths: PlannedLengths,
): Promise<void> => store.transact([...changesOf(locationRules, before, after), ...lengths.changes])

export const deleteLocationRule = async (store: Store, rule: LocationRule): Promise<void> =>
  store.transact(await locationRuleReplaced(store, rule, undefined))

/** Copies a rule to another location, with a new id. It may overlap (wire.md location_rule_copy). */
export async function copyLocationRule(store: Store, rule: LocationRule, location_id: number): Promise<void> {
  const copy = { ...rule, location_id, digest: undefined }
  const [lengths, id] = await Promise.all([
    planLengths(store, undefined, copy),
    nextId(store, 'location_rule'),
  ])
  await store.transact([...changesOf(locationRules, undefined, { ...copy, id }), ...lengths.changes])
}

/** The changes that put a rule in place of `before`. It may overlap with others, as a copy may. */
export async function locationRuleReplaced(
  store: Store,
  before: LocationRule | undefined,
  after: Imported<LocationRuleRow> | undefined,
): Promise<readonly Change[]> {
  const lengths = await planLengths(store, before, after)
  return [...changesOf(locationRules, before, after), ...lengths.changes]
}

/** Lengths from minlen to maxlen, both included. */
export interface LengthRange {
  readonly minlen: number
  readonly maxlen: number
}

/**
 * The number of rules of one type, cut and add for each length of a number, from the shortest: `1,1,0,...`.
 * Blank means no rules. More rules make neither this text nor the overlap check larger.
 */
type RuleLengths = string

export const NO_LENGTHS: RuleLengths = ''

const LENGTH_COUNT = LOCATION_RULE_LENGTHS.longest - LOCATION_RULE_LENGTHS.shortest + 1

/** Whether a rule for this range would overlap with a counted one. */
export const overlaps = (lengths: RuleLengths, range: LengthRange): boolean =>
  countsOf(lengths).some((count, index) => count > 0 && isWithin(index, range))

export const withRule = (lengths: RuleLengths, range: LengthRange): RuleLengths =>
  addToCounts(lengths, range, 1)

export const withoutRule = (lengths: RuleLengths, range: LengthRange): RuleLengths =>
  addToCounts(lengths, range, -1)

function addToCounts(lengths: RuleLengths, range: LengthRange, by: 1 | -1): RuleLengths {
  const counts = countsOf(lengths).map((count, index) =>
    isWithin(index, range) ? Math.max(0, count + by) : count,
  )
  return counts.some((count) => count > 0) ? counts.join(',') : NO_LENGTHS
}

const countsOf = (lengths: RuleLengths): number[] =>
  lengths === NO_LENGTHS ? new Array<number>(LENGTH_COUNT).fill(0) : lengths.split(',').map(Number)

const isWithin = (index: number, { minlen, maxlen }: LengthRange): boolean => {
  const length = index + LOCATION_RULE_LENGTHS.shortest
  return minlen <= length && length <= maxlen
}
