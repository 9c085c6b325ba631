import { id, rowReader } from '#lib/store/columns.ts'
import { listedColumns, readDevice, readHolder } from '#lib/store/devices/device.ts'
import { claimsOf } from '#lib/store/devices/device-claims.ts'
import { deviceRuleColumns } from '#lib/store/devices/device-rule.ts'
import { listItem } from '#lib/store/devices/device-writing.ts'
import { didColumns, numberKeysOf } from '#lib/store/devices/did.ts'
import {
  accountKeys,
  deviceKeys,
  deviceRuleKeys,
  didKeys,
  extensionKeys,
  freeExtensionKeys,
  keyIn,
  locationRuleKeys,
} from '#lib/store/keys.ts'
import { locationRulesOf } from './location-rules.ts'
import { absent, agrees, present, presentIfNamed, type Rule, type Statement } from './statement.ts'

const DEVICES = 'devices of the installation'
const devicesOf = (userId: number): string => `devices of account ${userId}`
const rulesOf = (deviceId: number): string => `rules of device ${deviceId}`
const didsOf = (deviceId: number): string => `DIDs of device ${deviceId}`

/** A device: its account has it in its list, and every name and number that it goes by is its own. */
export const deviceRule: Rule = (item) => {
  const device = readDevice(item)
  const subject = `Device ${device.id}`
  const { PK, SK, ...copy } = listItem(device)
  return [
    agrees(
      accountKeys.item(device.user_id),
      { owner_id: device.owner_id },
      `${subject} belongs to account ${device.user_id} of owner ${device.owner_id}, which is not so.`,
    ),
    agrees({ PK, SK }, copy, `${subject} is not in the list of account ${device.user_id}, or differently.`),
    ...claimsOf(device).flatMap(({ key, number }): Statement[] => [
      agrees(
        key,
        { device_id: device.id },
        `${subject} does not hold ${key.PK} ${key.SK}, which is its own.`,
      ),
      ...(number === undefined
        ? []
        : [
            absent(
              freeExtensionKeys.item(number),
              `${number} is in the free list, but device ${device.id} has it.`,
            ),
          ]),
    ]),
    { of: DEVICES, adds: 1 },
    { of: devicesOf(device.user_id), adds: 1 },
    { of: rulesOf(device.id), says: device.rule_count },
    { of: didsOf(device.id), says: device.did_count },
    { of: locationRulesOf(device.id), says: device.location_rule_count },
    { ids: 'device', used: device.id },
  ]
}

const readListed = rowReader(listedColumns)

export const listedDeviceRule: Rule = (item) => {
  const userId = Number(keyIn(item).PK.slice('USER#'.length))
  const device = readListed(item)
  return [
    agrees(
      deviceKeys.item(device.id),
      { user_id: userId },
      `The list of account ${userId} has device ${device.id}, which is not its own.`,
    ),
  ]
}

/** A name or number that a device has: the device is there, and goes by it. */
export const claimRule: Rule = (item) => {
  const key = keyIn(item)
  const { device_id } = readHolder(item)
  return [
    {
      at: deviceKeys.item(device_id),
      finds: (device) =>
        device !== undefined &&
        claimsOf(readDevice(device)).some((claim) => claim.key.PK === key.PK && claim.key.SK === key.SK),
      otherwise: `${key.PK} ${key.SK} is held for device ${device_id}, which does not go by it.`,
    },
  ]
}

export const freeExtensionRule: Rule = (item) => {
  const number = freeExtensionKeys.numberIn(keyIn(item).SK)
  const keys = [extensionKeys.item(String(number)), extensionKeys.asName(String(number))]
  return keys.map((key) => absent(key, `${number} is in the free list, but a device has it.`))
}

export const deviceCountRule: Rule = ({ devices }) => [{ of: DEVICES, says: Number(devices) }]

const readRule = rowReader(deviceRuleColumns)

export const ruleOfDeviceRule: Rule = (item) => {
  const rule = readRule(item)
  const subject = `Rule ${rule.id} of device ${rule.device_id}`
  return [
    present(deviceKeys.item(rule.device_id), `${subject} is there, and the device is not.`),
    agrees(
      deviceRuleKeys.pointer(rule.id),
      { device_id: rule.device_id },
      `${subject} cannot be found by its id.`,
    ),
    { of: rulesOf(rule.device_id), adds: 1 },
    { ids: 'device_rule', used: rule.id },
  ]
}

const readPointer = rowReader({ device_id: id })

/** A pointer that a deletion left behind names nothing. */
export const deviceRulePointerRule: Rule = (item) => {
  const ruleId = Number(keyIn(item).PK.slice('DEVRULE#'.length))
  const { device_id } = readPointer(item)
  return [
    present(
      deviceRuleKeys.item(device_id, ruleId),
      `The id of rule ${ruleId} leads to device ${device_id}, which has no such rule; it only takes room.`,
    ),
  ]
}

const readLocationRuleOnDevice = rowReader({ location_id: id })

export const locationRuleOnDeviceRule: Rule = (item) => {
  const { PK, SK } = keyIn(item)
  const [deviceId, ruleId] = [PK.slice('DEVICE#'.length), SK.slice('LOCRULE#'.length)].map(Number)
  const { location_id } = readLocationRuleOnDevice(item)
  return [
    agrees(
      locationRuleKeys.item(location_id, Number(ruleId)),
      { device_id: deviceId },
      `Device ${deviceId} is said to be used by location rule ${ruleId}, which is not so.`,
    ),
  ]
}

const readDid = rowReader(didColumns)

export const didRule: Rule = (item) => {
  const did = readDid(item)
  const subject = `DID ${did.id}`
  return [
    present(accountKeys.item(did.owner_id), `${subject} has the owner ${did.owner_id}, who is not there.`),
    ...presentIfNamed(
      did.user_id,
      accountKeys.item,
      `${subject} is account ${did.user_id}'s, which is not there.`,
    ),
    ...presentIfNamed(
      did.device_id,
      deviceKeys.item,
      `${subject} rings device ${did.device_id}, which is not there.`,
    ),
    ...(did.device_id === undefined ? [] : [{ of: didsOf(did.device_id), adds: 1 }]),
    ...numberKeysOf(did).map((key) =>
      agrees(key, { did_id: did.id }, `The number of ${subject} does not lead to it; import it again.`),
    ),
  ]
}

const readNumber = rowReader({ did_id: id })

export const didNumberRule: Rule = (item) => {
  const { PK } = keyIn(item)
  const { did_id } = readNumber(item)
  return [
    {
      at: didKeys.item(did_id),
      finds: (did) => did !== undefined && numberKeysOf(readDid(did)).some((key) => key.PK === PK),
      otherwise: `${PK} leads to DID ${did_id}, which does not have that number.`,
    },
  ]
}
