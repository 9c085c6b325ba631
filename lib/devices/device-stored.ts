import * as v from 'valibot'
import type { Owned } from '#lib/base/scope.ts'
import { addressKeys, isIpAddress } from '#lib/base/switch-names.ts'
import {
  blankMeans,
  type Column,
  counter,
  filledRow,
  flag,
  id,
  integer,
  labelled,
  oneOf,
  optionalId,
  type Row,
  requiredText,
  rowReader,
  secret,
  text,
  unseen,
  visible,
  yesOrNo,
} from '#lib/table/columns.ts'
import { defineEntity, picked, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, deviceKey, keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { DEVICE_TYPES, TRANSPORTS } from './device.ts'
import { dialledKey, findHolders, placesOfWords } from './dialled.ts'
import { findNamesakes } from './taken-name.ts'

export const deviceColumns = {
  id,
  user_id: labelled(id, 'Customer'),
  device_type: labelled(oneOf(DEVICE_TYPES, 'SIP'), 'Type'),
  name: visible(requiredText),
  username: labelled(visible(text()), 'Username', 'the name for signing in'),
  secret: secret(text()),
  /** Trunks and fax lines may have none, and no secret. */
  extension: labelled(text(), 'Extension', 'the number by which it is called inside'),
  host: text('dynamic'),
  context: text('mor_local'),
  ipaddr: labelled(text(), 'IP address', 'a network names no customer'),
  port: blankMeans(integer(0), 'that of its type'),
  callerid: labelled(text(), 'Caller id', 'such as "Anna" <37060012345>'),
  devicegroup_id: labelled(integer(0), 'Device group'),
  primary_device: blankMeans(
    labelled(yesOrNo('no'), 'First device', 'stands for the customer'),
    'the first one does',
  ),
  hidden: labelled(flag(false), 'Hidden', 'lists of the API leave it out'),
  authentication: labelled(
    oneOf(['password', 'ip'], 'password'),
    'Authentication',
    'how the switch knows the device: by its secret or by its address',
  ),
  pin: secret(labelled(text(), 'PIN')),
  description: text(),
  comment: text(),
  call_limit: labelled(integer(0), 'Concurrent calls', '0 is no limit'),
  max_timeout: labelled(integer(0), 'Longest call', 'in seconds; 0 is no limit'),
  fromuser: labelled(text(), 'From user', 'the user in the From header of SIP'),
  language: text(),
  transport: oneOf(TRANSPORTS, 'udp'),
  encryption: flag(false),
  audio_codecs: text('alaw,g729'),
  video_codecs: text(),
  portal_password: unseen(secret(text())),
  portal_last_login_ip: unseen(text()),
  /** The location whose rules change what the device dials. Locations are imported after devices. */
  location_id: labelled(optionalId, 'Location', 'its rules change what is dialled'),
}

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
  /** The owner of the device's account, for checks of scope. */
  owner_id: id,
  rule_count: counter,
  did_count: counter,
  location_rule_count: counter,
}

/** Changes of its rules and DIDs also increment its version. */
export type Device = Stored<Row<typeof storedColumns>>

/** The columns of a device that the list of its customer shows. */
const LISTED = [
  'id',
  'device_type',
  'devicegroup_id',
  'primary_device',
  'username',
  'secret',
  'ipaddr',
  'port',
  'hidden',
] as const

export type ListedDevice = Pick<DeviceRow, (typeof LISTED)[number]>

const listedColumns = picked(deviceColumns, LISTED)

const readListed: (item: Item) => ListedDevice = rowReader(listedColumns)

/** The devices that are authenticated by an address. Several may have the same one. */
const deviceAddressKey = keyForm('DEVICEIP#<address>', '<id>')
export const listedDeviceKey = keyForm('USER#<user_id>', 'DEVICE#<id>')

/** The devices of the installation are counted in several parts, each in a partition of its own. */
export const deviceCounterKey = keyForm('COUNT#DEVICES#<shard>', 'COUNT')

/** A count costs two units, so four parts take 2,000 a second. */
export const COUNTER_SHARDS = 4

/** The part that counts devices created under a limit. */
export const LIMITED_SHARD = 0

/** The keys of the addresses by which calls are the device's, without a password. */
export function addressesOf({
  authentication,
  host,
  ipaddr,
}: Pick<DeviceRow, 'authentication' | 'host' | 'ipaddr'>): string[] {
  if (authentication !== 'ip') return []
  return [...new Set([host, ipaddr].flatMap(addressKeys))].filter(isIpAddress)
}

