import { findAccount } from '#lib/accounts/account.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { namedId, storedText } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { isOwnCustomerOrSelf, seesSecrets } from '#lib/base/scope.ts'
import { deviceTypeOf, formatCallerId, generatedColumns, isCallerIdNumber } from '#lib/devices/device.ts'
import { deviceFields } from '#lib/devices/device-fields.ts'
import { type Device, findRoom, newDevice } from '#lib/devices/device-stored.ts'
import { deviceCreated } from '#lib/devices/device-writing.ts'
import { EXTENSION_ERRORS, freeNumbersToSkip } from '#lib/devices/extension.ts'
import { chooseExtension } from '#lib/devices/extension-stored.ts'
import { nextId } from '#lib/table/id-counter.ts'
import { element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'device_create',
  summary: 'Creates a device with a random secret.',
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'Bad login' },
  params: {
    user_id: namedId,
    type: storedText,
    extension: storedText,
    caller_id: storedText,
    pin: storedText,
    language: storedText,
    description: storedText,
    fromuser: storedText,
    call_timeout: storedText,
    devicegroup_id: storedText,
  },
  hashOrders: [
    { signs: ['description', 'pin'] },
    /** The documented table of parameters can be read as this order (wire.md device_create). */
    { signs: ['type', 'pin'], sent: ['type'] },
    /** Signed by deployed clients (wire.md device_create). */
    {
      signs: ['user_id', 'description', 'pin', 'type', 'devicegroup_id', 'caller_id'],
      sent: ['user_id'],
    },
  ],
  errors: {
    no_user: 'User was not found',
    foreign: 'Dont_be_so_smart',
    caller_id: 'CallerID must be numeric',
    type: 'Device type invalid',
    ...deviceFields.errors('pin', 'call_timeout'),
    ...EXTENSION_ERRORS,
    no_extension: 'No free extension',
    ...deviceFields.errors('language', 'devicegroup_id'),
    limit: 'Device limit is reached',
  },
  envelope: 'page',
  access: 'write',
})

export const method = defineMethod(contract, create)

export const handler = lambda(method)

type CreateRequest = RequestTo<typeof contract>

/**
 * Reads everything in parallel. If another request changes what was read, the transaction fails and the run
 * starts again.
 */
async function create(request: CreateRequest) {
  const { caller, params, settings, store, refuse } = request
  const [user, choice, room] = await Promise.all([
    findAccount(store, params.user_id),
    chooseExtension(store, settings, params, freeNumbersToSkip(request)),
    findRoom(store, settings.Device_Limit),
  ])
  if (!user) throw refuse('no_user')
  if (!isOwnCustomerOrSelf(caller, user)) throw refuse('foreign')
  request.refuseUnstorable()
  const columns = readColumns(request)
  if ('refused' in choice) throw refuse(choice.refused)
  refuseWrong(request, ['language', 'devicegroup_id'])
  if (room && room.left <= 0) throw refuse('limit')

  const device = newDevice({
    ...columns,
    id: await nextId(store, 'device', choice.mark),
    user_id: user.id,
    owner_id: user.owner_id,
    name: choice.extension,
    username: choice.extension,
    extension: choice.extension,
    primary_device: user.device_count === 0 ? 'yes' : 'no',
  })
  const { device_count } = user
  await store.transact(deviceCreated(device, { device_count, room, isFreed: choice.isFreed }))
  return [
    element('status', 'device_created'),
    element('id', device.id),
    element('username', device.username),
    ...(seesSecrets(caller) ? [element('password', device.secret)] : []),
  ]
}

function readColumns(request: CreateRequest): Partial<Device> {
  const { params, settings, random, refuse } = request
  const type = deviceTypeOf(params.type?.trim() || settings.Default_device_type)
  if (!isCallerIdNumber(params.caller_id ?? '')) throw refuse('caller_id')
  if (!type) throw refuse('type')
  refuseWrong(request, ['pin', 'call_timeout'])
  return {
    ...generatedColumns(type, random),
    callerid: formatCallerId({ name: '', number: params.caller_id ?? '' }),
    ...deviceFields.columns(params, [
      'pin',
      'call_timeout',
      'language',
      'devicegroup_id',
      'description',
      'fromuser',
    ]),
  }
}

function refuseWrong(
  { params, refuse }: CreateRequest,
  fields: ('pin' | 'call_timeout' | 'language' | 'devicegroup_id')[],
) {
  const wrong = deviceFields.wrong(params, fields)
  if (wrong) throw refuse(wrong)
}
