import type { Settings } from '#lib/settings/settings.ts'
import type { CalledText } from './called-text.ts'

export type DiallingSettings = Pick<
  Settings,
  'International_Prefix' | 'National_Prefix' | 'National_Length' | 'Country_Code'
>

/** The digits of a number, and the steps by which they were found. */
interface Normalised {
  readonly digits: string
  readonly steps: readonly string[]
}

/** A number with its country code. No country code begins with 0: there it has an international prefix. */
export const fullNumber = (called: CalledText, settings: DiallingSettings): Normalised =>
  (called.digits.startsWith('0') ? internationalNumber(called, settings) : undefined) ?? asItIs(called)

const asItIs = ({ digits }: CalledText): Normalised => ({ digits, steps: [] })

/** A number with `+` or the international prefix before it; `undefined` for any other. */
function internationalNumber(called: CalledText, settings: DiallingSettings): Normalised | undefined {
  const { International_Prefix: prefix } = settings
  if (called.text.startsWith('+')) return asItIs(called)
  if (prefix === '' || !called.digits.startsWith(prefix)) return undefined
  return { digits: called.digits.slice(prefix.length), steps: [`International_Prefix ${prefix} is cut`] }
}

/** A number as a subscriber dials it at home, with its country code. */
export const homeNumber = (called: CalledText, settings: DiallingSettings): Normalised =>
  internationalNumber(called, settings) ?? nationalNumber(called, settings)

function nationalNumber(called: CalledText, settings: DiallingSettings): Normalised {
  const { National_Prefix, National_Length, Country_Code } = settings
  const { digits } = called
  if (National_Prefix !== '' && digits.startsWith(National_Prefix)) {
    const step = `National_Prefix ${National_Prefix} becomes Country_Code ${Country_Code}`
    return { digits: Country_Code + digits.slice(National_Prefix.length), steps: [step] }
  }
  const isNational = National_Length.split(',').includes(String(digits.length))
  if (!isNational || Country_Code === '') return asItIs(called)
  const step = `a number of ${digits.length} digits takes Country_Code ${Country_Code} (National_Length)`
  return { digits: Country_Code + digits, steps: [step] }
}
