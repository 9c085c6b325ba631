import { type Actor, hasPermission } from '#lib/base/account-types.ts'
import type { Day } from '#lib/base/calendar.ts'
import { memoize, namesIn } from '#lib/base/collections.ts'
import { isAdmin } from '#lib/base/scope.ts'
import { isWholesaleList, type Shards, shardsIn } from '#lib/base/shards.ts'
import { CALL_OWNER_HINTS } from '#lib/base/switch-names.ts'
import { switchOf } from '#lib/base/text.ts'
import { INVOICE_RULES, INVOICE_SETTINGS } from './invoice-settings.ts'
import { SETTING_KINDS, type SettingRule } from './setting-kinds.ts'

/**
 * The kind of a setting decides how its text is read. A `masked` value is never printed or logged. One
 * `forAdmins` decides who may call the API as whom, or reach this machine: a permission does not include it.
 */
interface Setting {
  readonly kind: keyof typeof SETTING_KINDS
  readonly default: string
  readonly masked?: true
  readonly forAdmins?: true
}

/** Every setting of an installation, by its documented name with underscores. */
export const SETTINGS = {
  Allow_API: { kind: 'switch', default: 'off' },
  Allow_GET_API: { kind: 'switch', default: 'off', forAdmins: true },
  API_Disable_hash_checking: { kind: 'switch', default: 'off', forAdmins: true },
  Explain_Hashes: { kind: 'switch', default: 'off' },
  XML_API_Extension: { kind: 'switch', default: 'on' },
  API_Secret_Key: { kind: 'text', default: '', masked: true, forAdmins: true },
  Devices_Check_Rate: { kind: 'switch', default: 'off' },
  Devices_Check_Balance: { kind: 'switch', default: 'off' },
  Balances_Without_Signature: { kind: 'switch', default: 'off', forAdmins: true },
  Show_Active_Calls_for_Users: { kind: 'switch', default: 'off' },
  API_allow_Payments: { kind: 'switch', default: 'off' },
  API_Payment_Confirmation: { kind: 'switch', default: 'off' },
  Payments_Sign_All: { kind: 'switch', default: 'off', forAdmins: true },
  API_allow_Registration: { kind: 'switch', default: 'off' },
  Default_User_Tariff: { kind: 'whole number', default: '' },
  Default_User_Credit: { kind: 'amount', default: '0' },
  Default_User_Balance: { kind: 'amount', default: '0' },
  Default_User_Postpaid: { kind: 'switch', default: 'off' },
  Default_User_Currency: { kind: 'text', default: '' },
  Default_User_Password_length: { kind: 'whole number', default: '6' },
  Use_strong_passwords: { kind: 'switch', default: 'off' },
  Server_IP: { kind: 'text', default: '' },
  Registration_Notice: { kind: 'text', default: '' },
  Allow_short_passwords_in_devices: { kind: 'switch', default: 'off' },
  Device_Range_MIN: { kind: 'whole number', default: '1001' },
  Device_Range_MAX: { kind: 'whole number', default: '9999' },
  Emergency_Numbers: { kind: 'text', default: '112,911' },
  Device_Limit: { kind: 'whole number', default: '' },
  Default_Currency: { kind: 'text', default: 'USD' },
  Nice_Number_Digits: { kind: 'whole number', default: '4' },
  Timezone: { kind: 'time zone', default: 'UTC' },
  Free_Days: { kind: 'days', default: '' },
  Working_Days: { kind: 'days', default: '' },
  Queue_Log_Enabled: { kind: 'switch', default: 'off' },
  Default_device_type: { kind: 'text', default: 'SIP' },
  International_Prefix: { kind: 'digits', default: '00' },
  National_Prefix: { kind: 'digits', default: '' },
  Country_Code: { kind: 'digits', default: '' },
  Shortest_Rated_Number: { kind: 'whole number', default: '5' },
  Rated_Number: { kind: 'text', default: 'dialled' },
  National_Length: { kind: 'text', default: '' },
  Apply_Number_Rules: { kind: 'switch', default: 'off' },
  Feature_Codes: { kind: 'text', default: '' },
  Rate_Incoming_Calls: { kind: 'switch', default: 'off' },
  Call_Owner_Order: { kind: 'order of hints', default: CALL_OWNER_HINTS.join(',') },
  Tariff_Versions_Days: { kind: 'whole number', default: '400' },
  Intake_Join_Hours: { kind: 'whole number', default: '24' },
  Max_Call_Hours: { kind: 'whole number', default: '24' },
  Suspense_Days: { kind: 'whole number', default: '0' },
  Trusted_Login_Addresses: { kind: 'addresses', default: '', forAdmins: true },
  Balance_From: { kind: 'day', default: '' },
  Charges_From: { kind: 'day', default: '' },
  Invoices_From: { kind: 'day', default: '' },
  Calls_Keep_Days: { kind: 'whole number', default: '' },
  Wholesale_Customers: { kind: 'text', default: '' },
  Call_Control: { kind: 'switch', default: 'off' },
  Reserve_Seconds: { kind: 'whole number', default: '1800' },
  Hangup_Margin_Seconds: { kind: 'whole number', default: '2' },
  Ring_Seconds: { kind: 'whole number', default: '300' },
  Hold_Grace_Seconds: { kind: 'whole number', default: '900' },
  Clock_Tolerance: { kind: 'whole number', default: '120' },
  Fraud_Hour_Amount: { kind: 'amount', default: '' },
  New_Country_Rate: { kind: 'amount', default: '' },
  New_Country_Brake: { kind: 'switch', default: 'off' },
  Customer_Page: { kind: 'switch', default: 'on' },
  Webhooks_On_This_Machine: { kind: 'switch', default: 'off', forAdmins: true },
  ...INVOICE_SETTINGS,
} as const satisfies Record<string, Setting>

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
    /** The first day whose counters have all sums; absent until `npx tollgate migrate` adds them. */
    readonly countedFrom: Day | undefined
    /** The items of balances say what each account owes; off until `npx tollgate migrate` adds that. */
    readonly hasLedger: boolean
    readonly shards: Shards
    readonly subscribed: Subscribed
  }

