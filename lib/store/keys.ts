import { createHash } from 'node:crypto'
import type { LimitedScope, Scope } from '#lib/domain/accounts/scope.ts'
import { isPlainNumber } from '#lib/domain/devices/extension.ts'
import type { Item } from './items.ts'

/**
 * Every key of the table is built here, one object for each thing that is stored: `item` is where it stands by its id and
 * `pointer` where the id only says where that is; `of...` are the partitions, or stretches of them, that list it, and
 * `place` is its sort key there. Numbers inside sort keys are padded, so that text order is number order.
 */
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

/** A part of a partition, as a query asks for it. */
interface Stretch {
  readonly partition: string
  readonly prefix: string
}

export const settingKeys = {
  item: key('SETTINGS', 'SETTINGS'),
  log: { partition: 'SETTINGS', prefix: 'LOG#' },
  /** `at` is an ISO date-time; the suffix keeps two changes of one millisecond apart. */
  logEntry: (at: string, suffix: string): Key => key('SETTINGS', `LOG#${at}#${suffix}`),
}

/** Who lost a race takes a number; `stretch` is a stretch of some seconds. */
export const raceKeys = {
  item: (stretch: number): Key => key(`RACES#${stretch}`, 'RACES'),
}

export const callerKeys = {
  item: (username: string): Key => key(`CALLER#${username}`, 'CALLER'),
}

export const accountKeys = {
  item: (id: number): Key => key(`USER#${id}`, 'USER'),
  ofOwner: (ownerId: number): string => `OWNER#${ownerId}`,
  /** The directory of those who own customers: admin, resellers, partners. */
  owners: 'OWNERS',
  place: (id: number): string => `USER#${padded(id)}`,
}

export const deviceKeys = {
  item: (id: number): Key => key(`DEVICE#${id}`, 'DEVICE'),
  named: (name: string): Key => key(`DEVICENAME#${name}`, 'DEVICENAME'),
  ofUser: (userId: number): Stretch => ({ partition: `USER#${userId}`, prefix: 'DEVICE#' }),
  /** The device's copy in the list of its user. */
  listed: (userId: number, id: number): Key => key(`USER#${userId}`, `DEVICE#${padded(id)}`),
  /** Several devices that are known by their address may have the same one. */
  at: (address: string, id: number): Key => key(deviceKeys.ofAddress(address), padded(id)),
  ofAddress: (address: string): string => `DEVICEIP#${address}`,
  counters: 'COUNT#DEVICES',
  counter: (shard: number): Key => key('COUNT#DEVICES', shard === 0 ? 'COUNT' : `COUNT#${shard}`),
}

export const deviceRuleKeys = {
  item: (deviceId: number, id: number): Key => key(`DEVICE#${deviceId}`, `RULE#${padded(id)}`),
  pointer: (id: number): Key => key(`DEVRULE#${id}`, 'DEVRULE'),
  ofDevice: (deviceId: number): Stretch => ({ partition: `DEVICE#${deviceId}`, prefix: 'RULE#' }),
}

export const didKeys = {
  item: (id: number): Key => key(`DID#${id}`, 'DID'),
  /** By its digits. */
  numbered: (digits: string): Key => key(`DIDNUMBER#${digits}`, 'DIDNUMBER'),
}

export const tariffKeys = {
  item: (id: number): Key => key(`TARIFF#${id}`, 'TARIFF'),
  all: 'TARIFFS',
  place: padded,
  /** The pages of one version of its rates; each under its first prefix. */
  pages: (id: number, version: number): string => `RATES#${id}#${version}`,
}

/** The directory of destinations. */
export const directoryKeys = {
  item: key('DIRECTORY', 'DIRECTORY'),
  /** The pages of one version; each under its first prefix. */
  pages: (version: number): string => `DESTINATIONS#${version}`,
}

