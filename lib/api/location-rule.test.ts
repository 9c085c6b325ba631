import { expect, test } from 'vitest'
import { newLocationRule } from '#lib/devices/location-rule-stored.ts'
import {
  LOCATION_RULE_CALLERS,
  LOCATION_RULE_ERRORS,
  LOCATION_RULE_FIELDS,
  locationRulesView,
} from './location-rule.ts'

test('plain users may not use location rules', () => {
  expect(LOCATION_RULE_CALLERS).toEqual({
    allowed: ['admin', 'reseller', 'accountant', 'partner'],
    anonymous: 'Access Denied',
    others: 'You are not authorized to use this functionality',
  })
})

test('the refusals stand in the documented order', () => {
  expect(Object.entries(LOCATION_RULE_ERRORS)).toEqual([
    ['foreign', 'Dont_be_so_smart'],
    ['no_name', 'Rule must have name'],
    ...['cut', 'add', 'minlen', 'maxlen', 'lr_type', 'change_callerid_name'].map(isInvalid),
    ...['src_cut', 'src_add', 'src_minlen', 'src_maxlen'].map(isInvalid),
    ['no_effect', 'Cut and Add cannot be empty'],
    ['not_unique', 'Rule must be unique'],
    ['lcr_id', 'LCR was not found'],
    ['tariff_id', 'Tariff was not found'],
    ['did_id', 'DID was not found'],
    ['device_id', 'Device was not found'],
    ['location_group_id', 'Location Group was not found'],
  ])
})

const isInvalid = (field: string) => [field, `${field} is invalid`]

test('every text of a rule is stored, and its targets can be removed', () => {
  for (const [name, type] of Object.entries(LOCATION_RULE_FIELDS)) {
    if (name.endsWith('_id')) expect(type.read('-1', name)).toBeNull()
    else expect(type).toMatchObject({ stored: true })
  }
  expect(Object.keys(LOCATION_RULE_FIELDS)).toHaveLength(16)
})

test('a rule is printed with its columns in order, flags as 1 and 0', () => {
  const rule = { ...newLocationRule(5), id: 7, name: 'a & b', enabled: true, tariff_id: 3 }

  expect(locationRulesView([rule, { ...rule, enabled: false, change_callerid_name: true }])).toEqual({
    markup: [
      ['1', '0'],
      ['0', '1'],
    ]
      .map(
        ([enabled, change]) =>
          '<location_rule><id>7</id><location_id>5</location_id><name>a &amp; b</name>' +
          `<enabled>${enabled}</enabled><cut/><add/><minlen>1</minlen><maxlen>99</maxlen><lr_type>dst</lr_type>` +
          '<lcr_id/><tariff_id>3</tariff_id><did_id/><device_id/>' +
          `<change_callerid_name>${change}</change_callerid_name><src_cut/><src_add/><src_minlen>1</src_minlen>` +
          '<src_maxlen>99</src_maxlen><location_group_id/></location_rule>',
      )
      .join(''),
  })
})
