import { type Actor, hasPermission } from '#lib/base/account-types.ts'
import type { Day } from '#lib/base/calendar.ts'
import { memoize, namesIn } from '#lib/base/collections.ts'
import { isAdmin } from '#lib/base/scope.ts'
import { BY_MONTH_FROM, type Shards, shardsIn } from '#lib/base/shards.ts'
import { switchOf } from '#lib/base/text.ts'
import { SETTINGS, type Setting } from './declared-settings.ts'
import { SETTING_KINDS } from './setting-kinds.ts'

export type SettingName = keyof typeof SETTINGS

type NamesOf<K extends Setting['kind']> = {
  [N in SettingName]: (typeof SETTINGS)[N]['kind'] extends K ? N : never
}[SettingName]

/** Settings with typed values: switches, numbers and text. A blank number is `undefined`. */
export type Settings = Readonly<Record<NamesOf<'switch'>, boolean>> &
  Readonly<Record<NamesOf<'whole number'>, number | undefined>> &
  Readonly<Record<NamesOf<Exclude<Setting['kind'], 'switch' | 'whole number'>>, string>> & {
    /** The first day that counts for balances: Balance_From, or the day of a change under way. */
    readonly Charged_From: Day
    /** Calls of earlier days are archived; absent if none are. Only the archive sets it (wire.md 7.6). */
    readonly archivedBefore: Day | undefined
    /** The setting by which calls are being moved or charged again, also if that was interrupted. */
    readonly changing: 'Timezone' | 'Balance_From' | undefined
    /** The first day whose counters have all sums; absent until a migration adds them. */
    readonly countedFrom: Day | undefined
    /** The items of balances say what each account owes; off until a migration adds that. */
    readonly hasLedger: boolean
    readonly shards: Shards
    /** The first day whose calls are listed by month (lib/base/shards.ts). */
    readonly byMonthFrom: Day
    readonly subscribed: Subscribed
  }

/**
 * The subscribed event types, as letters (lib/alerts/event-types.ts), by the endpoints' owner. They are
 * in the settings' item: a change knows without a further read whether to write an event.
 */
export type Subscribed = Readonly<Record<string, string>>

/** The attribute that holds them, and the one that counts their changes. */
export const SUBSCRIBED = 'webhooks'
export const SUBSCRIBED_VERSION = 'webhooks_version'

/** The attribute of the settings' item that the archive sets, so that every request reads it with them. */
export const ARCHIVED_BEFORE = 'calls_archived_before'

/** Set in the settings' item by the migration to this format. A new table has no earlier days. */
export const COUNTED_FROM = 'calls_counted_from'
export const COUNTED_SINCE = 3

/** Tables of earlier formats do not say what an account owes: it is summed up from its documents. */
export const LEDGER_SINCE = 4

export const settingNames = namesIn(SETTINGS)

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

/**
 * Fills in defaults and types the values. A stored value that is no longer valid is the default. A value is
 * checked when it is first used: few methods use a zone, whose check costs a cold start 12 ms.
 */
export function readSettings(stored: Readonly<Record<string, unknown>>): Settings {
  const format = Number(stored['table_format'])
  const read = memoize((name: SettingName) => readSetting(name, stored[name]))
  const settings = {
    ...DEFAULTS,
    archivedBefore: stored[ARCHIVED_BEFORE],
    byMonthFrom: stored[BY_MONTH_FROM] ?? '~',
    changing: changingIn(stored),
    get Charged_From() {
      return stored[OPENING_DAY] ?? read('Balance_From')
    },
    countedFrom: format >= COUNTED_SINCE ? (stored[COUNTED_FROM] ?? '') : undefined,
    hasLedger: format >= LEDGER_SINCE,
    shards: shardsIn(stored),
    subscribed: stored[SUBSCRIBED] ?? {},
  }
  // Every request reads the settings, of which an installation has set a few: only these need a reader.
  for (const name in stored)
    if (isSettingName(name))
      Object.defineProperty(settings, name, { enumerable: true, get: () => read(name) })
  return settings as unknown as Settings
}

