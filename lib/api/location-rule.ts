import { locationRuleFields, TARGET_ERRORS } from '#lib/domain/location-rules/location-rule.ts'
import type { Callers } from './method.ts'
import { assignedId, storedText } from './parameters.ts'

/** The six methods admit the same callers (wire.md 8.1). */
export const LOCATION_RULE_CALLERS: Callers = {
  allowed: ['admin', 'reseller', 'accountant', 'partner'],
  anonymous: 'Access Denied',
  others: 'You are not authorized to use this functionality',
}

/** The fields that location_rule_create and location_rule_update take; none of them is signed. */
export const LOCATION_RULE_FIELDS = {
  name: storedText,
  cut: storedText,
  add: storedText,
  minlen: storedText,
  maxlen: storedText,
  lr_type: storedText,
  lcr_id: assignedId,
  tariff_id: assignedId,
  did_id: assignedId,
  device_id: assignedId,
  change_callerid_name: storedText,
  src_cut: storedText,
  src_add: storedText,
  src_minlen: storedText,
  src_maxlen: storedText,
  location_group_id: assignedId,
}

/** What the fields can be refused for, in the order in which it is looked at. */
export const LOCATION_RULE_ERRORS = {
  foreign: 'Dont_be_so_smart',
  no_name: 'Rule must have name',
  ...locationRuleFields.errors(),
  no_effect: 'Cut and Add cannot be empty',
  not_unique: 'Rule must be unique',
  ...TARGET_ERRORS,
}
