import type { Settings } from '#lib/domain/settings.ts'

/** An extension is made of digits, `*`, `#` and `+` (wire.md device_update). */
export const isExtension = (extension: string): boolean => /^[0-9*#+]{1,40}$/.test(extension)

/** A number as people dial it: no leading zero, few enough digits to count with. */
export const isPlainNumber = (extension: string): boolean => /^[1-9]\d{0,14}$/.test(extension)

/** Why an extension cannot be had, for the contracts of device_create and device_update. */
export const EXTENSION_ERRORS = {
  extension_format: 'Extension has incorrect format',
  extension_taken: 'Extension is already used',
  extension_emergency: 'Extension is an emergency or service number',
} as const

export type ExtensionRefusal = keyof typeof EXTENSION_ERRORS

/** Emergency and service numbers, from the comma-separated setting. */
export const emergencyNumbers = ({ Emergency_Numbers }: Pick<Settings, 'Emergency_Numbers'>): Set<string> =>
  new Set(Emergency_Numbers.split(',').map((number) => number.trim()))

/** From which numbers an extension is chosen, both ends included. */
export interface ExtensionRange {
  readonly from: number
  readonly to: number
  readonly excluded: ReadonlySet<string>
}

/** An installation without a range has no extensions to hand out. */
export const extensionRange = (settings: Settings): ExtensionRange => ({
  from: Math.max(settings.Device_Range_MIN ?? 1, 1),
  to: settings.Device_Range_MAX ?? 0,
  excluded: emergencyNumbers(settings),
})

export const isInRange = ({ from, to, excluded }: ExtensionRange, number: number): boolean =>
  number >= from && number <= to && !excluded.has(String(number))

/** The next number that may be handed out, from this one on; `undefined` past the end. */
export function nextInRange(range: ExtensionRange, from: number): number | undefined {
  let number = from
  while (range.excluded.has(String(number))) number += 1
  return number <= range.to ? number : undefined
}