const DEFAULTS = Object.fromEntries(settingNames.map((name) => [name, readSetting(name)]))

/** The day of a change of Balance_From while it is under way. Blank closes the balances. */
export const OPENING_DAY = 'Balance_Opening'

/** The new zone while stored calls are moved to its days. */
export const MOVING_ZONE = 'Timezone_Moving'

function changingIn(stored: Readonly<Record<string, unknown>>): Settings['changing'] {
  if (stored[MOVING_ZONE] !== undefined) return 'Timezone'
  return stored[OPENING_DAY] === undefined ? undefined : 'Balance_From'
}

function readSetting(name: SettingName, stored?: unknown): boolean | number | string | undefined {
  const setting = SETTINGS[name]
  const isValid = typeof stored === 'string' && valueError(name, stored) === undefined
  return typedValue(setting, isValid ? stored : setting.default)
}

/** A blank switch has its default. */
function typedValue(setting: Setting, value: string): boolean | number | string | undefined {
  const { kind } = setting
  if (kind === 'switch') return switchOf(value) ?? switchOf(setting.default)
  if (kind === 'whole number') return value === '' ? undefined : Number(value)
  return value
}

/** Why a setting cannot get this value; `undefined` if it can. Stored offsets are still read as zones. */
export const settingError = (name: SettingName, value: string): string | undefined =>
  valueError(name, value) ??
  (SETTINGS[name].kind === 'time zone' && /^[+-]/.test(value)
    ? `${name} ${SETTING_KINDS['time zone'].rule}`
    : undefined)

function valueError(name: SettingName, value: string): string | undefined {
  const own: Setting = SETTINGS[name]
  const { isValid, rule } = SETTING_KINDS[own.kind]
  if (!isValid(value)) return `${name} ${rule}`
  return !own.isValid || value === '' || own.isValid(value) ? undefined : `${name} ${own.rule}`
}

/** Pairs of settings with a common rule. A change of one is conditional on the other's value. */
export const PAIRED_SETTINGS: Partial<Record<SettingName, SettingName>> = {
  Device_Range_MIN: 'Device_Range_MAX',
  Device_Range_MAX: 'Device_Range_MIN',
}

/** The contradiction between paired settings, as a message; `undefined` if there is none. */
export function settingsContradiction({
  Device_Range_MIN: min,
  Device_Range_MAX: max,
}: Settings): string | undefined {
  if (min === undefined || max === undefined || min <= max) return undefined
  return `Device_Range_MIN, ${min}, is above Device_Range_MAX, ${max}`
}

/** The warning about a value that is accepted but weak. */
export function settingWarning(name: SettingName, value: string): string | undefined {
  if (name !== 'API_Secret_Key' || value === '' || value.length >= SAFE_KEY_LENGTH) return undefined
  return `API_Secret_Key has fewer than ${SAFE_KEY_LENGTH} characters: anyone who sees one signed request can guess it offline`
}

/** An account that changes settings. */
type SettingsActor = Actor & { readonly permissions: string }

/** Admins may, and accounts with the permission `api_settings` (wire.md 6.2). */
export const mayChangeSettings = (account: SettingsActor): boolean =>
  isAdmin(account) || hasPermission(account, 'api_settings')

export const mayChangeSetting = (account: SettingsActor, name: SettingName): boolean =>
  isAdmin(account) || (mayChangeSettings(account) && !SETTINGS[name].forAdmins)

/** The warning that is logged when a process starts. */
export const startupWarning = ({ API_Disable_hash_checking }: Settings): string | undefined =>
  API_Disable_hash_checking
    ? 'API_Disable_hash_checking is on: anyone who knows a username can call on its behalf'
    : undefined

/** The value as it may be printed and logged. A blank key is not a secret. */
export const maskedSetting = (name: SettingName, value: string): string =>
  SETTINGS[name].masked && value !== '' ? '********' : value

/** An attacker can try all shorter keys against the hash of one request. */
const SAFE_KEY_LENGTH = 24
