import { isCharged } from '#lib/base/balance.ts'
import { addDays, type Day, dayOf, type Seconds } from '#lib/base/calendar.ts'
import { readSettings, type Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { absentOrIs, type Change } from '#lib/table/requests/changes.ts'
import { fencesOfDay } from './call-stats.ts'

/** Beside the settings is the earliest day that Balance_From ever was: no earlier call is charged. */
export const EARLIEST_DAY = 'Balance_Earliest'

/** The earliest day whose calls a change of Balance_From concerns. */
export const earliestBalanceDay = (stored: Item, after: Day): Day | undefined =>
  [stored[EARLIEST_DAY], stored['Balance_From'], after]
    .filter((day): day is Day => typeof day === 'string' && day !== '')
    .sort()[0]

const DAYS_AHEAD = 7

/** New calls are nearly always of these days, which may not have counters yet. */
export const daysAround = (now: Seconds, earliest: Day, { Timezone }: Settings): Day[] =>
  Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => addDays(dayOf(now, Timezone), index - 1)).filter(
    (day) => day >= earliest,
  )

/** The fences of a Balance_From that is set while no day has calls that it concerns. They fail if one has. */
export function fencesOfUnusedDays(stored: Item, after: Day, now: Seconds): Change[] {
  const settings = readSettings({ ...stored, Balance_From: after })
  const days = daysAround(now, earliestBalanceDay(stored, after) ?? '', settings)
  return days.flatMap((day) =>
    fencesOfDay(day, isCharged(day, settings)).map((fence) => ({ ...fence, when: { calls: absentOrIs(0) } })),
  )
}
