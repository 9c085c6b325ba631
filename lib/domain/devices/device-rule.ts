/** Which number of a call a rule rewrites. */
export const RULE_TYPES = ['src', 'dst'] as const

/** How long a number must be for a rule to apply. */
export interface Lengths {
  readonly minlen: number
  readonly maxlen: number
}

/** Digits to strip from the front; leading zeros count. */
export const isCut = (text: string): boolean => /^\d*$/.test(text)

/** What is put in front. */
export const isAddition = (text: string): boolean => /^[0-9*#+]*$/.test(text)

/** The type asked for, `dst` when none is; `undefined` when there is no such type. */
export const ruleTypeOf = (sent = ''): (typeof RULE_TYPES)[number] | undefined =>
  sent.trim() === '' ? 'dst' : RULE_TYPES.find((type) => type === sent.trim())

/** From 1 to 100 unless said otherwise; `undefined` when one is no number, or they leave no length between them. */
export function lengthsOf(sent: {
  minlen: string | undefined
  maxlen: string | undefined
}): Lengths | undefined {
  const [minlen, maxlen] = [lengthOf(sent.minlen, 1), lengthOf(sent.maxlen, 100)]
  if (minlen === undefined || maxlen === undefined || minlen > maxlen) return undefined
  return { minlen, maxlen }
}

function lengthOf(sent = '', standard: number): number | undefined {
  const digits = sent.trim()
  if (digits === '') return standard
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined
}
