import { rowIn } from '#lib/api/loads.ts'
import { defineMethod } from '#lib/api/method.ts'
import { idParam, textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { isOwnCustomerOrSelf, seesSecrets } from '#lib/base/scope.ts'
import {
  accountOf,
  type Device,
  type DeviceRow,
  deviceColumns,
  devices,
  findDevice,
} from '#lib/devices/device-stored.ts'
import { claimKey, readHolder } from '#lib/devices/dialled.ts'
import { type Element, element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'device_details_get',
    summary: 'Every stored column of one device, and its codecs.',
    callers: {
      allowed: ['admin', 'reseller', 'accountant', 'partner'],
      anonymous: 'Access Denied',
      others: 'You are not authorized to view this page',
    },
    params: { device_id: idParam, device_u: textParam },
    hashOrders: [{ signs: ['device_id', 'device_u'] }],
    errors: { not_found: 'Device was not found' },
    envelope: 'page',
    access: 'read',
    loads: {
      byId: rowIn(devices, 'device_id'),
      /** The device with this name or extension. Names are case-sensitive. */
      holder: {
        key: ({ device_u }) => (device_u ? claimKey(device_u) : undefined),
        read: readHolder,
      },
    },
  },
  async ({ caller, params, store, loaded: { byId, holder }, refuse }) => {
    const isName = holder?.name === params.device_u
    const device = byId ?? (holder && isName ? await findDevice(store, holder.id) : undefined)
    if (!device || !isOwnCustomerOrSelf(caller, accountOf(device))) throw refuse('not_found')

    return [columnElements(device, seesSecrets(caller)), codecsElement(device)]
  },
)

export const handler = lambda(method)

/**
 * The printed columns, in their order; the codecs follow in a block of their own. A column that is added to
 * devices is printed once it is named here (wire.md device_details_get).
 */
const PRINTED = [
  ...['id', 'user_id', 'device_type', 'name', 'username', 'secret', 'extension', 'host', 'context'],
  ...['ipaddr', 'port', 'callerid', 'devicegroup_id', 'primary_device', 'hidden', 'authentication', 'pin'],
  ...['description', 'comment', 'call_limit', 'max_timeout', 'fromuser', 'language', 'transport'],
  'encryption',
] as const satisfies readonly (keyof DeviceRow)[]

const OPEN = PRINTED.filter((column) => !deviceColumns[column].isSecret)

/** A further column may be a secret of a switch. */
const columnElements = (device: Device, withSecrets: boolean): Element[] => [
  ...(withSecrets ? PRINTED : OPEN).map((column) => element(column, printed(device[column]))),
  ...(withSecrets ? device.extra : []).map(([column, value]) => element(column, value)),
]

const printed = (value: string | number | boolean): string | number =>
  typeof value === 'boolean' ? Number(value) : value

const codecsElement = ({ audio_codecs, video_codecs }: Device): Element =>
  element(
    'codecs',
    element('audio_codecs', codecList(audio_codecs)),
    element('video_codecs', codecList(video_codecs)),
  )

const codecList = (stored: string): string =>
  stored
    .split(',')
    .map((codec) => codec.trim())
    .join(', ')
