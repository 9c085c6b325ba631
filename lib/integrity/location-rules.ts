import { LENGTHS } from '#lib/domain/location-rules/location-rule.ts'
import { keyIn } from '#lib/store/keys.ts'
import { locationRules } from '#lib/store/location-rules/location-rule.ts'
import { keyOfLengths } from '#lib/store/location-rules/location-rule-lengths.ts'
import type { Rule } from './statement.ts'

/** Each length that a rule is for counts once. */
export const locationRuleRule: Rule = (item) => {
  const rule = locationRules.read(item)
  const { PK, SK } = keyOfLengths(rule)
  const from = Math.max(rule.minlen, LENGTHS.shortest)
  const till = Math.min(rule.maxlen, LENGTHS.longest)
  return Array.from({ length: Math.max(0, till - from + 1) }, (_, position) => ({
    of: ofLength(PK, SK, from + position),
    adds: 1,
  }))
}

const ofLength = (location: string, key: string, length: number): string =>
  `rules of ${location} under ${key} for ${length} digits`

export const ruleLengthsRule: Rule = (item) => {
  const { PK, SK } = keyIn(item)
  const counts = String(item['lengths']).split(',').map(Number)
  return counts.map((says, position) => ({ of: ofLength(PK, SK, LENGTHS.shortest + position), says }))
}
