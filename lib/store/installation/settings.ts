import type { SettingName } from '#lib/domain/settings.ts'
import { hasCalls } from '#lib/store/calls/call-stats.ts'
import type { Change } from '#lib/store/changes.ts'
import type { Conditions } from '#lib/store/conditions.ts'
import type { Item } from '#lib/store/items.ts'
import { settingsKey, settingsLog } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Access patterns

/** The stored texts by name; what was never set is missing. */
export async function findSettings(store: Store): Promise<Item> {
  return (await store.get(settingsKey)) ?? {}
}

/**
 * Why a setting that may have this value cannot be changed to it now: days hang on the zone, and calls are stored and
 * counted by day (wire.md 4.5).
 */
export async function settingObstacle(
  store: Store,
  name: SettingName,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<string | undefined> {
  if (name !== 'Timezone' || before === after || !(await hasCalls(store))) return undefined
  return `Timezone stays ${before}, since calls are counted by its days: npm run settings -- timezone ${after} recounts them`
}

/** One change of a setting, as the log keeps it. Masked values are masked before they get here. */
export interface SettingChange {
  readonly at: string
  readonly who: string
  readonly name: SettingName
  readonly before: string
  readonly after: string
}

export const settingsChange = (
  values: Partial<Record<SettingName, string>>,
  when: Conditions = {},
): Change => ({
  update: settingsKey,
  to: { set: values },
  when,
})

export const settingsLogEntry = (change: SettingChange, suffix: string): Change => ({
  put: { ...settingsLog.key(change.at, suffix), ...change },
})

export const listSettingChanges = async (store: Store): Promise<SettingChange[]> =>
  (await store.list({
    partition: settingsLog.partition,
    prefix: settingsLog.prefix,
  })) as unknown as SettingChange[]
