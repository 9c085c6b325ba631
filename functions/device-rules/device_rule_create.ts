import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { namedId, storedText } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { isOwnCustomerOrSelf } from '#lib/base/scope.ts'
import { deviceRuleFields, readNumberLengths } from '#lib/devices/device-rule.ts'
import { createDeviceRule, type DeviceRule, MOST_RULES_OF_A_DEVICE } from '#lib/devices/device-rule-stored.ts'
import { accountOf, findDevice } from '#lib/devices/device-stored.ts'
import { nextId } from '#lib/table/id-counter.ts'
import { element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'device_rule_create',
  summary: 'Adds a digit rule to a device.',
  callers: {
    allowed: ['admin', 'reseller'],
    anonymous: 'Access Denied',
    others: 'You are not authorized to use this functionality',
  },
  params: {
    device_id: namedId,
    name: storedText,
    cut: storedText,
    add: storedText,
    pr_type: storedText,
    minlen: storedText,
    maxlen: storedText,
  },
  hashOrders: [
    { signs: ['device_id'] },
    /** Signed by deployed clients (wire.md device_rule_create). */
    { signs: ['device_id', 'name', 'cut', 'add'] },
  ],
  errors: {
    not_found: 'Device was not found',
    no_name: 'name cannot be blank',
    no_digits: 'both add and cut cannot be blank',
    ...deviceRuleFields.errors(),
    length: 'Invalid length',
    limit: 'Rule limit is reached',
  },
  envelope: 'nestedStatus',
  access: 'write',
})

export const method = defineMethod(contract, create)

export const handler = lambda(method)

type CreateRequest = RequestTo<typeof contract>

async function create(request: CreateRequest) {
  const { caller, params, store, refuse } = request
  const device = await findDevice(store, params.device_id)
  if (!device || !isOwnCustomerOrSelf(caller, accountOf(device))) throw refuse('not_found')
  request.refuseUnstorable()
  const columns = readColumns(request)
  if (device.rule_count >= MOST_RULES_OF_A_DEVICE) throw refuse('limit')

  await createDeviceRule(store, device, {
    ...columns,
    id: await nextId(store, 'device_rule'),
    device_id: device.id,
    enabled: true,
  })
  return element('status', element('status', 'Rule added'))
}

function readColumns({ params, refuse }: CreateRequest): Omit<DeviceRule, 'id' | 'device_id' | 'enabled'> {
  const [name, cut, add] = [trimmed(params.name), trimmed(params.cut), trimmed(params.add)]
  const [wrong, lengths] = [deviceRuleFields.wrong(params), readNumberLengths(params)]
  if (!name) throw refuse('no_name')
  if (!cut && !add) throw refuse('no_digits')
  if (wrong) throw refuse(wrong)
  if (!lengths) throw refuse('length')
  return { name, cut, add, pr_type: 'dst', ...deviceRuleFields.columns(params), ...lengths }
}

const trimmed = (text = ''): string => text.trim()
