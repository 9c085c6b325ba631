/** At most this many digits of a dialled number are looked at, and no prefix has more (wire.md rate_get). */
export const LONGEST_PREFIX = 30

/** The digits of what somebody dialled or typed; everything else is stripped. */
export const digitsOf = (dialled: string): string => dialled.replace(/\D/g, '')

/** Every leading part of the digits that can be a prefix, the longest first. */
export function leadingParts(digits: string): string[] {
  const longest = Math.min(digits.length, LONGEST_PREFIX)
  return Array.from({ length: longest }, (_, dropped) => digits.slice(0, longest - dropped))
}

/** A prefix as carriers write it (`+370 6`, `370-6`) in plain digits; `undefined` when it is not one. */
export function prefixOf(text: string): string | undefined {
  const plain = text.replace(/^[\s\u00A0]*\+/, '').replace(/[\s\u00A0().-]/g, '')
  return /^\d{1,30}$/.test(plain) ? plain : undefined
}
