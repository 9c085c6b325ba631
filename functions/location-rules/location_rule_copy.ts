import { LOCATION_RULE_CALLERS } from '#lib/api/location-rule.ts'
import { defineMethod } from '#lib/api/method.ts'
import { namedId } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { mayUseLocation } from '#lib/devices/location-rule.ts'
import { findLocationRule, locations } from '#lib/devices/location-rule-stored.ts'
import { copyLocationRule } from '#lib/devices/location-rule-writing.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'location_rule_copy',
    summary: 'Copies a rule to the same location or another; the copy need not be unique.',
    callers: LOCATION_RULE_CALLERS,
    params: { location_rule_id: namedId, location_id: namedId },
    hashOrders: [{ signs: ['location_rule_id', 'location_id'] }],
    errors: { no_rule: 'Location rule was not found', no_location: 'Location was not found' },
    envelope: 'nestedStatus',
    access: 'write',
  },
  async ({ caller, params, store, refuse }) => {
    const [source, target] = await Promise.all([
      findLocationRule(store, params.location_rule_id),
      locations.find(store, params.location_id),
    ])
    if (!source || !mayUseLocation(caller, source.location)) throw refuse('no_rule')
    if (!target || !mayUseLocation(caller, target)) throw refuse('no_location')

    await copyLocationRule(store, source.rule, target.id)
    return element('status', element('status', 'Rule copied'))
  },
)

export const handler = lambda(method)