export const devices = defineEntity({
  name: 'device',
  columns: storedColumns,
  key: deviceKey,
  claims: [{ key: dialledKey, of: placesOfWords, holds: ({ name, extension }) => ({ name, extension }) }],
  copies: [
    {
      key: listedDeviceKey,
      holds: (device) => picked(device, LISTED),
    },
    {
      key: deviceAddressKey,
      of: (device) => addressesOf(device).map((address) => ({ address })),
      holds: ({ user_id }) => ({ user_id }),
      /** The normal form of an address; until then, the spelling alone. */
      since: 4,
    },
  ],
  requires: [{ column: 'user_id', names: accountKey, counted: 'device_count', same: ['owner_id'] }],
})

type GivenColumns = 'id' | 'user_id' | 'owner_id' | 'name' | 'extension'

/** A device that is not stored yet. Columns that are not given have the values of blank cells. */
export const newDevice = (given: Pick<Device, GivenColumns> & Partial<Device>): Device => ({
  ...filledRow(deviceColumns, given),
  extra: [],
  version: 1,
  rule_count: 0,
  did_count: 0,
  location_rule_count: 0,
  ...given,
})

export const { find: findDevice, findMany: findDevices } = devices

/** The ids of the devices with these names, in their order. */
export async function findIdsOfDevices(
  store: Store,
  names: readonly string[],
): Promise<(number | undefined)[]> {
  const holders = await findHolders(store, names)
  return holders.map((holder, index) => (holder?.name === names[index] ? holder?.id : undefined))
}

const readAddressed = rowReader({ id, user_id: id })

/** The devices that are authenticated by this address in any spelling, with their accounts. */
export async function listDevicesAt(store: Store, address: string) {
  const found = await Promise.all(addressKeys(address).map((key) => store.list(deviceAddressKey.range(key))))
  return [...new Map(found.flat().map((item) => [item['id'], readAddressed(item)])).values()]
}

/** The location of a device. Version 1.0 stored it as a further column. */
export function locationOf({ location_id, extra }: Device): number | undefined {
  const earlier = new Map(extra).get('location_id') ?? ''
  return location_id ?? (/^\d{1,15}$/.test(earlier) ? Number(earlier) : undefined)
}

/** Whether another device has this word as its name or extension, or another account as its username. */
export async function isTakenWord(
  store: Store,
  word: string,
  { id, user_id }: { readonly id?: number; readonly user_id?: number | undefined },
): Promise<boolean> {
  const [[holder], [namesake]] = await Promise.all([
    findHolders(store, [word]),
    findNamesakes(store, [word], user_id),
  ])
  return (holder !== undefined && holder.id !== id) || namesake !== undefined
}

/** The account of a device, with the columns that scope needs. */
export const accountOf = ({ user_id, owner_id }: Pick<Device, 'user_id' | 'owner_id'>): Owned => ({
  id: user_id,
  owner_id,
})

/** Ascending by id. */
export async function listDevicesOf(store: Store, userId: number): Promise<ListedDevice[]> {
  return (await store.list(listedDeviceKey.range(userId))).map(readListed)
}

/** The first of them after an id, at most `count`. */
export async function firstDevicesOf(
  store: Store,
  userId: number,
  count: number,
  after = -1,
): Promise<ListedDevice[]> {
  const { partition, prefix } = listedDeviceKey.range(userId)
  const between = [listedDeviceKey(userId, after + 1).SK, `${prefix}~`] as const
  return (await store.firstPage({ partition, between, pageSize: count })).map(readListed)
}

/** The devices that may still be created under a limit. */
export interface DeviceRoom {
  readonly left: number
  /** Counter 0, which counts these devices, must stay below this. */
  readonly counterBelow: number
}

/** `limit` is the installation's, whose devices are the sum of a few counters. Undefined without one. */
export async function findRoom(store: Store, limit: number | undefined): Promise<DeviceRoom | undefined> {
  if (limit === undefined) return undefined
  const shards = Array.from({ length: COUNTER_SHARDS }, (_, shard) => deviceCounterKey(shard))
  const counts = (await store.getMany(shards)).map((counter) => Number(counter?.['devices'] ?? 0))
  const left = limit - counts.reduce((sum, count) => sum + count, 0)
  return { left, counterBelow: left + (counts[LIMITED_SHARD] ?? 0) }
}
