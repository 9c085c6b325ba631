import { LOCATION_RULE_TYPES } from '#lib/devices/location-rule.ts'
import { type MethodWords, optionalWords, type ParameterWords, requiredWords } from './words.ts'

const rule: ParameterWords = requiredWords('The rule.', '8')
const location: ParameterWords = requiredWords('The location.', '1')

/** The rewriting of a number: the digits to remove, those to add, and the lengths it applies to. */
const rewriting = (whose: string, prefix: '' | 'src_'): Record<string, ParameterWords> => ({
  [`${prefix}cut`]: { says: `Digits, \`*\` and \`#\` to remove from the front of ${whose}.`, example: '00' },
  [`${prefix}add`]: { says: `Digits, \`*\` and \`#\` to put in front of ${whose}.`, example: '370' },
  [`${prefix}minlen`]: { says: `The fewest digits of ${whose}, from 1 to 99.`, default: '1', example: '9' },
  [`${prefix}maxlen`]: { says: `The most digits of ${whose}, from 1 to 99.`, default: '99', example: '15' },
})

/** An assignment: a blank value keeps it, -1 removes it. */
const assigned = (says: string, example: string): ParameterWords => ({
  says: `${says} -1 for none.`,
  default: 'none',
  example,
})

const fields: Record<string, ParameterWords> = {
  name: optionalWords('The name of the rule.', 'Double zero abroad'),
  ...rewriting('the dialled number', ''),
  lr_type: {
    says: 'The number that the rule matches.',
    default: 'dst',
    values: LOCATION_RULE_TYPES,
    example: 'dst',
  },
  lcr_id: assigned('The routing to switch to.', '3'),
  tariff_id: assigned('The tariff to rate with.', '3'),
  did_id: assigned('The DID whose number is shown as the caller.', '4'),
  device_id: assigned('The device that receives the call.', '20'),
  change_callerid_name: {
    says: "Whether the caller's name is changed, too.",
    default: '0',
    values: ['1', '0'],
    example: '0',
  },
  ...rewriting("the caller's number", 'src_'),
  location_group_id: assigned('The group of locations that the rule is restricted to.', '1'),
}

/** An update has no defaults: fields that are not sent stay. */
const unchanged = Object.fromEntries(
  Object.entries(fields).map(([name, { default: _default, ...words }]) => [name, words]),
)

export const locationRuleWords: MethodWords = {
  location_rule_get: { location_rule_id: rule },
  location_rules_get: { location_id: location },
  location_rule_create: {
    location_id: { ...location, example: '4' },
    ...fields,
    name: requiredWords('The name of the rule.', 'Double zero abroad'),
  },
  location_rule_update: {
    location_rule_id: { ...rule, example: '7' },
    ...unchanged,
    enabled: { says: 'Whether the rule applies.', values: ['1', '0'], example: '1' },
  },
  location_rule_delete: { location_rule_id: { ...rule, example: '10' } },
  location_rule_copy: {
    location_rule_id: rule,
    location_id: { ...location, says: 'The location that receives the copy.', example: '4' },
  },
}
