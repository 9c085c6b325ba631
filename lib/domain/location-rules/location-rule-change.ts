import {
  crossedLengths,
  locationRuleFields,
  type RuleField,
  type SentFields,
} from './location-rule-fields.ts'
import { type Assigned, targetColumnsOf } from './location-rule-targets.ts'

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

export type SentRule = SentFields & Assigned & { readonly name?: string | undefined }

type RuleRefusal = 'no_name' | RuleField | 'no_effect'

/** A rule as the sent parameters change it, or why they cannot. */
export function changedRule<R extends RuleColumns>(
  before: R,
  sent: SentRule,
): { rule: R } | { refused: RuleRefusal } {
  const name = sent.name === undefined ? before.name : sent.name.trim()
  if (name === '') return { refused: 'no_name' }
  const wrong = locationRuleFields.wrong(sent)
  if (wrong !== undefined) return { refused: wrong }
  const rule = { ...before, ...locationRuleFields.columns(sent), ...targetColumnsOf(sent), name }
  const refused = crossedLengths(rule, sent) ?? (hasEffect(rule) ? undefined : 'no_effect')
  return refused === undefined ? { rule } : { refused }
}

/** Whether a rule does anything: it rewrites a number, or uses something. A location group only says where it applies. */
export const hasEffect = (rule: RuleColumns): boolean =>
  [rule.cut, rule.add, rule.src_cut, rule.src_add].some((digits) => digits !== '') ||
  [rule.lcr_id, rule.tariff_id, rule.did_id, rule.device_id].some((id) => id !== undefined)
