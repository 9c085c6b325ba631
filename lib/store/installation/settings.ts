import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { secondsOf } from '#lib/domain/calendar.ts'
import {
  balanceDayRefusal,
  maskedSetting,
  OPENING_DAY,
  PAIRED_SETTINGS,
  readSettings,
  SETTINGS,
  type SettingName,
  type Settings,
  settingError,
  settingsContradiction,
  timezoneRefusal,
} from '#lib/domain/settings.ts'
import { firstDayWithCalls, hasCalls } from '#lib/store/calls/call-stats.ts'
import type { Item } from '#lib/store/items.ts'
import { keyForm } from '#lib/store/keys.ts'
import { findCurrencies } from '#lib/store/rates/currency.ts'
import { absent, type Change, is, type Term } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { requireFormat } from '#lib/store/table-format.ts'
import { EARLIEST_DAY, earliestBalanceDay, fencesOfUnusedDays } from './balance-fences.ts'

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

const actionSchema = v.object({ at: v.string(), who: v.string(), action: v.string() })

const entrySchema = v.union([changeSchema, importSchema, accountSchema, actionSchema])

/** A change of a setting in the log. */
export type SettingChange = Readonly<v.InferOutput<typeof changeSchema>>

/** An imported file in the log, which may have changed settings or accounts. */
export type LoggedImport = Readonly<v.InferOutput<typeof importSchema>>

/** An operator's change of an account in the log: `did` is words such as "blocked". */
export type LoggedAccountChange = Readonly<v.InferOutput<typeof accountSchema>>

/** An operator's other action in the log, in words such as "dropped the suspended CDR 17". */
export type LoggedAction = Readonly<v.InferOutput<typeof actionSchema>>

export type LogEntry = SettingChange | LoggedImport | LoggedAccountChange | LoggedAction

// Access patterns

/** The stored texts by name. A setting that was never set is missing. Throws UnreadableTable. */
export async function findSettings(store: Store): Promise<Item> {
  const settings = await store.get(settingsKey)
  requireFormat(settings)
  return settings ?? {}
}

/** The settings with typed values and defaults. */
export const settingsOf = async (store: Store): Promise<Settings> => readSettings(await findSettings(store))

type ValueChange = Pick<SettingChange, 'before' | 'after'>

/** The reason why the data does not allow a valid value of a setting now. */
export async function settingObstacle(
  store: Store,
  name: SettingName,
  change: ValueChange,
): Promise<string | undefined> {
  if (change.before === change.after) return undefined
  if (name === 'Timezone') return timezoneObstacle(store, change)
  if (name === 'Balance_From') return balanceDayObstacle(store, change)
  return name === 'Default_Currency' ? currencyObstacle(store, change) : undefined
}

/** Amounts without a currency are in the default currency, which therefore must exist. */
async function currencyObstacle(store: Store, { after }: ValueChange): Promise<string | undefined> {
  const [currency] = await findCurrencies(store, [after])
  return currency ? undefined : `Default_Currency: there is no currency ${after}`
}

/** Calls are stored and counted by day, and days depend on the zone (wire.md 4.5). */
async function timezoneObstacle(store: Store, { before, after }: ValueChange): Promise<string | undefined> {
  if (!(await hasCalls(store))) return undefined
  return timezoneRefusal(before, after)
}

/** Calls are charged to balances when they are stored, so no call may be on a day whose charging changes (wire.md 7.5). */
async function balanceDayObstacle(store: Store, { before, after }: ValueChange): Promise<string | undefined> {
  const [first = ''] = [before, after].filter((day) => day !== '').sort()
  const day = await firstDayWithCalls(store, first)
  return day === undefined ? undefined : balanceDayRefusal(day)
}

/** The new value of a setting. `digest` is that of the dataset row that sets it. */
export interface NewSetting extends SettingChange {
  readonly name: SettingName
  readonly digest?: string
}

/** All settings are attributes of one item, and so are the digests of the rows that set them. */
const digestName = (name: string): string => `digest_${name}`