/**
 * The subscribed event types, as letters (lib/alerts/event-types.ts), by the endpoints' owner. They are
 * beside the settings: a change knows without a further read whether to write an event.
 */
export type Subscribed = Readonly<Record<string, string>>

/** The attribute that holds them, and the one that counts their changes. */
export const SUBSCRIBED = 'webhooks'
export const SUBSCRIBED_VERSION = 'webhooks_version'

/** The attribute beside the settings that the archive sets, so that every request reads it with them. */
export const ARCHIVED_BEFORE = 'calls_archived_before'

/** Set beside the settings by the migration to this format. A new table has no earlier days. */
export const COUNTED_FROM = 'calls_counted_from'
export const COUNTED_SINCE = 3

/** Returns the first day whose counters have all further sums. */
const countedFrom = (stored: Readonly<Record<string, unknown>>): Day | undefined =>
  Number(stored['table_format']) >= COUNTED_SINCE ? String(stored[COUNTED_FROM] ?? '') : undefined

/** Tables of earlier formats do not say what an account owes: it is summed up from its documents. */
export const LEDGER_SINCE = 4

export const settingNames = namesIn(SETTINGS)

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

/**
 * Fills in defaults and types the values. A stored value that is no longer valid is the default. A value is
 * checked when it is first used: few methods use a zone, whose check costs a cold start 12 ms.
 */
export function readSettings(stored: Readonly<Record<string, unknown>>): Settings {
  const read = memoize((name: SettingName) => readSetting(name, stored[name]))
  const properties = settingNames.map((name) => [name, { enumerable: true, get: () => read(name) }])
  const chargedFrom = { enumerable: true, get: () => stored[OPENING_DAY] ?? read('Balance_From') }
  return Object.defineProperties(
    {
      archivedBefore: stored[ARCHIVED_BEFORE],
      countedFrom: countedFrom(stored),
      hasLedger: Number(stored['table_format']) >= LEDGER_SINCE,
      shards: shardsIn(stored),
      subscribed: stored[SUBSCRIBED] ?? {},
    },
    { ...Object.fromEntries(properties), Charged_From: chargedFrom },
  ) as Settings
}

/** The day of a change of Balance_From while it is under way. Blank closes the balances. */
export const OPENING_DAY = 'Balance_Opening'

