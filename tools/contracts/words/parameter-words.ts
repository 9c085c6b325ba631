import { CommandError } from '#tools/machine/terminal.ts'
import { accountWords } from './accounts.ts'
import { billingWords } from './billing.ts'
import { callWords } from './calls.ts'
import { deviceWords } from './devices.ts'
import { locationRuleWords } from './location-rules.ts'
import { rateWords } from './rates.ts'
import { type MethodWords, type ParameterWords, requiredWords } from './words.ts'

const sessionWords: MethodWords = {
  user_login: {
    u: requiredWords('The username, exact in upper and lower case.', 'carol'),
    p: requiredWords('The password.', 'demo-carol'),
  },
  user_logout: {},
}

/** Keyed by method, then by parameter. */
const words: MethodWords = {
  ...sessionWords,
  ...accountWords,
  ...deviceWords,
  ...rateWords,
  ...locationRuleWords,
  ...callWords,
  ...billingWords,
}

/** The description of a parameter of a method. Throws CommandError if it is missing. */
export function parameterWords(method: string, parameter: string): ParameterWords {
  const found = words[method]?.[parameter]
  if (!found)
    throw new CommandError(`${parameter} of ${method} has no words: add them in tools/contracts/words/`)
  return found
}

/** The names of a method's parameters that have a description. */
export const wordedParameters = (method: string): string[] => Object.keys(words[method] ?? {})
