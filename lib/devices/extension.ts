import type { Settings } from '#lib/settings/settings.ts'
import type { Random } from './device.ts'

/** An extension consists of digits, `*`, `#` and `+` (wire.md device_update). */
export const isExtension = (extension: string): boolean => /^[0-9*#+]{1,40}$/.test(extension)

/** A number without leading zeros and of at most 15 digits, which JavaScript counts exactly. */
export const isPlainNumber = (extension: string): boolean => /^[1-9]\d{0,14}$/.test(extension)

/** The refusals of an extension, for the contracts of device_create and device_update. */
export const EXTENSION_ERRORS = {
  extension_format: 'Extension has incorrect format',
  extension_taken: 'Extension is already used',
  extension_emergency: 'Extension is an emergency or service number',
} as const

export type ExtensionRefusal = keyof typeof EXTENSION_ERRORS

/** Emergency and service numbers, from the comma-separated setting. */
export const emergencyNumbers = ({ Emergency_Numbers }: Pick<Settings, 'Emergency_Numbers'>): Set<string> =>
  new Set(Emergency_Numbers.split(',').map((number) => number.trim()))

/** The numbers that extensions are allocated from, both ends included. */
export interface ExtensionRange {
  readonly from: number
  readonly to: number
  readonly excluded: ReadonlySet<string>
}

/** Without Device_Range_MAX the range is empty. */
export const extensionRange = (settings: Settings): ExtensionRange => ({
  from: Math.max(settings.Device_Range_MIN ?? 1, 1),
  to: settings.Device_Range_MAX ?? 0,
  excluded: emergencyNumbers(settings),
})

export const isInRange = ({ from, to, excluded }: ExtensionRange, number: number): boolean =>
  number >= from && number <= to && !excluded.has(String(number))

/** The first allocatable number from `from` on; `undefined` past the end. */
export function nextInRange(range: ExtensionRange, from: number): number | undefined {
  let number = from
  while (range.excluded.has(String(number))) number += 1
  return number <= range.to ? number : undefined
}

/**
 * After a lost race a request takes any of this number of free ones. With fewer, requests that lost the same
 * race often meet at a number again, and the waits between runs grow each time.
 */
const NUMBERS_AFTER_LOST_RACE = 32

/** The free numbers that a request leaves to parallel ones. */
export const freeNumbersToSkip = ({
  lostRaces,
  random,
}: {
  readonly lostRaces: number
  readonly random: Random
}): number => (lostRaces === 0 ? 0 : random.below(NUMBERS_AFTER_LOST_RACE))
