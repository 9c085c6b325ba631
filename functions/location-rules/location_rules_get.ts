import { rowIn } from '#lib/api/loads.ts'
import { LOCATION_RULE_CALLERS, locationRulesView } from '#lib/api/location-rule.ts'
import { defineMethod } from '#lib/api/method.ts'
import { namedId } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { mayUseLocation } from '#lib/devices/location-rule.ts'
import { listLocationRules, locations } from '#lib/devices/location-rule-stored.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'location_rules_get',
    summary:
      'The rules of one location, ascending by name; a location without rules has `No Location rules` after its name.',
    callers: LOCATION_RULE_CALLERS,
    params: { location_id: namedId },
    hashOrders: [{ signs: ['location_id'] }],
    errors: { not_found: 'Location was not found' },
    envelope: 'nestedStatus',
    access: 'read',
    streams: true,
    loads: { location: rowIn(locations, 'location_id') },
  },
  async ({ caller, store, loaded: { location }, refuse }) => {
    if (!location || !mayUseLocation(caller, location)) throw refuse('not_found')
    const rules = await listLocationRules(store, location.id)

    const listed = rules.length > 0 ? locationRulesView(rules) : noRules
    return element('status', element('location', element('name', location.name), listed))
  },
)

export const handler = lambda(method)

/** This error is part of the location's answer, not a refusal of the method (wire.md 4.2). */
const noRules = element('error', 'No Location rules')
