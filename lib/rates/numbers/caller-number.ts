import {
  type CalledText,
  calledUser,
  type DiallingSettings,
  homeNumber,
  isNobody,
  isShortenedNumber,
  readCalled,
} from './called-text.ts'

// The caller's number, by which a tariff with origins rates a call (wire.md 7.7).

/** The caller of a call as the CDR has it. */
export interface CallerTexts {
  readonly src: string
  /** The number that was shown to the carrier, if it is not `src`. */
  readonly carrier_src?: string | undefined
}

/** The words of the call's own device, and the number that it shows. */
export interface CallersDevice {
  readonly name: string
  readonly username: string
  readonly extension: string
  readonly callerid: string
}

export interface CallerNumber {
  /** With the country code; `undefined` without a usable number. */
  readonly digits: string | undefined
  /** How the digits were found, or why there are none. */
  readonly detail: string
}

const MIN_DIGITS = 5
const MAX_DIGITS = 15

/** A text of fewer digits may be the name of a device that begins like a country code. */
const MIN_CLEAR_DIGITS = 8

const NO_CALLER: CallerNumber = { digits: undefined, detail: 'no number' }

/**
 * Reads the number of a caller. `ownDevice` is read only for a text that may be a device's name: not for
 * digits with `+`, and not for eight digits or more that are a number.
 */
export async function readCallerNumber(
  { src, carrier_src = src }: CallerTexts,
  settings: DiallingSettings,
  ownDevice: () => Promise<CallersDevice | undefined>,
): Promise<CallerNumber> {
  const written = readCalled(carrier_src)
  if (isNobody(written)) return NO_CALLER
  const number = numberIn(written, carrier_src, settings)
  if (written.text.startsWith('+') || (number.digits && written.digits.length >= MIN_CLEAR_DIGITS))
    return number
  const device = await ownDevice()
  const user = calledUser(carrier_src)
  return device && [device.name, device.username, device.extension].includes(user)
    ? callerOfDevice(device, settings)
    : number
}

/** The number that a device shows. `Country_Code` alone means a device without one. */
function callerOfDevice({ name, callerid }: CallersDevice, settings: DiallingSettings): CallerNumber {
  const shown = readCalled(callerid)
  if (!isNobody(shown) && shown.digits !== '') {
    const number = numberIn(shown, callerid, settings)
    return { ...number, detail: `device ${name} shows ${callerid}: ${number.detail}` }
  }
  const { Country_Code } = settings
  return Country_Code === ''
    ? { digits: undefined, detail: `device ${name} shows no number, and Country_Code is blank` }
    : { digits: Country_Code, detail: `device ${name} shows no number: Country_Code ${Country_Code}` }
}

function numberIn(text: CalledText, written: string, settings: DiallingSettings): CallerNumber {
  const { digits } = homeNumber(text, settings)
  const problem = text.isNumber && !isShortenedNumber(written) ? problemOf(digits) : 'not a number'
  return { digits: problem === undefined ? digits : undefined, detail: problem ?? digits }
}

/** ANONYMOUS, RESTRICTED, UNKNOWN, BLOCKED and UNAVAILABLE on a keypad, as Twilio sends them. */
const WITHHELD = new Set(['266696687', '7378742833', '8656696', '2562533', '86282452253'])

function problemOf(digits: string): string | undefined {
  const { length } = digits
  if (WITHHELD.has(digits)) return `${digits} means a withheld number`
  if (length < MIN_DIGITS || length > MAX_DIGITS) return `${digits} has ${length} digits`
  if (!hasCountryCode(digits)) return `${digits} begins with no country code`
  return digits.startsWith('1') && !/^1[2-9]\d{9}$/.test(digits)
    ? `${digits} is not a number of the North American plan`
    : undefined
}

/** Country codes of E.164 have one to three digits, and none is a prefix of another one. */
export const hasCountryCode = (digits: string): boolean =>
  [1, 2, 3].some((length) => COUNTRY_CODES.has(digits.slice(0, length)))

/**
 * The assigned codes of ITU-T E.164, as the ITU lists them ("List of ITU-T Recommendation E.164 assigned
 * country codes"), shared and global services included.
 */
export const COUNTRY_CODES: ReadonlySet<string> = new Set(
  (
    '1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 ' +
    '66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 ' +
    '231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 ' +
    '256 257 258 260 261 262 263 264 265 266 267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 ' +
    '357 358 359 370 371 372 373 374 375 376 377 378 379 380 381 382 383 385 386 387 389 420 421 423 500 ' +
    '501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599 670 672 673 674 675 676 ' +
    '677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 800 808 850 852 853 855 856 870 878 880 ' +
    '881 882 883 886 888 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 992 993 ' +
    '994 995 996 998'
  ).split(' '),
)
