import { accountIn } from '#lib/api/loads.ts'
import { defineMethod } from '#lib/api/method.ts'
import { idParam, textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { isOwnCustomerOrSelf, seesSecrets } from '#lib/base/scope.ts'
import { type ListedDevice, listDevicesOf } from '#lib/devices/device-stored.ts'
import { type Element, element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'devices_get',
    aliases: ['device_list'],
    summary: "One customer's devices, ascending by id.",
    callers: {
      allowed: ['admin', 'reseller', 'accountant', 'partner'],
      anonymous: 'Bad login',
      others: 'Dont_be_so_smart',
    },
    params: { user_id: idParam, show_hidden_devices: textParam },
    hashOrders: [{ signs: ['user_id'] }],
    errors: {
      no_user_id: 'user_id is empty',
      no_user: 'User not found',
      foreign: 'Dont_be_so_smart',
      no_devices: 'Device not found',
    },
    envelope: 'page',
    access: 'read',
    loads: { user: accountIn('user_id') },
  },
  async ({ caller, params, store, loaded: { user }, refuse }) => {
    if (params.user_id === undefined) throw refuse('no_user_id')
    if (!user) throw refuse('no_user')
    if (!isOwnCustomerOrSelf(caller, user)) throw refuse('foreign')
    const devices = await listDevicesOf(store, user.id)
    if (devices.length === 0) throw refuse('no_devices')

    const shown =
      params.show_hidden_devices?.trim() === '0' ? devices.filter(({ hidden }) => !hidden) : devices
    return element(
      'devices',
      shown.map((device) => deviceElement(device, seesSecrets(caller))),
    )
  },
)

export const handler = lambda(method)

const deviceElement = (device: ListedDevice, withSecret: boolean): Element =>
  element(
    'device',
    element('device_id', device.id),
    element('device_type', device.device_type),
    element('devicegroup_id', device.devicegroup_id),
    element('primary_device', device.primary_device),
    element('username', device.username),
    withSecret ? element('secret', device.secret) : undefined,
    element('ipaddr', device.ipaddr),
    element('port', device.port),
  )
