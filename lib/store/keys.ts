import { createHash } from 'node:crypto'
import type { LimitedScope, Scope } from '#lib/domain/accounts/scope.ts'
import { isPlainNumber } from '#lib/domain/devices/extension.ts'
import type { Item } from './items.ts'

/** Every key of the table is built here. Numbers inside sort keys are padded, so that text order is number order. */
export type Key = {
  readonly PK: string
  readonly SK: string
}

/** The key of an item that was read. */
export const keyIn = ({ PK, SK }: Item): Key => ({ PK: String(PK), SK: String(SK) })

export const isSameKey = (one: Key, other: Key): boolean => one.PK === other.PK && one.SK === other.SK

const ID_DIGITS = 15

export const padded = (id: number): string => String(id).padStart(ID_DIGITS, '0')

const key = (PK: string, SK: string): Key => ({ PK, SK })

/** Where nothing is ever stored. */
export const nowhere = key('NOWHERE', 'NOWHERE')

export const settingsKey = key('SETTINGS', 'SETTINGS')
export const settingsLog = {
  partition: 'SETTINGS',
  prefix: 'LOG#',
  /** `at` is an ISO date-time; the suffix keeps two changes of one millisecond apart. */
  key: (at: string, suffix: string): Key => key('SETTINGS', `LOG#${at}#${suffix}`),
}

export const callerKey = (username: string): Key => key(`CALLER#${username}`, 'CALLER')
export const userKey = (id: number): Key => key(`USER#${id}`, 'USER')
export const accountsOfOwner = (ownerId: number): string => `OWNER#${ownerId}`
export const accountSortKey = (id: number): string => `USER#${padded(id)}`

/** The directory of those who own customers: admin, resellers, partners. */
export const ownersDirectory = 'OWNERS'

export const deviceKey = (id: number): Key => key(`DEVICE#${id}`, 'DEVICE')
export const devicesOfUser = { prefix: 'DEVICE#', partition: (userId: number): string => `USER#${userId}` }
export const deviceListKey = (userId: number, id: number): Key =>
  key(devicesOfUser.partition(userId), devicesOfUser.prefix + padded(id))
export const deviceNameKey = (name: string): Key => key(`DEVICENAME#${name}`, 'DEVICENAME')

export const rulesOfDevice = {
  prefix: 'RULE#',
  partition: (deviceId: number): string => `DEVICE#${deviceId}`,
}
export const deviceRuleKey = (deviceId: number, id: number): Key =>
  key(rulesOfDevice.partition(deviceId), rulesOfDevice.prefix + padded(id))
export const deviceRulePointerKey = (id: number): Key => key(`DEVRULE#${id}`, 'DEVRULE')

export const didKey = (id: number): Key => key(`DID#${id}`, 'DID')

export const tariffKey = (id: number): Key => key(`TARIFF#${id}`, 'TARIFF')
export const tariffDirectory = { partition: 'TARIFFS', sortKey: (id: number): string => padded(id) }

/** The pages of one version of a tariff, of the directory of destinations; each under its first prefix. */
export const ratePages = (tariffId: number, version: number): string => `RATES#${tariffId}#${version}`
export const directoryKey = key('DIRECTORY', 'DIRECTORY')
export const directoryPages = (version: number): string => `DESTINATIONS#${version}`
export const pageKey = (partition: string, firstPrefix: string): Key => key(partition, firstPrefix)

export const lcrKey = (id: number): Key => key(`LCR#${id}`, 'LCR')
export const locationGroupKey = (id: number): Key => key(`LOCGROUP#${id}`, 'LOCGROUP')

export const locationKey = (id: number): Key => key(`LOCATION#${id}`, 'LOCATION')
export const rulesOfLocation = {
  prefix: 'RULE#',
  partition: (locationId: number): string => `LOCATION#${locationId}`,
}
export const locationRuleKey = (locationId: number, id: number): Key =>
  key(rulesOfLocation.partition(locationId), rulesOfLocation.prefix + padded(id))
