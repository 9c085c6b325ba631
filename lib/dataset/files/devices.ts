import type { Cells } from '#lib/dataset/cells/source.ts'
import { acceptedIds, type ImportWorld, isNotBrought } from '#lib/dataset/format/import-world.ts'
import { referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, itself, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { isDigits, standardPort } from '#lib/domain/devices/device.ts'
import { extensionRange, isExtension } from '#lib/domain/devices/extension.ts'
import { languageCode } from '#lib/domain/devices/language.ts'
import { missingReference, RowRefused } from '#lib/domain/row-refused.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findAccount, type StoredAccount } from '#lib/store/accounts/account.ts'
import {
  type Device,
  type DeviceRow,
  deviceColumns,
  devices as entity,
  findDevices,
  newDevice,
} from '#lib/store/devices/device.ts'
import { findHolders, type Holders } from '#lib/store/devices/device-claims.ts'
import { createDevice, updateDevice } from '#lib/store/devices/device-writing.ts'
import { advanceExtensionMark } from '#lib/store/devices/extension.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { isUnder } from '#lib/store/keys.ts'

export const devices: RowFormat<DeviceRow> = {
  columns: deviceColumns,
  revision: 2,
  exported: {
    holds: isUnder(entity.key),
    read: entity.check,
    further: (item) => entity.check(item).extra,
  },
  takesFurtherColumns: true,
  secrets: ['secret', 'portal_password', 'pin'],
  counted: 'device',
  /** A device may be named like its own extension, but not like another device's. */
  claims: ({ id, name, extension }) => [
    `id ${id}`,
    ...new Set([name, extension].filter(Boolean).map((held) => `name or extension ${held}`)),
  ],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const accounts = await referenceProblems(world, rows, entity.requires)
    const taken = await takenNames(rows, world)
    return rows.map((row, position) => {
      const problem = deviceProblem(row) ?? accounts[position] ?? taken[position]
      if (problem === undefined) acceptedIds(world.accepted, entity.key).add(row.id)
      return problem
    })
  },
  ...rowByRow<DeviceRow, Device | undefined>({
    lane: ({ user_id }) => user_id,
    find: byId(findDevices),
    columnsIn: itself,
    write: writeDevice,
    obstacle: async (row, { store }) => {
      const [holders] = await findHolders(store, [row])
      return holders && takenBy(holders, (id) => id !== row.id)
    },
  }),
  finish: async ({ store }) => {
    await advanceExtensionMark(store, extensionRange(readSettings(await findSettings(store))))
  },
}

const LONGEST_NAME = 255

function deviceProblem(row: DeviceRow): string | undefined {
  if (row.name.length > LONGEST_NAME) return `name is longer than ${LONGEST_NAME} characters`
  if (row.extension !== '' && !isExtension(row.extension)) return 'extension takes digits, *, # and +'
  if (row.pin !== '' && !isDigits(row.pin)) return 'pin takes digits'
  if (languageCode(row.language) === undefined) return 'language takes a language or its ISO 639-1 code'
  return undefined
}

async function takenNames(rows: readonly DeviceRow[], { store, accepted }: ImportWorld) {
  const holders = await findHolders(store, rows)
  const isAnother = isNotBrought(rows, acceptedIds(accepted, entity.key))
  return holders.map((held) => takenBy(held, isAnother))
}

function takenBy({ name, extension }: Holders, isAnother: (id: number) => boolean): string | undefined {
  const namesake = name.find(isAnother)
  if (namesake !== undefined) return `name is the name or extension of device ${namesake}`
  const holder = extension.find(isAnother)
  return holder === undefined ? undefined : `extension is the name or extension of device ${holder}`
}

async function writeDevice(entry: RowEntry<DeviceRow>, before: Device | undefined, { store }: ImportWorld) {
  if (before?.digest === entry.digest) return 'unchanged'
  const user = await findAccount(store, entry.row.user_id)
  if (!user) throw new RowRefused(missingReference('user_id', 'account', entry.row.user_id))
  const device = deviceOf(entry, user, before)
  if (before) await updateDevice(store, before, device)
  else await createDevice(store, device, { device_count: user.device_count, room: undefined })
  return 'written'
}

/** The row with what its blank cells stand for, and what the table derived for the device it replaces. */
const deviceOf = (
  { row, cells, kept, digest }: RowEntry<DeviceRow>,
  user: StoredAccount,
  before: Device | undefined,
): Device => ({
  ...(before ?? newDevice({ ...row, owner_id: user.owner_id })),
  ...row,
  username: row.username || row.name,
  port: cells['port'] || kept.includes('port') ? row.port : standardPort(row.device_type),
  primary_device: cells['primary_device'] ? row.primary_device : primaryByDefault(user, before),
  language: languageCode(row.language) ?? '',
  extra: furtherColumns(cells, before?.extra),
  owner_id: user.owner_id,
  digest,
})

function primaryByDefault({ id, device_count }: StoredAccount, before: Device | undefined): 'yes' | 'no' {
  if (before?.user_id === id) return before.primary_device
  return device_count === 0 ? 'yes' : 'no'
}

/** Those of the file in the place of the stored ones, then those that are new. */
const furtherColumns = (cells: Cells, stored: Device['extra'] = []): [string, string][] => [
  ...new Map([
    ...stored.map(([name, value]): [string, string] => [name, value]),
    ...Object.entries(cells).filter(([name]) => !Object.hasOwn(deviceColumns, name)),
  ]),
]
