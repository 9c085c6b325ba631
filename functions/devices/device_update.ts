import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { namedId, signedOnly, storedText, textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { isOwnCustomerOrSelf } from '#lib/base/scope.ts'
import { MAX_TEXT_LENGTH } from '#lib/base/text.ts'
import {
  formatCallerId,
  isCallerIdName,
  isCallerIdNumber,
  isDeviceName,
  isDevicePassword,
  MIN_DEVICE_PASSWORD_LENGTH,
  parseCallerId,
} from '#lib/devices/device.ts'
import { deviceFields } from '#lib/devices/device-fields.ts'
import { accountOf, type Device, findDevice, isTakenWord } from '#lib/devices/device-stored.ts'
import { deviceReplaced } from '#lib/devices/device-writing.ts'
import { EXTENSION_ERRORS } from '#lib/devices/extension.ts'
import { extensionRefusal } from '#lib/devices/extension-stored.ts'
import { element } from '#lib/xml/element.ts'

/** In the order of the refusals. */
const CHECKED_FIELDS = [
  'language',
  'pin',
  'call_timeout',
  'call_limit',
  'transport',
  'encryption',
  'hidden',
] as const

const contract = defineContract({
  name: 'device_update',
  summary: 'Changes the sent fields of a device.',
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'Access Denied' },
  params: {
    device: namedId,
    device_name: textParam,
    username: textParam,
    password: textParam,
    call_limit: storedText,
    call_timeout: storedText,
    extension: storedText,
    fromuser: storedText,
    language: storedText,
    pin: storedText,
    encryption: storedText,
    transport: storedText,
    hidden: storedText,
    comment: storedText,
    callerid_name: storedText,
    callerid_number: storedText,
    authentication: signedOnly,
    host: signedOnly,
    port: signedOnly,
  },
  hashOrders: [{ signs: ['device', 'authentication', 'username', 'host', 'port'] }],
  errors: {
    not_found: 'Device was not found',
    same: 'Username and Password cannot be the same',
    short: 'Password_is_too_short',
    password_symbols: 'Password has invalid symbols',
    name_symbols: 'Device name has invalid symbols',
    name_taken: 'Device name is already used',
    ...EXTENSION_ERRORS,
    ...deviceFields.errors(...CHECKED_FIELDS),
    callerid_name: 'CallerID name is invalid',
    callerid_number: 'callerid_number is invalid',
  },
  envelope: 'status',
  access: 'write',
})

export const method = defineMethod(contract, update)

export const handler = lambda(method)

type UpdateRequest = RequestTo<typeof contract>

async function update(request: UpdateRequest) {
  const { caller, params, store, refuse } = request
  const device = await findDevice(store, params.device)
  if (!device || !isOwnCustomerOrSelf(caller, accountOf(device))) throw refuse('not_found')
  request.refuseUnstorable()
  const wanted = { ...device, ...credentialsOf(device, params) }
  const refusal =
    credentialsRefusal(request, device, wanted) ??
    (await takenRefusal(request, device, wanted)) ??
    fieldRefusal(device, params)
  if (refusal) throw refuse(refusal)

  await store.transact(deviceReplaced(device, { ...wanted, ...otherColumns(device, params) }))
  return element('status', element('success', 'Device successfully updated'))
}

type UpdateParams = UpdateRequest['params']
type Credentials = Pick<Device, 'name' | 'username' | 'secret'>

/** With IP authentication name and secret stay. Otherwise `device_name` overrides `username`. */
function credentialsOf(
  device: Device,
  { device_name, username, password }: UpdateParams,
): Partial<Credentials> {
  if (device.authentication === 'ip') return {}
  const name = device_name ?? username
  return {
    ...(name !== undefined && { name, username: name }),
    ...(password !== undefined && { secret: password }),
  }
}

/**
 * Only changed credentials are checked, since an imported device may have a name or secret that is invalid
 * here. The length of a sent password is always checked, even if it is the stored one.
 */
function credentialsRefusal(request: UpdateRequest, before: Device, wanted: Credentials) {
  const { name, username, secret } = wanted
  const isNew = name !== before.name || secret !== before.secret
  if (isNew && [name, username].includes(secret)) return 'same'
  if (isPasswordTooShort(request, before)) return 'short'
  if (secret !== before.secret && !isDevicePassword(secret)) return 'password_symbols'
  return name === before.name || isDeviceName(name) ? undefined : 'name_symbols'
}

function isPasswordTooShort({ params, settings }: UpdateRequest, { authentication }: Device): boolean {
  if (params.password === undefined || authentication === 'ip') return false
  return params.password.length < (settings.Allow_short_passwords_in_devices ? 1 : MIN_DEVICE_PASSWORD_LENGTH)
}

async function takenRefusal(
  { params, settings, store }: UpdateRequest,
  before: Device,
  { name }: Credentials,
) {
  const extension = params.extension?.trim() ?? before.extension
  const [nameTaken, refusal] = await Promise.all([
    name !== before.name && isTakenWord(store, name, before),
    extension === before.extension ? undefined : extensionRefusal(store, settings, extension, before),
  ])
  return nameTaken ? 'name_taken' : refusal
}

const fieldRefusal = (device: Device, params: UpdateParams) =>
  deviceFields.wrong(params, CHECKED_FIELDS) ??
  (isCallerIdName(params.callerid_name ?? '') && isCallerIdShortEnough(callerIdOf(device, params))
    ? undefined
    : 'callerid_name') ??
  (isCallerIdNumber(params.callerid_number ?? '') ? undefined : 'callerid_number')

/** Each half may be short enough on its own. A device with a longer text could no longer be read. */
const isCallerIdShortEnough = ({ callerid = '' }: Partial<Device>): boolean =>
  callerid.length <= MAX_TEXT_LENGTH

const otherColumns = (device: Device, params: UpdateParams): Partial<Device> => ({
  ...deviceFields.columns(params, [...CHECKED_FIELDS, 'fromuser', 'comment']),
  ...(params.extension !== undefined && { extension: params.extension.trim() }),
  ...callerIdOf(device, params),
})

/** If only one half is sent, the other one is kept. */
function callerIdOf({ callerid }: Device, { callerid_name, callerid_number }: UpdateParams): Partial<Device> {
  if (callerid_name === undefined && callerid_number === undefined) return {}
  const { name, number } = parseCallerId(callerid)
  return { callerid: formatCallerId({ name: callerid_name ?? name, number: callerid_number ?? number }) }
}
