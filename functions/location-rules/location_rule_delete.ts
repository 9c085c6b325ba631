import { LOCATION_RULE_CALLERS } from '#lib/api/location-rule.ts'
import { defineMethod } from '#lib/api/method.ts'
import { namedId } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { mayUseLocation } from '#lib/devices/location-rule.ts'
import { findLocationRule } from '#lib/devices/location-rule-stored.ts'
import { deleteLocationRule } from '#lib/devices/location-rule-writing.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'location_rule_delete',
    summary: 'Deletes a rule of a location.',
    callers: LOCATION_RULE_CALLERS,
    params: { location_rule_id: namedId },
    hashOrders: [{ signs: ['location_rule_id'] }],
    errors: { not_found: 'Location rule was not found' },
    envelope: 'nestedStatus',
    access: 'write',
  },
  async ({ caller, params, store, refuse }) => {
    const found = await findLocationRule(store, params.location_rule_id)
    if (!found || !mayUseLocation(caller, found.location)) throw refuse('not_found')

    await deleteLocationRule(store, found.rule)
    return element('status', element('status', 'Rule deleted'))
  },
)

export const handler = lambda(method)
