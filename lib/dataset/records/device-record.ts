import { randomInt } from 'node:crypto'
import { devicesFormat } from '#lib/dataset/files/devices.ts'
import { checkRows, openRows } from '#lib/dataset/format/row-file.ts'
import {
  deviceTypeOf,
  drawnColumns,
  isDevicePassword,
  MIN_DEVICE_PASSWORD_LENGTH,
} from '#lib/devices/device.ts'
import { type Device, findRoom } from '#lib/devices/device-stored.ts'
import { deleteDevice } from '#lib/devices/device-writing.ts'
import { EXTENSION_ERRORS } from '#lib/devices/extension.ts'
import { chooseExtension } from '#lib/devices/extension-stored.ts'
import { nextId } from '#lib/table/id-counter.ts'
import type { Store } from '#lib/table/store.ts'
import type { Drawn, RecordValues, RecordWorld } from './record-kind.ts'
import { RecordRefused } from './record-refused.ts'

/** A secret goes into the configuration of a switch (wire.md device_update). */
export function secretProblem({ settings }: RecordWorld, { secret = '' }: RecordValues) {
  const shortest = settings.Allow_short_passwords_in_devices ? 1 : MIN_DEVICE_PASSWORD_LENGTH
  if (secret === '') return {}
  if (secret.length < shortest) return { secret: `Use at least ${shortest} characters` }
  return isDevicePassword(secret)
    ? {}
    : { secret: 'Use letters, digits and signs without blanks, quotes, backslashes and semicolons' }
}

/** What device_create makes up: id, extension, name, secret and PIN, within the limit of the installation. */
export async function drawDevice({ store, settings }: RecordWorld, values: RecordValues): Promise<Drawn> {
  const [choice, room] = await Promise.all([
    chooseExtension(store, settings, values['extension'], 0),
    findRoom(store, settings.Device_Limit),
  ])
  if ('refused' in choice)
    throw new RecordRefused([{ name: 'extension', message: refusalWords(choice.refused) }])
  if (room && room.left <= 0)
    throw new RecordRefused([{ name: '', message: 'The limit of devices is reached' }])
  const { extension, isFreed, mark } = choice
  const type = deviceTypeOf(values['device_type'] ?? '') ?? 'SIP'
  const { secret, pin } = drawnColumns(type, { below: randomInt })
  const drawn = { extension, name: extension, secret, pin }
  const blank = Object.entries(drawn).filter(([name]) => !values[name])
  const format = devicesFormat({ room, isFreed })
  return {
    values: Object.fromEntries(blank),
    takeId: () => nextId(store, 'device', mark),
    check: (job) => checkRows(openRows(format, job)),
  }
}

const refusalWords = (refused: keyof typeof EXTENSION_ERRORS | 'no_extension'): string =>
  refused === 'no_extension' ? 'There is no free extension' : EXTENSION_ERRORS[refused]

export async function removeDevice(store: Store, device: Device): Promise<string | undefined> {
  if (device.did_count > 0) return 'It has DIDs: give them to another device first'
  if (device.location_rule_count > 0) return 'Location rules use it: change them first'
  await deleteDevice(store, device)
  return undefined
}
