import { rowIn } from '#lib/api/loads.ts'
import { defineMethod } from '#lib/api/method.ts'
import { namedId } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { namesIn } from '#lib/base/collections.ts'
import { isOwnCustomerOrSelf } from '#lib/base/scope.ts'
import { type DeviceRule, deviceRuleColumns, listDeviceRules } from '#lib/devices/device-rule-stored.ts'
import { accountOf, devices } from '#lib/devices/device-stored.ts'
import { element, type Markup } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

export const method = defineMethod(
  {
    name: 'device_rules_get',
    summary: 'The digit rules of one device, ascending by id.',
    callers: {
      allowed: ['admin', 'reseller'],
      anonymous: 'Access Denied',
      others: 'You are not authorized to use this functionality',
    },
    params: { device_id: namedId },
    hashOrders: [{ signs: ['device_id'] }],
    errors: { not_found: 'Device was not found', no_rules: 'Device has no rules' },
    envelope: 'nestedStatus',
    access: 'read',
    loads: { device: rowIn(devices, 'device_id') },
  },
  async ({ caller, store, loaded: { device }, refuse }) => {
    if (!device || !isOwnCustomerOrSelf(caller, accountOf(device))) throw refuse('not_found')
    const rules = await listDeviceRules(store, device.id)
    if (rules.length === 0) throw refuse('no_rules')

    return element('status', element('device_rules', ruleRows(rules)))
  },
)

export const handler = lambda(method)

const write = rowWriter('device_rule', namesIn(deviceRuleColumns))

const ruleRows = (rules: readonly DeviceRule[]): Markup =>
  write(rules.map((rule) => ({ ...rule, enabled: Number(rule.enabled) })))
