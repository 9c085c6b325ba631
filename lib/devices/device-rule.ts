import { defineFields, matching, readCount, wordAmong } from '#lib/base/fields.ts'

/** The number of a call that a rule rewrites. */
export const DEVICE_RULE_TYPES = ['src', 'dst'] as const

/** The lengths of the numbers that a rule applies to, both ends included. */
export interface NumberLengths {
  readonly minlen: number
  readonly maxlen: number
}

/** The form of `cut`: digits to strip from the front. Leading zeros count. */
export const CUT_FORM = /^\d*$/

/** The form of `add`: digits, `*`, `#` and `+` to put in front. */
export const ADDITION_FORM = /^[0-9*#+]*$/

/** Fields are listed in the order in which device_rule_create refuses them. */
export const deviceRuleFields = defineFields({
  cut: { read: (text) => matching(CUT_FORM, text) },
  add: { read: (text) => matching(ADDITION_FORM, text) },
  pr_type: { read: (text) => wordAmong(DEVICE_RULE_TYPES, text, 'dst') },
})

/** Reads a rule's bounds, 1 to 100 by default; `undefined` for invalid or crossed bounds. */
export function readNumberLengths(sent: {
  readonly minlen: string | undefined
  readonly maxlen: string | undefined
}): NumberLengths | undefined {
  const [minlen, maxlen] = [readCount(sent.minlen ?? '', 1), readCount(sent.maxlen ?? '', 100)]
  if (minlen === undefined || maxlen === undefined || minlen > maxlen) return undefined
  return { minlen, maxlen }
}
