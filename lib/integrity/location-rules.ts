import { LENGTHS } from '#lib/domain/location-rules/location-rule.ts'
import { TARGETS } from '#lib/domain/location-rules/location-rule-targets.ts'
import { id, rowReader } from '#lib/store/columns.ts'
import { keyIn, locationKeys, locationRuleKeys } from '#lib/store/keys.ts'
import { type LocationRule, locationRuleColumns } from '#lib/store/location-rules/location-rule.ts'
import { KEYS_OF_TARGETS } from '#lib/store/location-rules/location-rule-targets.ts'
import { agrees, present, type Rule, type Statement } from './statement.ts'

const readRule = rowReader(locationRuleColumns)

type Row = ReturnType<typeof readRule>

/** A rule of a location: it is found by its id, counted by its device and its lengths, and what it names is there. */
export const locationRuleRule: Rule = (item) => {
  const rule = readRule(item)
  const { location_id } = rule
  const subject = subjectOf(rule)
  return [
    present(locationKeys.item(location_id), `${subject} is there, and the location is not.`),
    agrees(locationRuleKeys.pointer(rule.id), { location_id }, `${subject} cannot be found by its id.`),
    ...targetsOf(rule),
    ...onDevice(rule),
    ...lengthsOf(rule),
    { ids: 'location_rule', used: rule.id },
  ]
}

const subjectOf = ({ id: ruleId, location_id }: Pick<LocationRule, 'id' | 'location_id'>): string =>
  `Rule ${ruleId} of location ${location_id}`

const targetsOf = (rule: Row): Statement[] =>
  TARGETS.flatMap((target) => {
    const named = rule[target]
    if (named === undefined) return []
    return [
      present(
        KEYS_OF_TARGETS[target](named),
        `${subjectOf(rule)} names ${target} ${named}, which is not there.`,
      ),
    ]
  })

function onDevice(rule: Row): Statement[] {
  const { id: ruleId, location_id, device_id } = rule
  if (device_id === undefined) return []
  return [
    agrees(
      locationRuleKeys.onDevice(device_id, ruleId),
      { location_id },
      `${subjectOf(rule)} uses device ${device_id}, which does not know of it.`,
    ),
    { of: locationRulesOf(device_id), adds: 1 },
  ]
}

/** Each length a rule is for counts once. */
function lengthsOf({ location_id, lr_type, cut, add, minlen, maxlen }: Row): Statement[] {
  const { SK } = locationRuleKeys.lengths(location_id, [lr_type, cut, add])
  const from = Math.max(minlen, LENGTHS.shortest)
  const till = Math.min(maxlen, LENGTHS.longest)
  return Array.from({ length: Math.max(0, till - from + 1) }, (_, position) => ({
    of: ofLength(location_id, SK, from + position),
    adds: 1,
  }))
}

const ofLength = (locationId: number, key: string, length: number): string =>
  `rules of location ${locationId} under ${key} for ${length} digits`

export const ruleLengthsRule: Rule = (item) => {
  const { PK, SK } = keyIn(item)
  const locationId = Number(PK.slice('LOCATION#'.length))
  const counts = String(item['lengths']).split(',').map(Number)
  return counts.map((says, position) => ({ of: ofLength(locationId, SK, LENGTHS.shortest + position), says }))
}

const readPointer = rowReader({ location_id: id })

export const locationRulePointerRule: Rule = (item) => {
  const ruleId = Number(keyIn(item).PK.slice('LOCRULE#'.length))
  const { location_id } = readPointer(item)
  return [
    present(
      locationRuleKeys.item(location_id, ruleId),
      `The id of location rule ${ruleId} leads to location ${location_id}, which has no such rule.`,
    ),
  ]
}

export const locationRulesOf = (deviceId: number): string => `location rules that use device ${deviceId}`
