import { LOCATION_RULE_CALLERS } from '#lib/api/location-rule.ts'
import { defineMethod } from '#lib/api/method.ts'
import { id } from '#lib/api/parameters.ts'
import { NO_SUCH_ID } from '#lib/domain/ids.ts'
import { mayUseLocation } from '#lib/domain/location-rules/location-rule.ts'
import { lambda } from '#lib/stack/lambda.ts'
import { findLocationRule } from '#lib/store/location-rules/location-rule.ts'
import { deleteLocationRule } from '#lib/store/location-rules/location-rule-change.ts'
import { retryingRaces } from '#lib/store/transaction-errors.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'location_rule_delete',
    summary: 'Deletes a rule of a location.',
    callers: LOCATION_RULE_CALLERS,
    params: { location_rule_id: id },
    hashOrders: [{ signs: ['location_rule_id'] }],
    errors: { not_found: 'Location rule was not found' },
    envelope: 'nestedStatus',
    access: 'write',
  },
  ({ caller, params, store, refuse }) =>
    retryingRaces(async () => {
      const found = await findLocationRule(store, params.location_rule_id ?? NO_SUCH_ID)
      if (!found || !mayUseLocation(caller, found.location)) throw refuse('not_found')

      await deleteLocationRule(store, found.rule)
      return element('status', element('status', 'Rule deleted'))
    }),
)

export const handler = lambda(method)