export const locationRulePointerKey = (id: number): Key => key(`LOCRULE#${id}`, 'LOCRULE')
/** The rules of a location with this type, cut and add, which are digits, `#` and `*`. */
export const ruleLengthsKey = (locationId: number, match: readonly string[]): Key =>
  key(rulesOfLocation.partition(locationId), `LENGTHS#${match.join('|')}`)
/** A location rule that sends its calls to a device. */
export const ruleOnDeviceKey = (deviceId: number, ruleId: number): Key =>
  key(`DEVICE#${deviceId}`, `LOCRULE#${padded(ruleId)}`)

export const currencyKey = (name: string): Key => key(`CURRENCY#${name}`, 'CURRENCY')

/** Taken extensions: numbers in number order, then every other text. A device's numeric name that is not its extension occupies its number as well. */
export const extensions = {
  partition: 'EXTENSIONS',
  key: (extension: string): Key => key('EXTENSIONS', extensionSortKey(extension)),
  nameKey: (number: string): Key => key('EXTENSIONS', `${extensionSortKey(number)}#NAME`),
  from: (number: number): string => numberSortKey(number),
  lastNumber: 'N~',
  numberIn: (sortKey: string): number => Number(sortKey.slice(1, 1 + EXTENSION_DIGITS)),
}

export const freeExtensions = {
  partition: 'EXTFREE',
  key: (number: number): Key => key('EXTFREE', numberSortKey(number)),
  from: (number: number): string => numberSortKey(number),
  numberIn: (sortKey: string): number => Number(sortKey.slice(1)),
}

/** Below this mark every number of the range was handed out or stands in the free list. */
export const extensionMarkKey = key('EXTMARK', 'EXTMARK')

export const deviceCountKey = key('COUNT#DEVICES', 'COUNT')
export const idCounterKey = (of: string): Key => key(`ID#${of}`, 'ID')

/** What is typed as a name may be of any length, or a password in the wrong field: only its digest is kept. */
export const loginFailuresOf = {
  pair: (username: string, address: string): Key =>
    key(`LOGINFAIL#${createHash('sha256').update(username).digest('hex')}#${address}`, 'LOGINFAIL'),
  address: (address: string): Key => key(`LOGINFAIL#${address}`, 'LOGINFAIL'),
}

/** What is known of a call in progress, and its copy in the list of everyone who may see it: oldest first. */
export const activeCallKey = (id: number): Key => key(`ACTIVECALL#${id}`, 'ACTIVECALL')
export const activeCalls = {
  of: (scope: Scope): string => scopedList('ACTIVE', scope, 'ACTIVE'),
  key: (list: string, start: number, id: number): Key => key(list, `${padded(start)}#${padded(id)}`),
  since: (start: number): readonly [from: string, to: string] => [padded(start), '~'],
}

/**
 * Lists of any length, by day of UTC. A day that has records has a counter, so that a period asks for no other day. Days
 * of UTC, because those of the installation would move with its time zone; a local day lies in two of them.
 */
export const dayLists = {
  /** `YYYY-MM-DD` of a moment in Unix seconds. */
  day: (moment: number): string => new Date(moment * 1000).toISOString().slice(0, 10),
  partition: (list: string, day: string): string => `${list}#${day}`,
  sortKey: (moment: number, id: string): string => `${secondsKey(moment)}#${id}`,
  /** Both ends, in Unix seconds, belong to the stretch. */
  between: (from: number, till: number): readonly [string, string] => [
    secondsKey(from),
    secondsKey(till + 1),
  ],
  counters: (list: string): string => `${list}#DAYS`,
  counter: (list: string, day: string): Key => key(`${list}#DAYS`, day),
}

export const localCalls = {
  key: (uniqueid: string): Key => key(`LOCALCALL#${uniqueid}`, 'LOCALCALL'),
  of: (scope: LimitedScope): string => scopedList('LOCALCALLS', scope),
}

export const queueLog = {
  key: (id: number): Key => key(`QUEUELOG#${id}`, 'QUEUELOG'),
  list: 'QUEUELOG',
  /** An entry's place among those of the same second. */
  place: (id: number): string => padded(id),
}

export const providerKey = (id: number): Key => key(`PROVIDER#${id}`, 'PROVIDER')

