import { LOCATION_RULE_CALLERS, LOCATION_RULE_ERRORS, LOCATION_RULE_FIELDS } from '#lib/api/location-rule.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { namedId, storedText } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { flagOf } from '#lib/base/fields.ts'
import {
  applyToRule,
  mayUseLocation,
  namesForeignTarget,
  overlapOrMissingTarget,
} from '#lib/devices/location-rule.ts'
import { findLocationRule, findTargets } from '#lib/devices/location-rule-stored.ts'
import { planLengths, updateLocationRule } from '#lib/devices/location-rule-writing.ts'
import { element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'location_rule_update',
  summary: 'Changes the sent fields of a location rule.',
  callers: LOCATION_RULE_CALLERS,
  params: { location_rule_id: namedId, ...LOCATION_RULE_FIELDS, enabled: storedText },
  hashOrders: [{ signs: ['location_rule_id'] }],
  errors: {
    not_found: 'Location rule was not found',
    ...LOCATION_RULE_ERRORS,
    enabled: 'enabled is invalid',
  },
  envelope: 'nestedStatus',
  access: 'write',
})

export const method = defineMethod(contract, update)

export const handler = lambda(method)

async function update(request: RequestTo<typeof contract>) {
  const { caller, params, store, refuse } = request
  const [found, targets] = await Promise.all([
    findLocationRule(store, params.location_rule_id),
    findTargets(store, params),
  ])
  if (!found || !mayUseLocation(caller, found.location)) throw refuse('not_found')
  if (namesForeignTarget(caller, targets)) throw refuse('foreign')
  request.refuseUnstorable()
  const enabled = params.enabled === undefined ? found.rule.enabled : flagOf(params.enabled)
  const wanted = applyToRule(found.rule, params)
  if ('refused' in wanted) throw refuse(wanted.refused)
  if (enabled === undefined) throw refuse('enabled')
  const after = { ...wanted.rule, enabled }
  const lengths = await planLengths(store, found.rule, after)
  const obstacle = overlapOrMissingTarget(lengths.isUnique, targets)
  if (obstacle) throw refuse(obstacle)

  await updateLocationRule(store, found.rule, after, lengths)
  return element('status', element('status', `Rule updated (rule_id: ${found.rule.id})`))
}
