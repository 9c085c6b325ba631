import type { Settings } from '#lib/domain/settings.ts'
import { digitsOf, ratedDigits } from './rating.ts'

/** The forms of a dialled text that is no phone number. A call to it costs nothing, unless a rate names it whole. */
export const UNRATED_FORMS = ['feature_code', 'short_number'] as const

export type UnratedForm = (typeof UNRATED_FORMS)[number]

type DiallingSettings = Pick<
  Settings,
  'International_Prefix' | 'National_Prefix' | 'Country_Code' | 'Shortest_Rated_Number'
>

/**
 * The form of a dialled text; `undefined` for a phone number (wire.md 7.3). A text with `*`, `#` or letters is a code of the
 * switch. One with too few digits is an extension, a group or a service. A blank text is neither: it cannot be rated.
 */
export function unratedForm(dialled: string, settings: DiallingSettings): UnratedForm | undefined {
  if (/[*#\p{L}]/u.test(dialled)) return 'feature_code'
  if (digitsOf(dialled) === '') return undefined
  return ratedDigits(dialled, settings).length < (settings.Shortest_Rated_Number ?? 0)
    ? 'short_number'
    : undefined
}