/** What makes a call the same call: two switches may use the same unique ids, and one may write several records of an id. */
export interface CallIdentity {
  readonly uniqueid: string
  /** The name of the switch, which has no `#`. */
  readonly source?: string | undefined
  readonly source_part?: string | undefined
}

/** Calls under their unique id; they are listed by day and time, for their customer in GSI1 and for the owner in GSI2. */
export const calls = {
  /** Where the calls of a unique id are, whichever switch they came from. */
  partition: (uniqueid: string): string => `CALL#${uniqueid}`,
  key: ({ uniqueid, source, source_part = '' }: CallIdentity): Key =>
    key(calls.partition(uniqueid), source === undefined ? 'CALL' : `CALL#${source}#${source_part}`),
  ofUser: (userId: number, day: string): string => `CALLS#USER#${userId}#${day}`,
  ofOwner: (ownerId: number, day: string, shard: number): string => `CALLS#OWNER#${ownerId}#${day}#${shard}`,
  sortKey: (calldate: number, uniqueid: string): string => `${secondsKey(calldate)}#${uniqueid}`,
  /** Both ends, in Unix seconds, belong to the stretch. */
  between: (from: number, till: number): readonly [string, string] => [
    secondsKey(from),
    secondsKey(till + 1),
  ],
}

/** Counters of the calls of a day, per customer, per owner and for everyone; those of busy scopes are split. */
export const callStats = {
  of: (scope: Scope): string => scopedList('STATS', scope),
  key: (partition: string, day: string, shard: number): Key => key(partition, `DAY#${day}#${shard}`),
  /** Both days belong to the stretch. */
  between: (from: string, till: string): readonly [string, string] => [`DAY#${from}`, `DAY#${till}#~`],
  dayIn: (sortKey: string): string => sortKey.slice('DAY#'.length, 'DAY#YYYY-MM-DD'.length),
}

function scopedList(list: string, scope: Scope, ofEveryone = `${list}#EVERYONE`): string {
  if (scope === 'everyone') return ofEveryone
  return 'user' in scope ? `${list}#USER#${scope.user}` : `${list}#OWNER#${scope.owner}`
}

const secondsKey = (moment: number): string => String(moment).padStart(12, '0')

/**
 * Documents of an account. `place` is where one stands in its lists: date and id, or number. `$` follows `#`, so that it
 * ends a stretch with everything that begins with the last place of it.
 */
export const documents = {
  ofUser: (userId: number): string => `USER#${userId}`,
  ofOwner: (ownerId: number, kind: string): string => `OWNER#${ownerId}#${kind}`,
  sortKey: (kind: string, place: string): string => `${kind}#${place}`,
  stretch: (kind: string, from = '', till?: string): [from: string, till: string] => [
    `${kind}#${from}`,
    till === undefined ? `${kind}$` : `${kind}#${till}$`,
  ],
  pointer: (kind: string, id: number): Key => key(`${kind}#${id}`, kind),
}

/** The products of an invoice that do not fit into its item; a version is a way of cutting them into pages. */
export const invoiceProducts = {
  partition: (invoiceId: number): string => `INVOICE#${invoiceId}`,
  prefix: (version: string): string => `PRODUCTS#${version}#`,
}
export const invoiceProductsKey = (invoiceId: number, version: string, page: number): Key =>
  key(invoiceProducts.partition(invoiceId), invoiceProducts.prefix(version) + padded(page))

export const serviceKey = (id: number): Key => key(`SERVICE#${id}`, 'SERVICE')
export const servicesOfOwner = (ownerId: number): string => `SERVICES#${ownerId}`

/** Remembers what an import resolves relative dates against, per dataset. */
export const datasetKey = (name: string): Key => key(`DATASET#${name}`, 'DATASET')

const EXTENSION_DIGITS = 15

const numberSortKey = (number: number): string => `N${String(number).padStart(EXTENSION_DIGITS, '0')}`

const extensionSortKey = (extension: string): string =>
  isPlainNumber(extension) ? numberSortKey(Number(extension)) : `T${extension}`
