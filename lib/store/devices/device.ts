import * as v from 'valibot'
import type { Owned } from '#lib/domain/accounts/scope.ts'
import { DEVICE_TYPES, TRANSPORTS } from '#lib/domain/devices/device.ts'
import {
  blankRow,
  type Column,
  flag,
  type Imported,
  id,
  importedReader,
  integer,
  oneOf,
  type Row,
  requiredText,
  rowReader,
  text,
  yesOrNo,
} from '#lib/store/columns.ts'
import { present } from '#lib/store/conditions.ts'
import { defineEntity } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { deviceKeys, extensionKeys, isSameKey, keyIn } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

/** In the order in which device_details_get prints them. */
export const deviceColumns = {
  id,
  user_id: id,
  device_type: oneOf(DEVICE_TYPES, 'SIP'),
  name: requiredText,
  username: text(),
  secret: text(),
  /** A trunk or a fax line may come without one, or without a secret. */
  extension: text(),
  host: text('dynamic'),
  context: text('mor_local'),
  ipaddr: text(),
  port: integer(0),
  callerid: text(),
  devicegroup_id: integer(0),
  primary_device: yesOrNo('no'),
  hidden: flag(false),
  authentication: oneOf(['password', 'ip'], 'password'),
  pin: text(),
  description: text(),
  comment: text(),
  call_limit: integer(0),
  max_timeout: integer(0),
  fromuser: text(),
  language: text(),
  transport: oneOf(TRANSPORTS, 'udp'),
  encryption: flag(false),
  audio_codecs: text('alaw,g729'),
  video_codecs: text(),
  portal_password: text(),
  portal_last_login_ip: text(),
}

/** A device as a dataset brings it. */
export type DeviceRow = Row<typeof deviceColumns>

/** Columns beyond the known ones, by name, in the order of the dataset's header. */
const extraColumns: Column<readonly (readonly [name: string, value: string])[]> = {
  describes: 'further columns',
  schema: v.array(v.tuple([v.string(), v.string()])),
  fromCell: (cell) => cell,
}

const storedColumns = {
  ...deviceColumns,
  extra: extraColumns,
  /** The owner of the device's account: what scope asks for. */
  owner_id: id,
  /** Goes up with every change of the device or its rules; who writes names the version it has read. */
  version: integer(),
  rule_count: integer(),
  did_count: integer(),
  location_rule_count: integer(),
}

export type Device = Imported<Row<typeof storedColumns>>

/** The device's copy in its customer's list. */
export const listedColumns = {
  id,
  device_type: deviceColumns.device_type,
  devicegroup_id: deviceColumns.devicegroup_id,
  primary_device: deviceColumns.primary_device,
  username: deviceColumns.username,
  secret: deviceColumns.secret,
  ipaddr: deviceColumns.ipaddr,
  port: deviceColumns.port,
  hidden: deviceColumns.hidden,
}

export type ListedDevice = Row<typeof listedColumns>

export const readDevice = importedReader(storedColumns)
const readListed = rowReader(listedColumns)

/** What stands under a device's name. */
export const readHolder = rowReader({ device_id: id })

type GivenColumns = 'id' | 'user_id' | 'owner_id' | 'name' | 'extension'

/** A device that is not stored yet; columns that are not given have the value that a blank cell stands for. */
export const newDevice = (given: Pick<Device, GivenColumns> & Partial<Device>): Device => ({
  ...(blankRow(deviceColumns) as Omit<DeviceRow, GivenColumns>),
  extra: [],
  version: 1,
  rule_count: 0,
  did_count: 0,
  location_rule_count: 0,
  ...given,
})

// Access patterns

export const { find: findDevice, findMany: findDevices } = defineEntity({
  key: deviceKeys.item,
  read: readDevice,
})

/** By id; by name when there is none with that id. Names are exact, case included. Both are asked for at once. */
export async function findDeviceByIdOrName(
  store: Store,
  deviceId: number | undefined,
  name: string | undefined,
): Promise<Device | undefined> {
  const [byId, holder] = await Promise.all([
    deviceId === undefined ? undefined : findDevice(store, deviceId),
    name ? store.get(deviceKeys.named(name)) : undefined,
  ])
  return byId ?? (holder && findDevice(store, readHolder(holder).device_id))
}

/** The ids of the devices with these names, in their order. */
export async function findIdsOfDevices(
  store: Store,
  names: readonly string[],
): Promise<(number | undefined)[]> {
  const holders = await store.getMany(names.map(deviceKeys.named))
  return holders.map((holder) => holder && Number(holder['device_id']))
}

/** A device that is let in by its address, and whose it is. */
const readAddressed = rowReader({ device_id: id, user_id: id })

/** Those that are let in by this address. */
export async function listDevicesAt(store: Store, address: string) {
  return (await store.list({ partition: deviceKeys.ofAddress(address) })).map(readAddressed)
}

/** Whether another device has this name, or has it as its extension: both are dialled. */
export async function isDeviceNameTaken(store: Store, { id: deviceId, name }: Pick<Device, 'id' | 'name'>) {
  const holders = await store.getMany([deviceKeys.named(name), extensionKeys.item(name)])
  return holders.some((claim) => claim !== undefined && readHolder(claim).device_id !== deviceId)
}

/** The account behind a device, as far as scope is concerned. */
export const accountOf = ({ user_id, owner_id }: Pick<Device, 'user_id' | 'owner_id'>): Owned => ({
  id: user_id,
  owner_id,
})

/** For the transaction that assigns a DID to a device or takes it away. */
export const didCountedOn = (deviceId: number, by: number): Change => ({
  update: deviceKeys.item(deviceId),
  to: { add: { did_count: by, version: 1 } },
  when: { PK: present },
})

/** For the transaction that points a location rule at a device or takes it away. */
export const locationRuleCountedOn = (deviceId: number, by: number): Change => ({
  update: deviceKeys.item(deviceId),
  to: { add: { location_rule_count: by, version: 1 } },
  when: { PK: present },
})

/** Ascending by id. */
export async function listDevicesOf(store: Store, userId: number): Promise<ListedDevice[]> {
  return (await store.list(deviceKeys.ofUser(userId))).map(readListed)
}

/** What a limit leaves for further devices. */
export interface DeviceRoom {
  readonly left: number
  /** What counter 0, on which limited devices are counted, must stay below. */
  readonly counterBelow: number
}

/** `limit` is for the installation, whose devices are the sum of a handful of counters; without one there is any room. */
export async function findRoom(store: Store, limit: number | undefined): Promise<DeviceRoom | undefined> {
  if (limit === undefined) return undefined
  const first = deviceKeys.counter(0)
  const counters = await store.list({ partition: deviceKeys.counters })
  const elsewhere = counters.filter((counter) => !isSameKey(keyIn(counter), first))
  return { left: limit - sumOf(counters), counterBelow: limit - sumOf(elsewhere) }
}

const sumOf = (counters: readonly Item[]): number =>
  counters.reduce((sum, { devices }) => sum + Number(devices), 0)
