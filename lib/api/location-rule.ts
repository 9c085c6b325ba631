import { namesIn } from '#lib/base/collections.ts'
import { locationRuleFields, TARGET_ERRORS } from '#lib/devices/location-rule.ts'
import { type LocationRule, locationRuleColumns } from '#lib/devices/location-rule-stored.ts'
import type { Markup } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'
import type { Callers } from './method.ts'
import { assignedId, storedText } from './parameters.ts'

/** All six methods of location rules admit the same callers (wire.md 8.1). */
export const LOCATION_RULE_CALLERS: Callers = {
  allowed: ['admin', 'reseller', 'accountant', 'partner'],
  anonymous: 'Access Denied',
  others: 'You are not authorized to use this functionality',
}

/** The fields of location_rule_create and location_rule_update; none of them is signed. */
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

/** The refusals of the fields, in the order in which they are checked. */
export const LOCATION_RULE_ERRORS = {
  foreign: 'Dont_be_so_smart',
  no_name: 'Rule must have name',
  ...locationRuleFields.errors(),
  no_effect: 'Cut and Add cannot be empty',
  not_unique: 'Rule must be unique',
  ...TARGET_ERRORS,
}

const write = rowWriter('location_rule', namesIn(locationRuleColumns))

/** Prints rules for location_rule_get and location_rules_get; a location may have thousands. */
export const locationRulesView = (rules: readonly LocationRule[]): Markup =>
  write(
    rules.map((rule) => ({
      ...rule,
      enabled: Number(rule.enabled),
      change_callerid_name: Number(rule.change_callerid_name),
    })),
  )
