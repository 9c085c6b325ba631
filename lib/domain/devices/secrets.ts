/** A whole number from 0 to below the bound, from a cryptographic source. */
export interface Random {
  readonly below: (bound: number) => number
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const DIGITS = '0123456789'

/** A device's SIP secret: 12 letters and digits (wire.md device_create). */
export const randomSecret = (random: Random): string => pick(random, LETTERS_AND_DIGITS, 12)

/** A device's PIN: 4 digits (wire.md device_create). */
export const randomPin = (random: Random): string => pick(random, DIGITS, 4)

const pick = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('')
