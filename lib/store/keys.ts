import { createHash } from 'node:crypto'

/** Every key of the table is built here. Numbers inside sort keys are padded, so that text order is number order. */
export type Key = {
  readonly PK: string
  readonly SK: string
}

const ID_DIGITS = 15

export const padded = (id: number): string => String(id).padStart(ID_DIGITS, '0')

const key = (PK: string, SK: string): Key => ({ PK, SK })

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

/** Remembers what an import resolves relative dates against, per dataset. */
export const datasetKey = (name: string): Key => key(`DATASET#${name}`, 'DATASET')

const EXTENSION_DIGITS = 15

/** A number as people dial it: no leading zero, few enough digits to count with. */
export const isPlainNumber = (extension: string): boolean => /^[1-9]\d{0,14}$/.test(extension)

const numberSortKey = (number: number): string => `N${String(number).padStart(EXTENSION_DIGITS, '0')}`

const extensionSortKey = (extension: string): string =>
  isPlainNumber(extension) ? numberSortKey(Number(extension)) : `T${extension}`
