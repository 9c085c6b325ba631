import { billing } from './billing.ts'
import { calls } from './calls.ts'
import { devices } from './devices.ts'
import { locationRules } from './location-rules.ts'
import { rates } from './rates.ts'
import { session } from './session.ts'
import type { ParameterWords } from './words.ts'

/** By method, then by parameter. */
const words: Readonly<Record<string, Readonly<Record<string, ParameterWords>>>> = {
  ...session,
  ...devices,
  ...rates,
  ...locationRules,
  ...calls,
  ...billing,
}

/** What a parameter of a method means, in words. Throws where nobody has written any. */
export function wordsOf(method: string, parameter: string): ParameterWords {
  const found = words[method]?.[parameter]
  if (!found) throw new Error(`lib/local/words has no words for ${parameter} of ${method}`)
  return found
}

/** The parameters of a method that there are words for. */
export const wordedParameters = (method: string): string[] => Object.keys(words[method] ?? {})
