import { defineMethod } from '#lib/api/method.ts'
import { namedId } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { isOwnCustomerOrSelf } from '#lib/base/scope.ts'
import { accountOf, type Device, findDevice } from '#lib/devices/device-stored.ts'
import { deleteDevice } from '#lib/devices/device-writing.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'device_delete',
    aliases: ['device_destroy'],
    summary:
      'Deletes a device with its rules; refused while a DID is assigned to it or a location rule uses it.',
    callers: { allowed: ACCOUNT_TYPES, anonymous: 'Bad login' },
    params: { device: namedId },
    hashOrders: [{ signs: ['device'] }],
    errors: {
      not_found: 'Device was not found',
      foreign: 'Dont_be_so_smart',
      has_dids: 'Device has assigned DIDs',
      has_location_rules: 'One or more Location rules are using this Device',
    },
    envelope: 'page',
    access: 'write',
  },
  async ({ caller, params, store, refuse }) => {
    const device = await findDevice(store, params.device)
    if (!device) throw refuse('not_found')
    if (!isOwnCustomerOrSelf(caller, accountOf(device))) throw refuse('foreign')
    const hold = useRefusal(device)
    if (hold) throw refuse(hold)

    await deleteDevice(store, device)
    return element('status', 'Device was deleted')
  },
)

export const handler = lambda(method)

function useRefusal({
  did_count,
  location_rule_count,
}: Device): 'has_dids' | 'has_location_rules' | undefined {
  if (did_count > 0) return 'has_dids'
  return location_rule_count > 0 ? 'has_location_rules' : undefined
}
