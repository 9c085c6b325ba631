import { settingsOf } from '#lib/settings/stored-settings.ts'
import { invocation, type TimeLeft } from '#lib/table/invocation.ts'
import type { TableServices } from '#lib/table/store.ts'
import { sumUpDays } from './day-groups.ts'

/** No day and no further hour is begun with less time left. */
const DAY_RESERVE_MS = 420_000

/** Sums up the days that have changed, and writes a line of the log. */
export const hourlySums =
  (name: string, services: TableServices) =>
  async (_event: unknown, context: TimeLeft): Promise<void> => {
    await invocation(services, name, async ({ store, startedAt }) => {
      const settings = await settingsOf(store)
      const hasTime = () => context.getRemainingTimeInMillis() >= DAY_RESERVE_MS
      const days = await sumUpDays({ store, settings, now: startedAt, hasTime })
      return { outcome: 'summed up', days: days.length }
    })
  }
