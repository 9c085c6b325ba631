import { type Account, findAccount, findAccounts } from '#lib/accounts/account.ts'
import { ownsCustomers } from '#lib/base/account-types.ts'
import { memoize, paired } from '#lib/base/collections.ts'
import {
  allProblems,
  brokenRule,
  type ColumnProblem,
  isStoredRow,
  missingReference,
  type ProblemOf,
  rowRefused,
} from '#lib/base/row-refused.ts'
import { addressKeys } from '#lib/base/switch-names.ts'
import type { CheckedFile, FileJob } from '#lib/dataset/format/dataset-file.ts'
import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import {
  type ImportContext,
  isNewRow,
  isOutsideDataset,
  knownRow,
  type NamedRow,
} from '#lib/dataset/format/import-context.ts'
import { referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import { checkRows, openRows } from '#lib/dataset/format/row-file.ts'
import { type RowEntry, type RowFormat, rowsOf } from '#lib/dataset/format/row-format.ts'
import { isDigits, standardPort } from '#lib/devices/device.ts'
import { languageCode } from '#lib/devices/device-fields.ts'
import {
  type DeviceRule,
  deviceRuleReplaced,
  deviceRules,
  MOST_RULES_OF_A_DEVICE,
} from '#lib/devices/device-rule-stored.ts'
import {
  addressesOf,
  type Device,
  type DeviceRow,
  deviceColumns,
  devices,
  findDevice,
  findDevices,
  listDevicesAt,
  newDevice,
} from '#lib/devices/device-stored.ts'
import { type BeforeCreation, deviceCreated, deviceReplaced } from '#lib/devices/device-writing.ts'
import { findHolders } from '#lib/devices/dialled.ts'
import { type Did, dids } from '#lib/devices/did.ts'
import { extensionRange, isExtension } from '#lib/devices/extension.ts'
import { advanceExtensionMark } from '#lib/devices/extension-stored.ts'
import { findNamesakes, newWords } from '#lib/devices/taken-name.ts'
import { shortenedProblem } from '#lib/rates/code.ts'
import { areOfProviders } from '#lib/rates/provider.ts'
import { digitsOf } from '#lib/rates/rating.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { notListed } from '#lib/table/cells/row-parser.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { accountKey } from '#lib/table/keys.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import { createNewDevices } from './new-devices.ts'

/** A device that is created alone takes the place that was found for it. Those of a file are not limited. */
export const devicesFormat = (place?: Pick<BeforeCreation, 'room' | 'isFreed'>): RowFormat<DeviceRow> => ({
  columns: deviceColumns,
  revision: 2,
  furtherProblem: furtherColumnsProblem,
  counted: 'device',
  key: devices.key,
  names: {
    column: 'name',
    find: async (store, names) =>
      (await findHolders(store, names)).map((holder, index) =>
        holder?.name === names[index] ? holder?.id : undefined,
      ),
  },
  /** The name of a device may be its own extension, but not the extension of another device. */
  claims: ({ id, name, extension }) => [
    `id ${id}`,
    ...new Set([name, extension].filter(Boolean).map((held) => `name or extension ${held}`)),
  ],
  check: async (entries, context) => {
    const rows = rowsOf(entries)
    const missing = await referenceProblems(context, rows, devices.requires)
    const ids = rows.map(({ id }) => id)
    const taken = await takenNames(rows, context, isOutsideDataset(ids, context, devices.key))
    const shared = await sharedAddresses(rows, context)
    return ({ row }) => allProblems(deviceProblem(row), missing(row), taken(row), shared(row))
  },
  ...rowByRow<DeviceRow, Device | undefined>({
    lane: ({ user_id }) => user_id,
    find: byId(findDevices),
    columnsIn: (device) => device,
    isStored: ({ row, cells }, device) =>
      isStoredRow(row, device) &&
      isStoredRow(Object.fromEntries(furtherColumns(cells)), Object.fromEntries(device?.extra ?? [])),
    ...(!place && {
      create: (entries, context) =>
        createNewDevices(entries, context, (entry, user) => toDevice(entry, user)),
    }),
    changes: (entry, before, context) => deviceChange(entry, before, context, place),
    obstacle: async (row, context) => {
      const taken = await takenNames([row], context, (id) => id !== row.id)
      return taken(row)
    },
  }),
})

export const devicesFile = devicesFormat()

/** The devices of a customer that are in one batch count at it in few writes. A stop waits for a batch. */
const DEVICES_IN_ONE_BATCH = 5000

/** After the last device, the search for a free extension begins after the extensions of the file. */
export async function checkDevices(job: FileJob): Promise<CheckedFile> {
  const checked = await checkRows(openRows(devicesFile, job, DEVICES_IN_ONE_BATCH))
  return {
    ...checked,
    write: async (context) => {
      const report = await checked.write(context)
      const { store } = context
      if (report.written > 0) await advanceExtensionMark(store, extensionRange(await settingsOf(store)))
      return report
    },
  }
}

const MAX_NAME_LENGTH = 255

function deviceProblem(row: DeviceRow): ColumnProblem | undefined {
  const shortened = shortenedProblem(row, ['name', 'username', 'callerid'])
  if (shortened) return shortened
  if (row.name.length > MAX_NAME_LENGTH)
    return brokenRule('name', `is longer than ${MAX_NAME_LENGTH} characters`)
  if (row.extension !== '' && !isExtension(row.extension))
    return brokenRule('extension', 'takes digits, *, # and +')
  if (row.pin !== '' && !isDigits(row.pin)) return brokenRule('pin', 'takes digits')
  if (languageCode(row.language) === undefined)
    return brokenRule('language', 'takes a language or its ISO 639-1 code')
  return undefined
}

async function takenNames(
  rows: readonly DeviceRow[],
  context: ImportContext,
  isAnother: (id: number) => boolean,
): Promise<ProblemOf<DeviceRow>> {
  const { store } = context
  const names = [...new Set(rows.flatMap(({ name, extension }) => [name, extension]))]
  const [held, named] = await Promise.all([findHolders(store, names), findNamesakes(store, names)])
  const [holders, accounts] = [paired(names, held), paired(names, named)]
  /** A device that has the word already, and an account of the dataset, may keep it. */
  const namesakeOf = ({ id, user_id }: DeviceRow, word: string): number | undefined => {
    const account = accounts.get(word)
    if (account === undefined || account === user_id || holders.get(word)?.id === id) return undefined
    return isNewRow(context, accountKey, account) ? undefined : account
  }
  return (row) => {
    const { name, extension } = row
    const [namesake, holder] = [holders.get(name), holders.get(extension)]
    if (namesake && isAnother(namesake.id)) return takenBy('name', namesake.id, 'device')
    if (holder && isAnother(holder.id)) return takenBy('extension', holder.id, 'device')
    for (const column of ['name', 'extension'] as const) {
      const account = namesakeOf(row, row[column])
      if (account !== undefined) return takenBy(column, account, 'account')
    }
    return undefined
  }
}

const takenBy = (field: string, id: number, noun: 'device' | 'account'): ColumnProblem => ({
  code: 'taken',
  field,
  values: { noun, id, as: noun === 'device' ? 'the name or extension' : 'the username' },
})

/**
 * The problems of addresses that are new to a device and have another owner, or are a carrier's: calls would
 * have no customer, or the wrong one.
 * Shares of a dataset stay, and the operator may make one with a record.
 */
async function sharedAddresses(
  rows: readonly DeviceRow[],
  context: ImportContext,
): Promise<ProblemOf<DeviceRow>> {
  const { store, mayShareAddresses } = context
  const byAddress = rows.filter((row) => addressesOf(row).length > 0)
  if (mayShareAddresses || byAddress.length === 0) return () => undefined
  const before = paired(
    byAddress,
    await findDevices(
      store,
      byAddress.map(({ id }) => id),
    ),
  )
  const added = byAddress.flatMap((row) => {
    const known = before.get(row)
    const had = known && known.user_id === row.user_id ? addressesOf(known) : []
    return addressesOf(row).flatMap((address) => (had.includes(address) ? [] : [{ row, address }]))
  })
  const addresses = [...new Set(added.map(({ address }) => address))]
  const found = new Map(
    await findForEach(addresses, async (one) => [one, await listDevicesAt(store, one)] as const),
  )
  /** A carrier may be a customer of the operator, as a dataset has it: its calls belong to no reseller. */
  const carriers = paired(
    addresses,
    mayShareAddresses === undefined ? [] : await areOfProviders(store, addresses),
  )
  const users = [...new Set([...found.values()].flat().map(({ user_id }) => user_id))]
  const accounts = paired(users, await findAccounts(store, users))
  const problems = new Map<DeviceRow, ColumnProblem>()
  for (const { row, address } of added) {
    const account = knownRow(context, accountKey, row.user_id)
    const tenant = account && tenantOf({ id: row.user_id, ...account })
    const other = found.get(address)?.find(({ id, user_id }) => {
      const holder = accounts.get(user_id)
      return id !== row.id && !isNewRow(context, devices.key, id) && holder && tenantOf(holder) !== tenant
    })
    if (problems.has(row)) continue
    if (carriers.get(address)) problems.set(row, addressOfAnother(row, address, 'provider'))
    else if (other) problems.set(row, addressOfAnother(row, address, 'device of another owner'))
  }
  return (row) => problems.get(row)
}

const addressOfAnother = ({ host }: DeviceRow, address: string, holder: string): ColumnProblem => ({
  code: 'rule',
  field: addressKeys(host).includes(address) ? 'host' : 'ipaddr',
  values: { says: `the address ${address} is that of a ${holder}`, colon: true },
})

/** The account whose customers, and which itself, have the devices. */
const tenantOf = ({ id, usertype, owner_id }: NamedRow & { readonly id: number }): number | undefined =>
  usertype && usertype !== 'admin' && ownsCustomers({ usertype }) ? id : owner_id

async function deviceChange(
  entry: RowEntry<DeviceRow>,
  before: Device | undefined,
  context: ImportContext,
  place: Pick<BeforeCreation, 'room' | 'isFreed'> = { room: undefined, isFreed: false },
) {
  const { store } = context
  if (before?.digest === entry.digest) return undefined
  const user = await findAccount(store, entry.row.user_id)
  if (!user) throw rowRefused(missingReference('user_id', 'account', entry.row.user_id))
  const device = toDevice(entry, user, before)
  const words = newWords(before, device)
  const namesakes = await findNamesakes(store, words)
  const pairs = words.filter((_, index) => isNewRow(context, accountKey, namesakes[index] ?? ''))
  const { device_count } = user
  const changes = before
    ? deviceReplaced(before, device, { pairs })
    : deviceCreated(device, { device_count, pairs, ...place })
  return { changes }
}

/** The new device: the row, its blank cells' meaning, and derived columns of the replaced device. */
const toDevice = (
  { row, cells, kept, digest }: RowEntry<DeviceRow>,
  user: Account,
  before?: Device,
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

function primaryByDefault({ id, device_count }: Account, before?: Device): 'yes' | 'no' {
  if (before?.user_id === id) return before.primary_device
  return device_count === 0 ? 'yes' : 'no'
}

const MAX_FURTHER_COLUMNS = 100

/** Why columns cannot be added to those of a device: each is an element of device_details_get. */
export function furtherColumnsProblem(names: readonly string[]): string | undefined {
  const active = names.find((name) => ACTIVE_IN_PAGES.has(name.toLowerCase()))
  const known = names.find((name) => COLUMN_BY_HEADING.has(plainColumn(name)))
  return (
    notListed(names.filter((name) => !isXmlName(name))) ??
    (known &&
      `column ${JSON.stringify(known)}, which is ${COLUMN_BY_HEADING.get(plainColumn(known))} here`) ??
    (active && `column ${JSON.stringify(active)}, which is an element that browsers run or load`) ??
    (names.length > MAX_FURTHER_COLUMNS ? `more than ${MAX_FURTHER_COLUMNS} further columns` : undefined)
  )
}

/** `Call-Limit`, `callLimit`. A `password` would be shown as a further column. */
const plainColumn = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[_.-]/g, '')
    .replace(/^(?:sip)?passw(?:or)?d$/, 'secret')

const COLUMN_BY_HEADING = new Map(Object.keys(deviceColumns).map((name) => [plainColumn(name), name]))

const isXmlName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/.test(name)

/** Elements that browsers run or load. The answer may be sent as text/html (wire.md device_details_get). */
const ACTIVE_IN_PAGES = new Set(
  (
    'script style link meta base object embed applet iframe frame frameset portal svg math template form input button ' +
    'textarea select img image audio video noscript noframes noembed xmp plaintext marquee'
  ).split(' '),
)

/** The stored further columns with the values of the file, followed by new ones. */
const furtherColumns = (cells: Cells, stored: Device['extra'] = []): [string, string][] => [
  ...new Map([
    ...stored.map(([name, value]): [string, string] => [name, value]),
    ...Object.entries(cells).filter(
      // Version 1.0 stored `location_id` as a further column, which stays one.
      ([name]) => !Object.hasOwn(deviceColumns, name) || stored.some(([known]) => known === name),
    ),
  ]),
]

export const deviceRulesFile: RowFormat<DeviceRule> = entityRows(deviceRules, {
  counted: 'device_rule',
  problem: ruleProblem,
  check: fullDevices,
  lane: ({ device_id }) => device_id,
  replacing: (rule, before) => deviceRuleReplaced(before, rule),
  obstacle: fullDevice,
})

function ruleProblem({ name, cut, add, minlen, maxlen }: DeviceRule): string | undefined {
  if (name.trim() === '') return 'name must not be blank'
  if (cut === '' && add === '') return 'cut and add must not both be blank'
  return minlen < 0 || minlen > maxlen ? 'minlen and maxlen are not a range' : undefined
}

/** The rules that the rows of an import add to each device. */
const addedRulesIn = memoize((_import: ImportContext['named']) => new Map<number, number>())

/** Refuses the rules for which their devices have no room. */
async function fullDevices(
  entries: readonly RowEntry<DeviceRule>[],
  { store, named }: ImportContext,
): Promise<ProblemOf<RowEntry<DeviceRule>>> {
  const rules = rowsOf(entries)
  const ids = [...new Set(rules.map(({ device_id }) => device_id))]
  const ruleIds = rules.map(({ id }) => id)
  const stored = paired(rules, await deviceRules.findMany(store, ruleIds))
  const devicesById = paired(ids, await findDevices(store, ids))
  const added = addedRulesIn(named)
  return ({ row }) => {
    const { device_id } = row
    if (stored.get(row)?.device_id === device_id) return undefined
    const count = (added.get(device_id) ?? 0) + 1
    if ((devicesById.get(device_id)?.rule_count ?? 0) + count > MOST_RULES_OF_A_DEVICE) return full(device_id)
    added.set(device_id, count)
    return undefined
  }
}

const full = (device: number): string => `device ${device} has ${MOST_RULES_OF_A_DEVICE} rules already`

async function fullDevice({ device_id }: DeviceRule, { store }: ImportContext): Promise<string | undefined> {
  const device = await findDevice(store, device_id)
  return (device?.rule_count ?? 0) >= MOST_RULES_OF_A_DEVICE ? full(device_id) : undefined
}

export const didsFile: RowFormat<Did> = entityRows(dids, {
  names: { column: 'did', plain: (did) => digitsOf(did) || did },
  revision: 4,
  claims: ({ id, did }) => [`id ${id}`, `did ${digitsOf(did) || did}`],
  held: (_, id) => ({ code: 'taken', field: 'did', values: { noun: 'DID', id, as: 'the number' } }),
  lane: ({ device_id, id }) => device_id ?? id,
})
