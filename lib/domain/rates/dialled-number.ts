import type { Settings } from '#lib/domain/settings.ts'
import { digitsOf } from './prefix.ts'

/** How people dial out of the country, and within it. */
export type DiallingPrefixes = Pick<Settings, 'International_Prefix' | 'National_Prefix' | 'Country_Code'>

/**
 * The digits by which a dialled number is rated: with its country code, and without what is dialled before it
 * (wire.md 7.3). A `+` or the international prefix is cut; the national prefix is cut and the country code put in its place.
 */
export function ratedDigits(dialled: string, prefixes: DiallingPrefixes): string {
  const { International_Prefix, National_Prefix, Country_Code } = prefixes
  const digits = digitsOf(dialled)
  if (dialled.trim().startsWith('+')) return digits
  if (begins(digits, International_Prefix)) return digits.slice(International_Prefix.length)
  return begins(digits, National_Prefix) ? Country_Code + digits.slice(National_Prefix.length) : digits
}

const begins = (digits: string, prefix: string): boolean => prefix !== '' && digits.startsWith(prefix)
