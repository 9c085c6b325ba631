import {
  type LengthRange,
  NO_LENGTHS,
  overlaps,
  type RuleLengths,
  withoutRule,
  withRule,
} from '#lib/domain/location-rules/rule-lengths.ts'
import { absent, is } from '#lib/store/conditions.ts'
import { type Key, keyForm } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

/** What makes two rules the same (wire.md 8.1): location, type, cut, add, and a length that both are for. */
interface Matching extends LengthRange {
  readonly location_id: number
  readonly lr_type: string
  readonly cut: string
  readonly add: string
}

/** The lengths that the rules of one location, type, cut and add are for, before and after a change. */
interface LengthsChange {
  readonly key: Key
  readonly before: RuleLengths
  readonly after: RuleLengths
  readonly isUnique: boolean
}

export interface PlannedLengths {
  /** Whether the rule will overlap with no other one. */
  readonly isUnique: boolean
  readonly changes: readonly Change[]
}

// Keys

/** `match` is type, cut and add, which are digits, `#` and `*`. */
export const lengthsKey = keyForm('LOCATION#<location_id>', 'LENGTHS#<match>')

export const keyOfLengths = ({ location_id, lr_type, cut, add }: Matching): Key =>
  lengthsKey(location_id, [lr_type, cut, add].join('|'))

const nameOf = (rule: Matching): string => JSON.stringify(keyOfLengths(rule))

// Access patterns

/**
 * What becomes of the lengths when a rule changes; `undefined` is a rule that is not there. The changes hold what was
 * read as their condition, so that of two equal rules that come at the same moment one has to look again.
 */
export async function planLengths(
  store: Store,
  before: Matching | undefined,
  after: Matching | undefined,
): Promise<PlannedLengths> {
  if (before && after && isSame(before, after)) return { isUnique: true, changes: [] }
  const rules = [before, after].filter((rule) => rule !== undefined)
  const concerned = [...new Map(rules.map((rule) => [nameOf(rule), rule])).values()]
  const stored = await store.getMany(concerned.map(keyOfLengths))
  const planned = concerned.map((rule, position) =>
    changeOf(String(stored[position]?.['lengths'] ?? NO_LENGTHS), {
      key: keyOfLengths(rule),
      leaving: before && nameOf(before) === nameOf(rule) ? before : undefined,
      coming: after && nameOf(after) === nameOf(rule) ? after : undefined,
    }),
  )
  return { isUnique: planned.every(({ isUnique }) => isUnique), changes: planned.map(toChange) }
}

const isSame = (one: Matching, other: Matching): boolean =>
  nameOf(one) === nameOf(other) && one.minlen === other.minlen && one.maxlen === other.maxlen

interface Movement {
  readonly key: Key
  readonly leaving: Matching | undefined
  readonly coming: Matching | undefined
}

function changeOf(before: RuleLengths, { key, leaving, coming }: Movement): LengthsChange {
  const others = leaving ? withoutRule(before, leaving) : before
  const after = coming ? withRule(others, coming) : others
  return { key, before, after, isUnique: !coming || !overlaps(others, coming) }
}

function toChange({ key, before, after }: LengthsChange): Change {
  const when = { lengths: before === NO_LENGTHS ? absent : is(before) }
  return after === NO_LENGTHS ? { remove: key, when } : { put: { ...key, lengths: after }, when }
}
