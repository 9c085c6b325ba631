import type { Day } from '#lib/domain/calendar.ts'
import { OPENING_DAY } from '#lib/domain/settings.ts'
import { EARLIEST_DAY, earliestBalanceDay } from '#lib/store/installation/balance-fences.ts'
import { asStored, inSettingsLog, type SettingChange, settingsKey } from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import { is } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'

/**
 * Notes the new day beside the settings: writers charge calls by it from here on, and readers see no balances. A blank day
 * closes the balances.
 */
export const beginBalanceChange = (store: Store, stored: Item, after: Day): Promise<unknown> =>
  store.update(
    settingsKey,
    { set: { [OPENING_DAY]: after, Balance_From: '', [EARLIEST_DAY]: earliestBalanceDay(stored, after) } },
    Object.fromEntries([OPENING_DAY, 'Balance_From'].map((name) => [name, asStored(stored, name)])),
  )

/** Sets Balance_From and logs the change. Throws ConditionFailed if another change has begun meanwhile. */
export const endBalanceChange = (
  store: Store,
  { at, who, before, after }: Pick<SettingChange, 'at' | 'who' | 'before' | 'after'>,
): Promise<void> =>
  store.transact([
    {
      update: settingsKey,
      to: { set: { Balance_From: after, [OPENING_DAY]: undefined, [EARLIEST_DAY]: after || undefined } },
      when: { [OPENING_DAY]: is(after) },
    },
    inSettingsLog({ at, who, name: 'Balance_From', before, after }),
  ])
