import type { Actor } from '#lib/base/account-types.ts'
import { defineFields, flagOf, matching, readCount, wordAmong } from '#lib/base/fields.ts'
import { actsFor, isOwnCustomerOrSelf, type Owned, seesEveryone } from '#lib/base/scope.ts'

/** The number of a call that a rule examines. */
export const LOCATION_RULE_TYPES = ['src', 'dst', 'combined'] as const

/** The range of `minlen` and `maxlen`, and the bounds of a rule without any. */
export const LOCATION_RULE_LENGTHS = { shortest: 1, longest: 99 } as const

/**
 * The form of `cut`, `add`, `src_cut` and `src_add`: up to 100 digits, `#` and `*`, leading zeros included
 * (wire.md 8.1).
 */
export const DIALLED_FORM = /^[0-9#*]{0,100}$/

/**
 * Whether a caller may see a location and change its rules. Admins and accountants may at every location
 * (wire.md 8.1).
 */
export const mayUseLocation = (caller: Actor, { owner_id }: { readonly owner_id: number }): boolean =>
  seesEveryone(caller) || owner_id === actsFor(caller)

const dialled = { read: (text: string) => matching(DIALLED_FORM, text) }

const lengthOr = (standard: number) => ({
  read: (text: string) => {
    const length = readCount(text, standard, 3) ?? Number.NaN
    const { shortest, longest } = LOCATION_RULE_LENGTHS
    return length >= shortest && length <= longest ? length : undefined
  },
})

/** The order in which fields are refused (wire.md 4.6). A blank field has the value of a new rule. */
export const locationRuleFields = defineFields({
  cut: dialled,
  add: dialled,
  minlen: lengthOr(LOCATION_RULE_LENGTHS.shortest),
  maxlen: lengthOr(LOCATION_RULE_LENGTHS.longest),
  lr_type: { read: (text) => wordAmong(LOCATION_RULE_TYPES, text, 'dst') },
  change_callerid_name: { read: (text) => (text.trim() === '' ? false : flagOf(text)) },
  src_cut: dialled,
  src_add: dialled,
  src_minlen: lengthOr(LOCATION_RULE_LENGTHS.shortest),
  src_maxlen: lengthOr(LOCATION_RULE_LENGTHS.longest),
})

type RuleField = keyof ReturnType<typeof locationRuleFields.errors>

type SentFields = Readonly<Partial<Record<RuleField, string | undefined>>>

/** The field to refuse if a lower bound exceeds its upper one: the upper one, if it was sent. */
function crossedLengths(rule: RuleColumns, sent: SentFields): RuleField | undefined {
  if (rule.minlen > rule.maxlen) return sent.maxlen === undefined ? 'minlen' : 'maxlen'
  if (rule.src_minlen > rule.src_maxlen) return sent.src_maxlen === undefined ? 'src_minlen' : 'src_maxlen'
  return undefined
}

/** The objects that a rule can use, in the order in which they are refused. */
export const TARGETS = ['lcr_id', 'tariff_id', 'did_id', 'device_id', 'location_group_id'] as const

export type Target = (typeof TARGETS)[number]

/** The ids of targets as they are sent; null removes an assigned target. */
export type SentTargets = Readonly<Partial<Record<Target, number | null | undefined>>>

/** The account of a device; the owner of any other target. */
export type TargetOwner = Owned | Pick<Owned, 'owner_id'>

/**
 * Refusals of a missing target, for callers who may use every object. All others get one refusal for missing
 * and foreign.
 */
export const TARGET_ERRORS = {
  lcr_id: 'LCR was not found',
  tariff_id: 'Tariff was not found',
  did_id: 'DID was not found',
  device_id: 'Device was not found',
  location_group_id: 'Location Group was not found',
} as const satisfies Record<Target, string>

type NamedTargets = readonly (readonly [Target, TargetOwner | undefined])[]

/** Whether a caller names a target that it may not use or that does not exist (wire.md 8.1). */
export const namesForeignTarget = (caller: Actor, targets: NamedTargets): boolean =>
  !seesEveryone(caller) && !targets.every(([, owner]) => owner && mayUse(caller, owner))

/** The last refusals of a rule: an overlapping rule, then a missing target (wire.md 8.1). */
export const overlapOrMissingTarget = (
  isUnique: boolean,
  targets: NamedTargets,
): Target | 'not_unique' | undefined =>
  isUnique ? targets.find(([, owner]) => owner === undefined)?.[0] : 'not_unique'

const mayUse = (caller: Actor, owner: TargetOwner): boolean =>
  'id' in owner ? isOwnCustomerOrSelf(caller, owner) : owner.owner_id === actsFor(caller)

const targetColumnsOf = (assigned: SentTargets): Partial<Record<Target, number | undefined>> =>
  Object.fromEntries(
    TARGETS.flatMap((target) => {
      const id = assigned[target]
      return id === undefined ? [] : [[target, id ?? undefined]]
    }),
  )

interface RuleColumns {
  readonly name: string
  readonly cut: string
  readonly add: string
  readonly minlen: number
  readonly maxlen: number
  readonly lcr_id: number | undefined
  readonly tariff_id: number | undefined
  readonly did_id: number | undefined
  readonly device_id: number | undefined
  readonly src_cut: string
  readonly src_add: string
  readonly src_minlen: number
  readonly src_maxlen: number
}

export type SentRule = SentFields & SentTargets & { readonly name?: string | undefined }

/** Returns the new state of a rule, or the reason for refusing the sent parameters. */
export function applyToRule<R extends RuleColumns>(
  before: R,
  sent: SentRule,
): { rule: R } | { refused: 'no_name' | RuleField | 'no_effect' } {
  const name = sent.name === undefined ? before.name : sent.name.trim()
  if (name === '') return { refused: 'no_name' }
  const wrong = locationRuleFields.wrong(sent)
  if (wrong !== undefined) return { refused: wrong }
  const rule = { ...before, ...locationRuleFields.columns(sent), ...targetColumnsOf(sent), name }
  const refused = crossedLengths(rule, sent) ?? (hasRuleEffect(rule) ? undefined : 'no_effect')
  return refused === undefined ? { rule } : { refused }
}

/**
 * Whether a rule rewrites a number or uses a target. A location group has no effect: it only limits where a
 * rule applies.
 */
export const hasRuleEffect = (rule: RuleColumns): boolean =>
  [rule.cut, rule.add, rule.src_cut, rule.src_add].some((digits) => digits !== '') ||
  [rule.lcr_id, rule.tariff_id, rule.did_id, rule.device_id].some((id) => id !== undefined)
