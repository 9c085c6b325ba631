export const DEVICE_TYPES = ['SIP', 'IAX2', 'H323', 'FAX', 'Virtual', 'dahdi', 'Skype', 'ZAP'] as const

export type DeviceType = (typeof DEVICE_TYPES)[number]

export const TRANSPORTS = ['udp', 'tcp', 'udp,tcp', 'tcp,udp', 'tls'] as const

const PORTS: Partial<Record<DeviceType, number>> = { SIP: 5060, IAX2: 4569, H323: 1720 }

/** The standard port of a type, or 0 if it has none (wire.md device_create). */
export const standardPort = (type: DeviceType): number => PORTS[type] ?? 0

export const deviceTypeOf = (word: string): DeviceType | undefined =>
  DEVICE_TYPES.find((type) => type.toLowerCase() === word.trim().toLowerCase())

export const isDeviceName = (name: string): boolean => /^[A-Za-z0-9.@$-]{1,255}$/.test(name)

/** Printable ASCII without the space, quotes, backslash and semicolon that would break a switch's config. */
export const isDevicePassword = (password: string): boolean => /^[!#-&(-:<-[\]-~]{1,255}$/.test(password)

/** The minimum length, unless Allow_short_passwords_in_devices is on (wire.md device_update). */
export const MIN_DEVICE_PASSWORD_LENGTH = 8

export const isDigits = (text: string): boolean => /^\d+$/.test(text)

/** The number of a caller ID consists of digits and dots; blank means no number (wire.md device_create). */
export const isCallerIdNumber = (number: string): boolean => /^[0-9.]{0,80}$/.test(number)

/**
 * The name of a caller ID must not contain characters that would end it in a softswitch's configuration
 * (wire.md device_update).
 */
export const isCallerIdName = (name: string): boolean => /^[^"<>\\\p{Cc}]*$/u.test(name)

export interface CallerId {
  readonly name: string
  readonly number: string
}

/** The stored form: `"name" <number>`, without a blank half (wire.md device_update). */
export const formatCallerId = ({ name, number }: CallerId): string =>
  [name && `"${name}"`, number && `<${number}>`].filter((half) => half !== '').join(' ')

/**
 * Parses a caller ID of a dataset, whose name may lack the quotes. Text without brackets is a number if it
 * looks like one.
 */
export function parseCallerId(callerId: string): CallerId {
  const number = /<([^<>]*)>\s*$/.exec(callerId)?.[1]
  if (number !== undefined) {
    return { name: unquoted(callerId.slice(0, callerId.lastIndexOf('<')).trim()), number }
  }
  return isCallerIdNumber(callerId)
    ? { name: '', number: callerId }
    : { name: unquoted(callerId), number: '' }
}

/** The text between quotes. A text without them is returned as it is. */
const unquoted = (text: string): string => text.replace(/^\s*"(.*)"\s*$/s, '$1')

/** A device's name in lists: `SIP/2001` (wire.md 5.4). */
export const deviceTitle = ({ device_type, name }: { device_type: string; name: string }): string =>
  `${device_type}/${name}`

/** A cryptographic source of random numbers. */
export interface Random {
  /** Returns a whole number from 0 to below the bound. */
  readonly below: (bound: number) => number
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const DIGITS = '0123456789'

/** A device's SIP secret: 12 letters and digits (wire.md device_create). */
const randomSecret = (random: Random): string => pick(random, LETTERS_AND_DIGITS, 12)

/** A device's PIN: 4 digits (wire.md device_create). */
const randomPin = (random: Random): string => pick(random, DIGITS, 4)

/** The columns of a new device that follow from its type or are random. */
export const generatedColumns = (device_type: DeviceType, random: Random) => ({
  device_type,
  port: standardPort(device_type),
  secret: randomSecret(random),
  pin: randomPin(random),
})

/** Generates the uniquehash of an account: 32 hexadecimal digits. */
export const randomUniquehash = (random: Random): string => pick(random, '0123456789abcdef', 32)

const pick = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('')
