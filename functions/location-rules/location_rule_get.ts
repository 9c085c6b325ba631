import { pointerIn } from '#lib/api/loads.ts'
import { LOCATION_RULE_CALLERS, locationRulesView } from '#lib/api/location-rule.ts'
import { defineMethod } from '#lib/api/method.ts'
import { namedId } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { mayUseLocation } from '#lib/devices/location-rule.ts'
import { findLocationRuleAt, locationRules } from '#lib/devices/location-rule-stored.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'location_rule_get',
    summary: 'One rule of a location.',
    callers: LOCATION_RULE_CALLERS,
    params: { location_rule_id: namedId },
    hashOrders: [{ signs: ['location_rule_id'] }],
    errors: { not_found: 'Location rule was not found' },
    envelope: 'nestedStatus',
    access: 'read',
    loads: { pointer: pointerIn(locationRules, 'location_rule_id') },
  },
  async ({ caller, store, loaded: { pointer }, refuse }) => {
    const found = await findLocationRuleAt(store, pointer)
    if (!found || !mayUseLocation(caller, found.location)) throw refuse('not_found')

    return element('status', locationRulesView([found.rule]))
  },
)

export const handler = lambda(method)