export const digestOfSetting = (stored: Item, name: string): unknown => stored[digestName(name)]

/**
 * Changes a setting and logs the change in one transaction. Masked settings are also masked in the log. Throws ConditionFailed
 * when the setting, or its partner, has changed since it was read.
 */
export function replaceSetting(store: Store, stored: Item, { digest, ...change }: NewSetting): Promise<void> {
  const { name, at, before, after } = change
  const together = [name, PAIRED_SETTINGS[name] ?? name]
  const asRead = together.map((one) => [one, asStored(stored, one)] as const)
  const logged = { ...change, before: maskedSetting(name, before), after: maskedSetting(name, after) }
  const isBalanceDay = name === 'Balance_From'
  return store.transact([
    ...(isBalanceDay ? fencesOfUnusedDays(stored, after, secondsOf(new Date(at))) : []),
    {
      update: settingsKey,
      to: {
        set: {
          [name]: after,
          ...(digest !== undefined && { [digestName(name)]: digest }),
          ...(isBalanceDay && { [EARLIEST_DAY]: earliestBalanceDay(stored, after) }),
        },
      },
      when: { ...Object.fromEntries(asRead), ...(isBalanceDay && { [OPENING_DAY]: absent }) },
    },
    inSettingsLog(logged),
  ])
}

/** The stored text of a setting, otherwise its default. */
export function settingIn(stored: Item, name: SettingName): string {
  const own = stored[name]
  return typeof own === 'string' ? own : SETTINGS[name].default
}

/** A change that an operator wants. */
interface WantedChange extends Pick<SettingChange, 'at' | 'who'> {
  readonly name: SettingName
  readonly after: string
  /** The caller updates the items that depend on the setting, so that these are no obstacle. */
  readonly updatesDependents?: true | undefined
}

/** The reason why a setting cannot have a value: `invalid` for a wrong one, `obstacle` for one that the data does not allow. */
interface SettingRefusal {
  readonly invalid?: string | undefined
  readonly obstacle?: string | undefined
}

/** Gives a setting the wanted value and logs the change, unless it has the value already. Throws ConditionFailed as `replaceSetting`. */
export async function changeSetting(store: Store, wanted: WantedChange): Promise<SettingRefusal> {
  const { name, after, updatesDependents, ...log } = wanted
  const invalid = settingError(name, after)
  if (invalid !== undefined) return { invalid }
  const stored = await findSettings(store)
  if (stored[name] === after) return {}
  const contradiction =
    PAIRED_SETTINGS[name] && settingsContradiction(readSettings({ ...stored, [name]: after }))
  if (contradiction !== undefined) return { invalid: contradiction }
  const before = settingIn(stored, name)
  const obstacle = updatesDependents ? undefined : await settingObstacle(store, name, { before, after })
  if (obstacle !== undefined) return { obstacle }
  await replaceSetting(store, stored, { ...log, name, before, after })
  return {}
}

/** The condition that an attribute of the settings is as it was read. */
export const asStored = (stored: Item, name: string): Term =>
  stored[name] === undefined ? absent : is(stored[name])

/** Logs a file that was imported from the bucket: `file` is its key. */
export const logImport = (store: Store, { at, file }: Pick<LoggedImport, 'at' | 'file'>): Promise<void> =>
  store.transact([inSettingsLog({ at, who: 'import', file })])

/** An entry of the log, for the transaction that does what it says. */
export const inSettingsLog = (entry: LogEntry): Change => ({
  put: { ...settingsLogKey(entry.at, randomUUID()), ...entry },
})

/** Oldest first. */
export async function listSettingsLog(store: Store): Promise<LogEntry[]> {
  return (await store.list(settingsLogKey.range())).map((item) => v.parse(entrySchema, item))
}

/** The last entries, the newest first. */
export async function listNewestLogEntries(store: Store, count: number): Promise<LogEntry[]> {
  const page = await store.firstPage({ ...settingsLogKey.range(), newestFirst: true, pageSize: count })
  return page.map((item) => v.parse(entrySchema, item))
}
