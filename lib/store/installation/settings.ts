import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { maskedSetting, PAIRED_SETTINGS, type SettingName, timezoneRefusal } from '#lib/domain/settings.ts'
import { hasCalls } from '#lib/store/calls/call-stats.ts'
import type { Item } from '#lib/store/items.ts'
import { keyForm } from '#lib/store/keys.ts'
import { findCurrencies } from '#lib/store/rates/currency.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import { absent, is } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

export const settingsKey = keyForm('SETTINGS', 'SETTINGS')()
/** `at` is an ISO date-time; the suffix keeps two changes of one millisecond apart. */
export const settingsLogKey = keyForm('SETTINGS', 'LOG#<at>#<suffix>')

// Shape

const changeSchema = v.object({
  /** ISO date-time. */
  at: v.string(),
  who: v.string(),
  name: v.string(),
  before: v.string(),
  after: v.string(),
})

const importSchema = v.object({ at: v.string(), who: v.string(), file: v.string() })

const accountSchema = v.object({ at: v.string(), who: v.string(), account: v.string(), did: v.string() })

const entrySchema = v.union([changeSchema, importSchema, accountSchema])

/** One change of a setting, as the log keeps it. */
export type SettingChange = Readonly<v.InferOutput<typeof changeSchema>>

/** A file that may have changed settings or accounts, as the log keeps it. */
export type LoggedImport = Readonly<v.InferOutput<typeof importSchema>>

/** What an operator did to an account, as the log keeps it: `did` is words such as "blocked". */
export type LoggedAccountChange = Readonly<v.InferOutput<typeof accountSchema>>

// Access patterns

/** The stored texts by name; what was never set is missing. */
export async function findSettings(store: Store): Promise<Item> {
  return (await store.get(settingsKey)) ?? {}
}

interface ValueChange {
  readonly before: string
  readonly after: string
}

/** Why a setting that may have this value cannot be changed to it now, by what the table holds. */
export async function settingObstacle(
  store: Store,
  name: SettingName,
  change: ValueChange,
): Promise<string | undefined> {
  if (change.before === change.after) return undefined
  if (name === 'Timezone') return timezoneObstacle(store, change)
  return name === 'Default_Currency' ? currencyObstacle(store, change) : undefined
}

/** Every amount without a currency of its own would be in one that nobody knows. */
async function currencyObstacle(store: Store, { after }: ValueChange): Promise<string | undefined> {
  const [currency] = await findCurrencies(store, [after])
  return currency ? undefined : `Default_Currency: there is no currency ${after}`
}

/** Days hang on the zone, and calls are stored and counted by day (wire.md 4.5). */
async function timezoneObstacle(store: Store, { before, after }: ValueChange): Promise<string | undefined> {
  if (!(await hasCalls(store))) return undefined
  return timezoneRefusal(before, after)
}

/** What a setting becomes. `digest` is that of the dataset's row that sets it. */
export interface NewSetting extends SettingChange {
  readonly name: SettingName
  readonly digest?: string
}

/** Every setting is an attribute of one item; so is the digest of the row that set it. */
const digestName = (name: string): string => `digest_${name}`

export const digestOfSetting = (stored: Item, name: string): unknown => stored[digestName(name)]

/**
 * Changes a setting and logs the change in one transaction; what is masked is masked in the log. Throws ConditionFailed when
 * the setting, or the one that says something together with it, is no longer what was read.
 */
export function replaceSetting(store: Store, stored: Item, { digest, ...change }: NewSetting): Promise<void> {
  const { name, at, before, after } = change
  const together = [name, PAIRED_SETTINGS[name] ?? name]
  const asRead = together.map((one) => [one, stored[one] === undefined ? absent : is(stored[one])] as const)
  const logged = { ...change, before: maskedSetting(name, before), after: maskedSetting(name, after) }
  return store.transact([
    {
      update: settingsKey,
      to: { set: { [name]: after, ...(digest !== undefined && { [digestName(name)]: digest }) } },
      when: Object.fromEntries(asRead),
    },
    { put: { ...settingsLogKey(at, randomUUID()), ...logged } },
  ])
}

/** For what comes in past the command line: `file` is its key in the bucket. */
export const logImport = (store: Store, { at, file }: Pick<LoggedImport, 'at' | 'file'>): Promise<void> =>
  store.transact([{ put: { ...settingsLogKey(at, randomUUID()), at, who: 'import', file } }])

/** For the transaction that changes the account. */
export const accountChangeLogged = (entry: LoggedAccountChange): Change => ({
  put: { ...settingsLogKey(entry.at, randomUUID()), ...entry },
})

/** The oldest first. */
export async function listSettingsLog(
  store: Store,
): Promise<(SettingChange | LoggedImport | LoggedAccountChange)[]> {
  return (await store.list(settingsLogKey.stretch())).map((item) => v.parse(entrySchema, item))
}
