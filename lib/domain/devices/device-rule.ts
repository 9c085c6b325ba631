import { countOf, defineFields, matching, wordAmong } from '#lib/domain/fields.ts'

/** Which number of a call a rule rewrites. */
export const RULE_TYPES = ['src', 'dst'] as const

/** How long a number must be for a rule to apply. */
export interface Lengths {
  readonly minlen: number
  readonly maxlen: number
}

/** Digits to strip from the front; leading zeros count. */
export const CUT = /^\d*$/

/** What is put in front. */
export const ADDITION = /^[0-9*#+]*$/

/** The fields stand in the order in which device_rule_create refuses them. */
export const deviceRuleFields = defineFields({
  cut: { read: (text) => matching(CUT, text) },
  add: { read: (text) => matching(ADDITION, text) },
  pr_type: { read: (text) => wordAmong(RULE_TYPES, text, 'dst') },
})

/** From 1 to 100 unless said otherwise; `undefined` when one is not a number, or they leave no length between them. */
export function lengthsOf(sent: {
  readonly minlen: string | undefined
  readonly maxlen: string | undefined
}): Lengths | undefined {
  const [minlen, maxlen] = [countOf(sent.minlen ?? '', 1), countOf(sent.maxlen ?? '', 100)]
  if (minlen === undefined || maxlen === undefined || minlen > maxlen) return undefined
  return { minlen, maxlen }
}
