import { deviceRuleKey } from '#lib/devices/device-rule-stored.ts'
import { deviceCounterKey } from '#lib/devices/device-stored.ts'
import { claimKey, dialledKey, freedKey, isUsernameNote } from '#lib/devices/dialled.ts'
import { LOCATION_RULE_LENGTHS } from '#lib/devices/location-rule.ts'
import { locationRuleKey, locationRules } from '#lib/devices/location-rule-stored.ts'
import { keyOfLengths, lengthsKey } from '#lib/devices/location-rule-writing.ts'
import { accountKey, deviceKey, isSameKey, keyIn } from '#lib/table/keys.ts'
import { alone, type FormRule, idOf, type Rule, under } from './expectation.ts'

const DEVICES = 'devices of the installation'

/** A device is counted for the license. */
const deviceRule: Rule = () => [{ total: DEVICES, adds: 1 }]

const deviceCountRule: Rule = ({ devices: count }) => [{ total: DEVICES, counts: Number(count) }]

/** A rule adds one to the counter of each length that it covers. */
const locationRuleRule: Rule = (item) => {
  const rule = locationRules.read(item)
  const { PK, SK } = keyOfLengths(rule)
  const from = Math.max(rule.minlen, LOCATION_RULE_LENGTHS.shortest)
  const till = Math.min(rule.maxlen, LOCATION_RULE_LENGTHS.longest)
  return Array.from({ length: Math.max(0, till - from + 1) }, (_, index) => ({
    total: ofLength(PK, SK, from + index),
    adds: 1,
  }))
}

const ofLength = (location: string, key: string, length: number): string =>
  `rules of ${location} under ${key} for ${length} digits`

const ruleLengthsRule: Rule = (item) => {
  const { PK, SK } = keyIn(item)
  const lengths = String(item['lengths']).split(',').map(Number)
  return lengths.map((counts, index) => ({
    total: ofLength(PK, SK, LOCATION_RULE_LENGTHS.shortest + index),
    counts,
  }))
}

/** An account notes its username where a device would claim that word. */
const usernameRule: Rule = (item) => {
  if (!isUsernameNote(item)) return []
  const { account_id } = item
  const key = keyIn(item)
  return [
    {
      at: accountKey(Number(account_id)),
      finds: (account) => account !== undefined && isSameKey(claimKey(String(account['username'])), key),
      otherwise: `${key.PK} ${key.SK} keeps a word for account ${account_id}, which has another username: remove the item.`,
    },
  ]
}

export const rulesOfDevices: readonly FormRule[] = [
  ...alone(freedKey),
  under(deviceKey, deviceRule, idOf('device')),
  under(deviceRuleKey, idOf('device_rule')),
  under(dialledKey, usernameRule),
  under(deviceCounterKey, deviceCountRule),
  under(locationRuleKey, locationRuleRule, idOf('location_rule')),
  under(lengthsKey, ruleLengthsRule),
]
