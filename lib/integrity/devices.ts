import { devices, extensionKeys } from '#lib/store/devices/device.ts'
import { freeExtensionKeys, numbersOf } from '#lib/store/devices/device-claims.ts'
import { keyIn } from '#lib/store/keys.ts'
import { absent, type Rule } from './statement.ts'

const DEVICES = 'devices of the installation'

/** A device is counted for the license, and its numbers are not free. */
export const deviceRule: Rule = (item) => {
  const device = devices.read(item)
  return [
    ...numbersOf(device).map((number) =>
      absent(
        freeExtensionKeys.item(number),
        `${number} is in the free list, but device ${device.id} has it.`,
      ),
    ),
    { of: DEVICES, adds: 1 },
  ]
}

/** No device has a number of the free list. */
export const freeExtensionRule: Rule = (item) => {
  const number = freeExtensionKeys.numberIn(keyIn(item).SK)
  const keys = [extensionKeys.item(String(number)), extensionKeys.asName(String(number))]
  return keys.map((key) => absent(key, `${number} is in the free list, but a device has it.`))
}

export const deviceCountRule: Rule = ({ devices: count }) => [{ of: DEVICES, says: Number(count) }]
