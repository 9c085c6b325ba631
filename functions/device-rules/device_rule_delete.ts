import { defineMethod } from '#lib/api/method.ts'
import { namedId } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { isOwnCustomerOrSelf } from '#lib/base/scope.ts'
import { deleteDeviceRule, findRuleWithDevice } from '#lib/devices/device-rule-stored.ts'
import { accountOf } from '#lib/devices/device-stored.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'device_rule_delete',
    summary: 'Deletes a digit rule of a device.',
    callers: {
      allowed: ['admin', 'reseller'],
      anonymous: 'Access Denied',
      others: 'You are not authorized to use this functionality',
    },
    params: { device_rule_id: namedId },
    hashOrders: [{ signs: ['device_rule_id'] }],
    errors: { not_found: 'Devicerule was not found' },
    envelope: 'nestedStatus',
    access: 'write',
  },
  async ({ caller, params, store, refuse }) => {
    const found = await findRuleWithDevice(store, params.device_rule_id)
    if (!found || !isOwnCustomerOrSelf(caller, accountOf(found.device))) throw refuse('not_found')

    await deleteDeviceRule(store, found.device, found.rule)
    return element('status', element('status', 'Device rule was successfully deleted'))
  },
)

export const handler = lambda(method)
