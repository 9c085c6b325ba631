/** The fewest digits that prove a trunk's number, where the switch does not tell. */
const MIN_PHONE_DIGITS = 7

export const isPhoneNumber = (text: string): boolean =>
  /^\+?\d+$/.test(text) && text.length >= MIN_PHONE_DIGITS

/** Signs such as `#` in `#31#442079460000` are for the switch: the number is what it called. */
const isPlain = (dialled: string): boolean => /^[+\d][+\d\s().-]*$/.test(dialled)

/**
 * Tells whether a switch called the number that was dialled: the dialplan may strip an access code or an
 * international prefix. It may also put a country code or a carrier's own prefix before it if `mayAddDigits`.
 */
export function isSameNumber(dialled: string, called: string, mayAddDigits: boolean): boolean {
  if (!isPlain(dialled)) return false
  const [digits, calledDigits] = [digitsFromCountry(dialled), digitsFromCountry(called)]
  if (digits === calledDigits || isEndOf(calledDigits, digits)) return true
  return mayAddDigits && (isEndOf(digits, calledDigits) || isBehindCode(digits, calledDigits))
}

/** The fewest digits that identify a number whose access code gave way to a country code. */
const MIN_NATIONAL_DIGITS = 9

/** The `9` of `92025550171` asks for a line, and the switch called 12025550171. */
function isBehindCode(digits: string, called: string): boolean {
  const national = digitsFromCountry(digits.slice(1))
  return national.length >= MIN_NATIONAL_DIGITS && isEndOf(national, called)
}

const digitsFromCountry = (number: string): string => number.replace(/\D/g, '').replace(/^0+/, '')

const isEndOf = (digits: string, long: string): boolean =>
  digits.length >= MIN_PHONE_DIGITS && long.endsWith(digits)
