import { LOCATION_RULE_CALLERS, LOCATION_RULE_ERRORS, LOCATION_RULE_FIELDS } from '#lib/api/location-rule.ts'
import { type CallOf, defineContract, defineMethod } from '#lib/api/method.ts'
import { id, storedText } from '#lib/api/parameters.ts'
import { NO_SUCH_ID } from '#lib/domain/ids.ts'
import { mayUseLocation } from '#lib/domain/location-rules/location-rule.ts'
import { changedRule } from '#lib/domain/location-rules/location-rule-change.ts'
import { switchOf } from '#lib/domain/location-rules/location-rule-fields.ts'
import { namesForeign, obstacleTo } from '#lib/domain/location-rules/location-rule-targets.ts'
import { lambda } from '#lib/stack/lambda.ts'
import { findLocationRule } from '#lib/store/location-rules/location-rule.ts'
import { updateLocationRule } from '#lib/store/location-rules/location-rule-change.ts'
import { planLengths } from '#lib/store/location-rules/location-rule-lengths.ts'
import { findTargets } from '#lib/store/location-rules/location-rule-targets.ts'
import { retryingRaces } from '#lib/store/transaction-errors.ts'
import { element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'location_rule_update',
  summary: 'Changes the fields of a location rule that are sent, and only these.',
  callers: LOCATION_RULE_CALLERS,
  params: { location_rule_id: id, ...LOCATION_RULE_FIELDS, enabled: storedText },
  hashOrders: [{ signs: ['location_rule_id'] }],
  errors: {
    not_found: 'Location rule was not found',
    ...LOCATION_RULE_ERRORS,
    enabled: 'enabled is invalid',
  },
  envelope: 'nestedStatus',
  access: 'write',
})

export const method = defineMethod(contract, (call) => retryingRaces(() => update(call)))

export const handler = lambda(method)

async function update(call: CallOf<typeof contract>) {
  const { caller, params, store, refuse } = call
  const [found, targets] = await Promise.all([
    findLocationRule(store, params.location_rule_id ?? NO_SUCH_ID),
    findTargets(store, params),
  ])
  if (!found || !mayUseLocation(caller, found.location)) throw refuse('not_found')
  if (namesForeign(caller, targets)) throw refuse('foreign')
  call.refuseUnstorable()
  const enabled = params.enabled === undefined ? found.rule.enabled : switchOf(params.enabled)
  const wanted = changedRule(found.rule, params)
  if ('refused' in wanted) throw refuse(wanted.refused)
  if (enabled === undefined) throw refuse('enabled')
  const after = { ...wanted.rule, enabled }
  const lengths = await planLengths(store, found.rule, after)
  const obstacle = obstacleTo(lengths.isUnique, targets)
  if (obstacle) throw refuse(obstacle)

  await updateLocationRule(store, { before: found.rule, after, lengths })
  return element('status', element('status', `Rule updated (rule_id: ${found.rule.id})`))
}
