import type { Caller } from '#lib/accounts/account.ts'
import { addDays, dayOf, secondsOf } from '#lib/base/calendar.ts'
import { switchOf } from '#lib/base/text.ts'
import { LOCAL_SINCE } from '#lib/billing/subscription.ts'
import { defaultCurrencyObstacle } from '#lib/rates/currency.ts'
import { inAuditLog, type SettingChange } from '#lib/settings/audit-log.ts'
import {
  maskedSetting,
  mayChangeSetting,
  OPENING_DAY,
  PAIRED_SETTINGS,
  readSettings,
  type SettingName,
  settingError,
  settingsContradiction,
} from '#lib/settings/settings.ts'
import {
  asStored,
  findSettings,
  settingDigestName,
  settingIn,
  settingsKey,
} from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { isLambda } from '#lib/table/requests/aws-config.ts'
import { absent } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn } from '#lib/table/table-format.ts'
import {
  EARLIEST_DAY,
  earliestBalanceDay,
  fencesOfUnusedDays,
  firstDayWithCalls,
} from './counters/call-stats.ts'
import { hasCalls } from './counters/owners-of-days.ts'

type ValueChange = Pick<SettingChange, 'before' | 'after'>

/** The reason why the data does not allow a valid value of a setting now. */
export async function settingObstacle(
  store: Store,
  name: SettingName,
  change: ValueChange,
): Promise<string | undefined> {
  if (change.before === change.after) return undefined
  if (name === 'Timezone') return timezoneObstacle(store, change)
  if (name === 'Wholesale_Customers') return wholesaleObstacle(store, change)
  if (name === 'Balance_From') return balanceDayObstacle(store, change)
  if (name === 'Charges_From' || name === 'Invoices_From') return monthDayObstacle(store, name, change)
  if (name === 'Webhooks_On_This_Machine') return machineObstacle(change)
  return name === 'Default_Currency' ? defaultCurrencyObstacle(store, change.after) : undefined
}

/** A deployed stage would post to itself. */
const machineObstacle = ({ after }: ValueChange): string | undefined =>
  switchOf(after) && isLambda(process.env)
    ? 'Webhooks_On_This_Machine is for npm start: a deployed stage posts to public addresses only'
    : undefined

/** The days of subscriptions do not depend on the zone, once the table is migrated. */
export const subscriptionObstacle = (stored: Item, before: string): string | undefined =>
  formatIn(stored) < LOCAL_SINCE
    ? `Timezone stays ${before}, since subscriptions of this table would move to other days: run npx tollgate migrate first`
    : undefined

/** Calls are stored and counted by day, and days depend on the zone (wire.md 4.5). */
const timezoneObstacle = async (store: Store, { before, after }: ValueChange): Promise<string | undefined> =>
  (await hasCalls(store))
    ? `Timezone stays ${before}, since calls are counted by its days: to recount them, run npx tollgate settings timezone ${after}`
    : subscriptionObstacle(await findSettings(store), before)

/**
 * Calls stay where they were stored: a customer's day changes its partitions before it has calls, and before
 * a function that remembers the settings could store one.
 */
async function wholesaleObstacle(store: Store, { before, after }: ValueChange): Promise<string | undefined> {
  const [old = [], young = []] = [before, after].map((text) => text.split(','))
  const changed = [...old, ...young].filter(
    (one) => one !== '' && !(old.includes(one) && young.includes(one)),
  )
  const [first] = changed.map((one) => one.replace(/^\d+:/, '')).sort()
  if (first === undefined || !(await hasCalls(store))) return undefined
  const { Timezone } = readSettings(await findSettings(store))
  const earliest = addDays(dayOf(secondsOf(new Date()), Timezone), 2)
  const day = first < earliest ? undefined : await firstDayWithCalls(store, first)
  if (first >= earliest && day === undefined) return undefined
  return `Wholesale_Customers: calls may be stored on ${day ?? first}: take ${earliest} or a later day, and keep what has begun`
}

/** Calls are charged when they are stored: none may be on a day whose charging changes (wire.md 7.5). */
async function balanceDayObstacle(store: Store, { before, after }: ValueChange): Promise<string | undefined> {
  const [first = ''] = [before, after].filter((day) => day !== '').sort()
  const day = await firstDayWithCalls(store, first)
  return (
    day &&
    `Balance_From: there are calls on ${day}, which balances have to count: npx tollgate balance open --day DAY`
  )
}

/** Balances have no fees and no invoices of earlier days than Balance_From. */
async function monthDayObstacle(
  store: Store,
  name: SettingName,
  { after }: ValueChange,
): Promise<string | undefined> {
  const { Balance_From } = readSettings(await findSettings(store))
  if (after === '' || after >= Balance_From) return undefined
  return `${name}: ${after} is before Balance_From, ${Balance_From}: take that day or a later one`
}

/**
 * Changes a setting and logs the change in one transaction. `digest` is that of a dataset row. Masked
 * settings are also masked in the log. Throws ConditionFailed when the setting, or its partner, has changed
 * since it was read.
 */
export function replaceSetting(
  store: Store,
  stored: Item,
  { digest, ...change }: SettingChange & { readonly name: SettingName; readonly digest?: string },
): Promise<void> {
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
          ...(digest !== undefined && { [settingDigestName(name)]: digest }),
          ...(isBalanceDay && { [EARLIEST_DAY]: earliestBalanceDay(stored, after) }),
        },
      },
      when: { ...Object.fromEntries(asRead), ...(isBalanceDay && { [OPENING_DAY]: absent }) },
    },
    inAuditLog(logged),
  ])
}

/** A change that an operator wants. */
interface WantedChange extends Pick<SettingChange, 'at'> {
  readonly name: SettingName
  /** Missing for the first setup of an installation, which has no account yet. */
  readonly by: Caller | undefined
  readonly after: string
  /** The caller updates the items that depend on the setting, so that these do not stop it. */
  readonly updatesDependents?: true | undefined
}

/**
 * Sets a setting and logs it, unless it is set already. Returns why it was not set: `forbidden` to this
 * account, `invalid` for a wrong value, `obstacle` for one that the data does not allow. Throws
 * ConditionFailed as `replaceSetting`.
 */
export async function changeSetting(
  store: Store,
  wanted: WantedChange,
): Promise<{ readonly [why in 'forbidden' | 'invalid' | 'obstacle']?: string | undefined }> {
  const { name, after, updatesDependents, by, at } = wanted
  if (by && !mayChangeSetting(by, name)) return { forbidden: `${name} is set by admins only` }
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
  await replaceSetting(store, stored, { at, who: by?.username ?? 'installation', name, before, after })
  return {}
}
