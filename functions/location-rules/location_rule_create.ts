import { LOCATION_RULE_CALLERS, LOCATION_RULE_ERRORS, LOCATION_RULE_FIELDS } from '#lib/api/location-rule.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { namedId } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import {
  applyToRule,
  mayUseLocation,
  namesForeignTarget,
  overlapOrMissingTarget,
} from '#lib/devices/location-rule.ts'
import { findTargets, locations, newLocationRule } from '#lib/devices/location-rule-stored.ts'
import { createLocationRule, planLengths } from '#lib/devices/location-rule-writing.ts'
import { element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'location_rule_create',
  summary: 'Adds a rule to a location.',
  callers: LOCATION_RULE_CALLERS,
  params: { location_id: namedId, ...LOCATION_RULE_FIELDS },
  hashOrders: [{ signs: ['location_id'] }],
  errors: { not_found: 'Location was not found', ...LOCATION_RULE_ERRORS },
  envelope: 'nestedStatus',
  access: 'write',
})

export const method = defineMethod(contract, create)

export const handler = lambda(method)

async function create(request: RequestTo<typeof contract>) {
  const { caller, params, store, refuse } = request
  const [location, targets] = await Promise.all([
    locations.find(store, params.location_id),
    findTargets(store, params),
  ])
  if (!location || !mayUseLocation(caller, location)) throw refuse('not_found')
  if (namesForeignTarget(caller, targets)) throw refuse('foreign')
  request.refuseUnstorable()
  const wanted = applyToRule(newLocationRule(location.id), params)
  if ('refused' in wanted) throw refuse(wanted.refused)
  const lengths = await planLengths(store, undefined, wanted.rule)
  const obstacle = overlapOrMissingTarget(lengths.isUnique, targets)
  if (obstacle) throw refuse(obstacle)

  const ruleId = await createLocationRule(store, wanted.rule, lengths)
  return element('status', element('status', `Rule added (rule_id: ${ruleId})`))
}