/** Beside the header of a list of pages: the versions that are kept although others count, and who switched to which. */
export const versionKeys = {
  kept: ({ PK }: Key, version: number): Key => key(PK, `VERSION#${padded(version)}`),
  allKept: ({ PK }: Key): Stretch => ({ partition: PK, prefix: 'VERSION#' }),
  /** `at` is an ISO date-time; the suffix keeps two switches of one millisecond apart. */
  logEntry: ({ PK }: Key, at: string, suffix: string): Key => key(PK, `SWITCH#${at}#${suffix}`),
  log: ({ PK }: Key): Stretch => ({ partition: PK, prefix: 'SWITCH#' }),
}

export const pageKeys = {
  item: (partition: string, firstPrefix: string): Key => key(partition, firstPrefix),
}

export const lcrKeys = {
  item: (id: number): Key => key(`LCR#${id}`, 'LCR'),
}

export const locationGroupKeys = {
  item: (id: number): Key => key(`LOCGROUP#${id}`, 'LOCGROUP'),
}

export const locationKeys = {
  item: (id: number): Key => key(`LOCATION#${id}`, 'LOCATION'),
}

export const locationRuleKeys = {
  item: (locationId: number, id: number): Key => key(`LOCATION#${locationId}`, `RULE#${padded(id)}`),
  pointer: (id: number): Key => key(`LOCRULE#${id}`, 'LOCRULE'),
  ofLocation: (locationId: number): Stretch => ({ partition: `LOCATION#${locationId}`, prefix: 'RULE#' }),
  /** The lengths of a location's rules with this type, cut and add, which are digits, `#` and `*`. */
  lengths: (locationId: number, match: readonly string[]): Key =>
    key(`LOCATION#${locationId}`, `LENGTHS#${match.join('|')}`),
  /** A rule that sends its calls to a device. */
  onDevice: (deviceId: number, id: number): Key => key(`DEVICE#${deviceId}`, `LOCRULE#${padded(id)}`),
}

export const currencyKeys = {
  item: (name: string): Key => key(`CURRENCY#${name}`, 'CURRENCY'),
}

/** Taken extensions: numbers in number order, then every other text. */
export const extensionKeys = {
  item: (extension: string): Key => key('EXTENSIONS', extensionPlace(extension)),
  /** A device's numeric name that is not its extension occupies its number as well. */
  asName: (number: string): Key => key('EXTENSIONS', `${extensionPlace(number)}#NAME`),
  all: 'EXTENSIONS',
  place: numberPlace,
  lastNumber: 'N~',
  numberIn: (sortKey: string): number => Number(sortKey.slice(1, 1 + EXTENSION_DIGITS)),
  /** Below this mark every number of the range was handed out or stands in the free list. */
  mark: key('EXTMARK', 'EXTMARK'),
}

export const freeExtensionKeys = {
  item: (number: number): Key => key('EXTFREE', numberPlace(number)),
  all: 'EXTFREE',
  place: numberPlace,
  numberIn: (sortKey: string): number => Number(sortKey.slice(1)),
}

export const idCounterKeys = {
  item: (of: string): Key => key(`ID#${of}`, 'ID'),
}

/** What is typed as a name may be of any length, or a password in the wrong field: only its digest is kept. */
export const loginFailureKeys = {
  ofPair: (username: string, address: string): Key =>
    key(`LOGINFAIL#${createHash('sha256').update(username).digest('hex')}#${address}`, 'LOGINFAIL'),
  ofAddress: (address: string): Key => key(`LOGINFAIL#${address}`, 'LOGINFAIL'),
}

/** What is known of a call in progress, and its copy in the list of everyone who may see it: oldest first. */
export const activeCallKeys = {
  item: (id: number): Key => key(`ACTIVECALL#${id}`, 'ACTIVECALL'),
  of: (scope: Scope): string => scopedList('ACTIVE', scope, 'ACTIVE'),
  place: (start: number, id: number): string => `${padded(start)}#${padded(id)}`,
  since: (start: number): readonly [from: string, to: string] => [padded(start), '~'],
}