function readSetting(name: SettingName, stored: unknown): boolean | number | string | undefined {
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

/** The minimum length of a secret key (wire.md 6.2). */
export const MIN_KEY_LENGTH = 6

const MAX_NICE_DIGITS = 15

/** A hundred years. */
const MAX_KEEP_DAYS = 36_500

/** Each one multiplies the time in which a code is compared with a dialled text. */
const hasFewWildcards = (code: string): boolean => code.replace(/\\./g, '').split('*').length <= 3

/** Seconds of a call, in whole numbers with an upper limit. */
const secondsUpTo = (least: number, most: number): SettingRule => ({
  isValid: (value) => Number(value) >= least && Number(value) <= most,
  rule: `takes ${least} to ${most} seconds`,
})

const FROM_ZERO: SettingRule = {
  isValid: (value) => !value.startsWith('-'),
  rule: 'takes an amount from 0, or nothing',
}

/** Further rules of single settings, for values that are not blank. */
const OWN_RULES: Partial<Record<SettingName, SettingRule>> = {
  API_Secret_Key: {
    isValid: ({ length }) => length >= MIN_KEY_LENGTH,
    rule: `takes at least ${MIN_KEY_LENGTH} characters`,
  },
  Rated_Number: {
    isValid: (value) => value === 'dialled' || value === 'carrier',
    rule: 'takes dialled or carrier',
  },
  National_Length: {
    isValid: (value) => /^\d{1,2}(,\d{1,2})*$/.test(value),
    rule: 'takes lengths of national numbers, such as 10 or 9,10, or 0 for none',
  },
  Feature_Codes: {
    isValid: (value) => value.split(/[\s,]/).every(hasFewWildcards),
    rule: 'takes codes with blanks between them: ? is a digit, * any text (at most twice in a code), \\* the star',
  },
  Nice_Number_Digits: {
    isValid: (value) => Number(value) <= MAX_NICE_DIGITS,
    rule: `takes 0 to ${MAX_NICE_DIGITS}`,
  },
  Default_User_Credit: {
    isValid: (value) => value === '-1' || !value.startsWith('-'),
    rule: 'takes an amount from 0, or -1 for no limit',
  },
  Default_User_Password_length: {
    isValid: (value) => Number(value) >= 6 && Number(value) <= 30,
    rule: 'takes 6 to 30',
  },
  Calls_Keep_Days: {
    isValid: (value) => Number(value) >= 1 && Number(value) <= MAX_KEEP_DAYS,
    rule: `takes 1 to ${MAX_KEEP_DAYS}, or nothing for all calls`,
  },
  Wholesale_Customers: {
    isValid: isWholesaleList,
    rule: 'takes ids of up to 10 customers with their first days, such as 10:2027-01-31,12:2027-02-14',
  },
  Reserve_Seconds: secondsUpTo(1, 86_400),
  Hangup_Margin_Seconds: secondsUpTo(0, 60),
  Ring_Seconds: secondsUpTo(0, 3600),
  Hold_Grace_Seconds: secondsUpTo(0, 2_592_000),
  Clock_Tolerance: secondsUpTo(0, 900),
  Fraud_Hour_Amount: FROM_ZERO,
  New_Country_Rate: FROM_ZERO,
  ...INVOICE_RULES,
}

/** Why a setting cannot get this value; `undefined` if it can. Stored offsets are still read as zones. */
export const settingError = (name: SettingName, value: string): string | undefined =>
  valueError(name, value) ??
  (SETTINGS[name].kind === 'time zone' && /^[+-]/.test(value)
    ? `${name} ${SETTING_KINDS['time zone'].rule}`
    : undefined)

function valueError(name: SettingName, value: string): string | undefined {
  const { isValid, rule } = SETTING_KINDS[SETTINGS[name].kind]
  if (!isValid(value)) return `${name} ${rule}`
  const own: (typeof OWN_RULES)[SettingName] = OWN_RULES[name]
  return !own || value === '' || own.isValid(value) ? undefined : `${name} ${own.rule}`
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
  isAdmin(account) || (mayChangeSettings(account) && !('forAdmins' in SETTINGS[name]))

/** The warning that is logged when a process starts. */
export const startupWarning = ({ API_Disable_hash_checking }: Settings): string | undefined =>
  API_Disable_hash_checking
    ? 'API_Disable_hash_checking is on: anyone who knows a username can call on its behalf'
    : undefined

/** The value as it may be printed and logged. A blank key is not a secret. */
export const maskedSetting = (name: SettingName, value: string): string =>
  'masked' in SETTINGS[name] && value !== '' ? '********' : value

/** An attacker can try all shorter keys against the hash of one request. */
const SAFE_KEY_LENGTH = 24
