import { addDays, type Day, dayOf, secondsOf } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { switchOf } from '#lib/base/text.ts'
import { LOCAL_SINCE } from '#lib/billing/subscription.ts'
import { defaultCurrencyObstacle } from '#lib/rates/currency.ts'
import type { SettingChange } from '#lib/settings/audit-log.ts'
import { OPENING_DAY, PAIRED_SETTINGS, type SettingName, type Settings } from '#lib/settings/settings.ts'
import { asStored, findSettings, settingDigestName, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { isLambda } from '#lib/table/requests/aws-config.ts'
import { absent, type Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn } from '#lib/table/table-format.ts'
import { daysWithCalls, EARLIEST_DAY, earliestBalanceDay, fencesOfUnusedDays } from './counters/call-stats.ts'
import { hasCalls } from './counters/owners-of-days.ts'

type ValueChange = Pick<SettingChange, 'before' | 'after'>

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly local_webhooks_deployed: Record<never, never>
    readonly subscriptions_undated: { readonly zone: string }
    /** Calls are counted by the days of a zone. */
    readonly zone_with_calls: { readonly before: string; readonly after: string }
    readonly wholesale_with_calls: { readonly day: string; readonly earliest: string }
    readonly calls_on_balance_day: { readonly day: string }
    readonly before_balances: { readonly setting: string; readonly day: string; readonly from: string }
  }
}

/** The objection of the data to a valid value of a setting now. `later` are all settings after the change. */
export async function settingObstacle(
  store: Store,
  name: SettingName,
  change: ValueChange,
  later: Pick<Settings, 'Timezone' | 'Balance_From'>,
): Promise<Refusal | undefined> {
  if (change.before === change.after) return undefined
  if (name === 'Timezone') return timezoneObstacle(store, change)
  if (name === 'Wholesale_Customers') return wholesaleObstacle(store, change, later)
  if (name === 'Balance_From') return balanceDayObstacle(store, change)
  if (name === 'Charges_From' || name === 'Invoices_From') return monthDayObstacle(name, change, later)
  if (name === 'Webhooks_On_This_Machine') return machineObstacle(change)
  return name === 'Default_Currency' ? defaultCurrencyObstacle(store, change.after) : undefined
}

/** A deployed stage would post to itself. */
const machineObstacle = ({ after }: ValueChange): Refusal | undefined =>
  switchOf(after) && isLambda(process.env) ? new Refusal('local_webhooks_deployed', {}) : undefined

/** The days of subscriptions do not depend on the zone, once the table is migrated. */
export const subscriptionObstacle = (stored: Item, before: string): Refusal | undefined =>
  formatIn(stored) < LOCAL_SINCE ? new Refusal('subscriptions_undated', { zone: before }) : undefined

/** Calls are stored and counted by day, and days depend on the zone (wire.md 4.5). */
const timezoneObstacle = async (store: Store, change: ValueChange): Promise<Refusal | undefined> =>
  (await hasCalls(store))
    ? new Refusal('zone_with_calls', change)
    : subscriptionObstacle(await findSettings(store), change.before)

/** A function that remembers the settings stores calls of earlier days as they were. */
export const firstFreeDay = (zone: string): Day => addDays(dayOf(secondsOf(new Date()), zone), 2)

/** Calls stay where they were stored: a customer's day changes its partitions before it can have calls. */
async function wholesaleObstacle(
  store: Store,
  { before, after }: ValueChange,
  { Timezone }: Pick<Settings, 'Timezone'>,
): Promise<Refusal | undefined> {
  const [old = [], young = []] = [before, after].map((text) => text.split(','))
  const changed = [...old, ...young].filter(
    (one) => one !== '' && !(old.includes(one) && young.includes(one)),
  )
  const [first] = changed.map((one) => one.replace(/^\d+:/, '')).sort()
  if (first === undefined || !(await hasCalls(store))) return undefined
  const earliest = firstFreeDay(Timezone)
  const [day] = first < earliest ? [] : await daysWithCalls(store, first)
  if (first >= earliest && day === undefined) return undefined
  return new Refusal('wholesale_with_calls', { day: day ?? first, earliest })
}

/** Calls are charged when they are stored: none may be on a day whose charging changes (wire.md 7.5). */
async function balanceDayObstacle(
  store: Store,
  { before, after }: ValueChange,
): Promise<Refusal | undefined> {
  const [first = ''] = [before, after].filter((day) => day !== '').sort()
  const [day] = await daysWithCalls(store, first)
  return day === undefined ? undefined : new Refusal('calls_on_balance_day', { day })
}

/** Balances have no fees and no invoices of earlier days than Balance_From. */
const monthDayObstacle = (
  setting: SettingName,
  { after }: ValueChange,
  { Balance_From: from }: Pick<Settings, 'Balance_From'>,
): Refusal | undefined =>
  after === '' || after >= from ? undefined : new Refusal('before_balances', { setting, day: after, from })

/**
 * The changes that set settings, if they and their partners are as they were read. `digest` is that of a
 * dataset row.
 */
export function settingsReplaced(
  stored: Item,
  values: Partial<Record<SettingName, string>>,
  at: Date,
  digest?: string,
): Change[] {
  const names = Object.keys(values) as SettingName[]
  const together = names.flatMap((name) => [name, PAIRED_SETTINGS[name] ?? name])
  const asRead = together.map((one) => [one, asStored(stored, one)] as const)
  const from = values.Balance_From
  const digests = names.map((name) => [settingDigestName(name), digest])
  return [
    ...(from === undefined ? [] : fencesOfUnusedDays(stored, from, secondsOf(at))),
    {
      update: settingsKey,
      to: {
        set: {
          ...values,
          ...(digest !== undefined && Object.fromEntries(digests)),
          ...(from !== undefined && { [EARLIEST_DAY]: earliestBalanceDay(stored, from) }),
        },
      },
      when: { ...Object.fromEntries(asRead), ...(from !== undefined && { [OPENING_DAY]: absent }) },
    },
  ]
}
