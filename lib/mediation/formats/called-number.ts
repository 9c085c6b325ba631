/** The fewest digits by which a called number is known to belong to a trunk, where the switch does not say so. */
const MIN_PHONE_DIGITS = 7

export const isPhoneNumber = (text: string): boolean =>
  /^\+?\d+$/.test(text) && text.length >= MIN_PHONE_DIGITS

/** Signs such as `#` in `#31#442079460000` are for the switch: the number is what it called. */
const isPlain = (dialled: string): boolean => /^[+\d]/.test(dialled) && /^[+\d\s().-]+$/.test(dialled)

/**
 * Tells whether a switch called the number that was dialled: the dialplan may strip an access code or an international
 * prefix. It may also put a country code or a carrier's own prefix before it if `mayAddDigits`.
 */
export function isSameNumber(dialled: string, called: string, mayAddDigits: boolean): boolean {
  if (dialled === called) return isPlain(dialled)
  if (!isPlain(dialled)) return false
  const [digits, calledDigits] = [dialled, called].map((text) => text.replace(/\D/g, '').replace(/^0+/, ''))
  if (!digits || !calledDigits) return false
  if (digits === calledDigits) return true
  const endsWith = (long: string, short: string) => short.length >= MIN_PHONE_DIGITS && long.endsWith(short)
  return endsWith(digits, calledDigits) || (mayAddDigits && endsWith(calledDigits, digits))
}