/**
 * Lists of any length, by day of UTC. A day that has records has a counter, so that a period asks for no other day. Days
 * of UTC, because those of the installation would move with its time zone; a local day lies in two of them.
 */
export const dayListKeys = {
  /** `YYYY-MM-DD` of a moment in Unix seconds. */
  day: (moment: number): string => new Date(moment * 1000).toISOString().slice(0, 10),
  of: (list: string, day: string): string => `${list}#${day}`,
  place: momentPlace,
  between: betweenMoments,
  counters: (list: string): string => `${list}#DAYS`,
  counter: (list: string, day: string): Key => key(`${list}#DAYS`, day),
}

export const localCallKeys = {
  item: (uniqueid: string): Key => key(`LOCALCALL#${uniqueid}`, 'LOCALCALL'),
  of: (scope: LimitedScope): string => scopedList('LOCALCALLS', scope),
}

export const queueLogKeys = {
  item: (id: number): Key => key(`QUEUELOG#${id}`, 'QUEUELOG'),
  all: 'QUEUELOG',
  /** An entry's place among those of the same second. */
  place: padded,
}

export const providerKeys = {
  item: (id: number): Key => key(`PROVIDER#${id}`, 'PROVIDER'),
  all: 'PROVIDERS',
  place: padded,
  /** What switches know it by, in lower case. */
  named: (name: string): Key => key(`PROVIDERNAME#${name}`, 'PROVIDERNAME'),
  at: (address: string): Key => key(`PROVIDERIP#${address}`, 'PROVIDERIP'),
  onChannel: (beginning: string): Key => key(`PROVIDERCHANNEL#${beginning}`, 'PROVIDERCHANNEL'),
}

/** What makes a call the same call: two switches may use the same unique ids, and one may write several records of an id. */
export interface CallIdentity {
  readonly uniqueid: string
  /** The name of the switch, which has no `#`. */
  readonly source?: string | undefined
  readonly source_part?: string | undefined
}

/** Calls under their unique id; they are listed by day and time, for their customer in GSI1 and for the owner in GSI2. */
export const callKeys = {
  item: ({ uniqueid, source, source_part = '' }: CallIdentity): Key =>
    key(callKeys.ofId(uniqueid), source === undefined ? 'CALL' : `CALL#${source}#${source_part}`),
  /** Where the calls of a unique id are, whichever switch they came from. */
  ofId: (uniqueid: string): string => `CALL#${uniqueid}`,
  ofUser: (userId: number, day: string): string => `CALLS#USER#${userId}#${day}`,
  ofOwner: (ownerId: number, day: string, shard: number): string => `CALLS#OWNER#${ownerId}#${day}#${shard}`,
  place: momentPlace,
  between: betweenMoments,
}

/** CDRs that could not be stored, listed by when they came first. A large text is in parts beside its entry. */
export const suspenseKeys = {
  item: (id: string): Key => key(`SUSPENSE#${id}`, 'SUSPENSE'),
  part: (id: string, digest: string, part: number): Key =>
    key(`SUSPENSE#${id}`, `TEXT#${digest}#${padded(part)}`),
  all: 'SUSPENSE',
  place: momentPlace,
  between: betweenMoments,
  /** Everything behind a place. */
  after: (place: string): readonly [from: string, to: string] => [`${place} `, '~'],
}

const SHARDS_OF_DIALOGS = 8

/** Pending dialog events, next to each other by dialog; `dialog` is a hexadecimal digest. */
export const dialogEventKeys = {
  partitions: Array.from({ length: SHARDS_OF_DIALOGS }, (_, shard) => `SIPHALVES#${shard}`),
  ofDialog: (dialog: string): Stretch => ({ partition: shardOfDialog(dialog), prefix: `${dialog}#` }),
  item: (dialog: string, event: string): Key => key(shardOfDialog(dialog), `${dialog}#${event}`),
}

const shardOfDialog = (dialog: string): string =>
  `SIPHALVES#${Number.parseInt(dialog.slice(0, 2), 16) % SHARDS_OF_DIALOGS}`

