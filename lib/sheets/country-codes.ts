import { type Cell, type Question, shown } from './question.ts'

export const CODES = ['area', 'whole'] as const

/** What stands beside the country code of a column of its own: area codes, or codes that begin with it. */
export type Codes = (typeof CODES)[number]

/** A dial code, and the country code beside it. */
export interface CodePair {
  readonly country: string
  readonly code: Cell
}

/** Whether codes begin with the country code beside them: all of them do, or hardly any; else it asks. */
export function codesOf(pairs: Iterable<CodePair>): Codes | Question | undefined {
  const area: Cell[] = []
  const whole: Cell[] = []
  for (const pair of withBoth(pairs)) (isWhole(pair) ? whole : area).push(pair.code)
  const [example] = whole
  if (example && area.length === 0) return 'whole'
  if (example && whole.length * SELDOM >= area.length) return askCodes(example)
  return area.length > 0 ? 'area' : undefined
}

/** An area code begins with the digits of its country by chance. */
const SELDOM = 10

function* withBoth(pairs: Iterable<CodePair>): Generator<CodePair> {
  for (const pair of pairs) if (/\d/.test(pair.country) && pair.code.text !== '') yield pair
}

const isWhole = ({ country, code }: CodePair): boolean =>
  code.text.replace(/\D/g, '').startsWith(country.replace(/\D/g, ''))

const askCodes = (cell: Cell): Question => ({
  about: 'codes',
  asks: `Do the dial codes begin with the country code of their own column, or are they area codes: ${shown(cell)}`,
  choices: CODES,
})