/**
 * The intakes by name. `failures` holds the counters of the wrong secrets that an address sent in a minute of Unix time.
 */
export const intakeKeys = {
  item: (name: string): Key => key(`INTAKE#${name}`, 'INTAKE'),
  all: 'INTAKES',
  place: (name: string): string => name,
  failures: (address: string, minute: number): Key => key(`INTAKEFAIL#${address}`, padded(minute)),
}

/** What priced calls again, oldest first. */
export const reratingKeys = {
  all: 'RERATINGS',
  /** `at` is an ISO date-time; the suffix keeps two runs of one millisecond apart. */
  item: (at: string, suffix: string): Key => key('RERATINGS', `${at}#${suffix}`),
}

/** Counters of the calls of a day, per customer, per owner and for everyone; those of busy scopes are split. */
export const callStatsKeys = {
  item: (partition: string, day: string, shard: number): Key => key(partition, `DAY#${day}#${shard}`),
  of: (scope: Scope): string => scopedList('STATS', scope),
  /** Both days belong to the stretch. */
  between: (from: string, till: string): readonly [string, string] => [`DAY#${from}`, `DAY#${till}#~`],
  dayIn: (sortKey: string): string => sortKey.slice('DAY#'.length, 'DAY#YYYY-MM-DD'.length),
}

/**
 * Documents of an account. `place` is where one stands in its lists: date and id, or number. `$` follows `#`, so that it
 * ends a stretch with everything that begins with the last place of it.
 */
export const documentKeys = {
  item: (userId: number, kind: string, place: string): Key => key(`USER#${userId}`, `${kind}#${place}`),
  pointer: (kind: string, id: number): Key => key(`${kind}#${id}`, kind),
  ofUser: (userId: number): string => `USER#${userId}`,
  ofOwner: (ownerId: number, kind: string): string => `OWNER#${ownerId}#${kind}`,
  between: (kind: string, from = '', till?: string): [from: string, till: string] => [
    `${kind}#${from}`,
    till === undefined ? `${kind}$` : `${kind}#${till}$`,
  ],
}

/** The products of an invoice that do not fit into its item; a version is a way of cutting them into pages. */
export const invoiceProductKeys = {
  item: (invoiceId: number, version: string, page: number): Key =>
    key(`INVOICE#${invoiceId}`, `PRODUCTS#${version}#${padded(page)}`),
  ofInvoice: (invoiceId: number, version: string): Stretch => ({
    partition: `INVOICE#${invoiceId}`,
    prefix: `PRODUCTS#${version}#`,
  }),
}

export const serviceKeys = {
  item: (id: number): Key => key(`SERVICE#${id}`, 'SERVICE'),
  ofOwner: (ownerId: number): string => `SERVICES#${ownerId}`,
  place: padded,
}

/** Remembers what an import resolves relative dates against, per dataset. */
export const datasetKeys = {
  item: (name: string): Key => key(`DATASET#${name}`, 'DATASET'),
}

function scopedList(list: string, scope: Scope, ofEveryone = `${list}#EVERYONE`): string {
  if (scope === 'everyone') return ofEveryone
  return 'user' in scope ? `${list}#USER#${scope.user}` : `${list}#OWNER#${scope.owner}`
}

function momentPlace(moment: number, id: string): string {
  return `${momentText(moment)}#${id}`
}

/** Both ends, in Unix seconds, belong to the stretch. */
function betweenMoments(from: number, till: number): readonly [from: string, till: string] {
  return [momentText(from), momentText(till + 1)]
}

const momentText = (moment: number): string => String(moment).padStart(12, '0')

const EXTENSION_DIGITS = 15

function numberPlace(number: number): string {
  return `N${String(number).padStart(EXTENSION_DIGITS, '0')}`
}

const extensionPlace = (extension: string): string =>
  isPlainNumber(extension) ? numberPlace(Number(extension)) : `T${extension}`
