import { addDays, type Day, dayOf, type Seconds, today } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { Settings } from '#lib/settings/settings.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** Calls before this day are archived. */
    readonly archived_days: { readonly before: Day }
  }
}

/** The settings that say which calls are in the archive. */
export type Retention = Pick<Settings, 'archivedBefore' | 'Timezone'>

export const isArchivedDay = (day: Day, { archivedBefore }: Retention): boolean =>
  archivedBefore !== undefined && day < archivedBefore

/** Whether a call of this moment is on an archived day. Without an archive, no zone is looked up. */
export const isArchivedMoment = (moment: Seconds, { archivedBefore, Timezone }: Retention): boolean =>
  archivedBefore !== undefined && dayOf(moment, Timezone) < archivedBefore

/** The days of a range whose calls are in the table. */
export const daysInTable = <D extends { readonly from: Day }>(days: D, { archivedBefore }: Retention): D =>
  archivedBefore !== undefined && days.from < archivedBefore ? { ...days, from: archivedBefore } : days

/** The first day whose calls stay in the table; `undefined` if all stay. */
export const firstKeptDay = (
  { Calls_Keep_Days, Timezone }: Pick<Settings, 'Calls_Keep_Days' | 'Timezone'>,
  now: Date,
): Day | undefined =>
  Calls_Keep_Days === undefined ? undefined : addDays(today(now, Timezone), -Calls_Keep_Days)

/** The note of an answer over archived days (wire.md user_calls_get). */
export const archivedNotice = (before: Day): string => `Calls before ${before} are archived`

/** Whether the counters of a day have the further sums of all its calls. */
export const hasFurtherSums = (day: Day, { countedFrom }: Pick<Settings, 'countedFrom'>): boolean =>
  countedFrom !== undefined && day >= countedFrom

/** Throws Refusal if calls of these days are archived: a sum or a re-rating without them would be wrong. */
export function refuseArchivedDays({ from }: { readonly from: Day }, { archivedBefore }: Retention): void {
  if (archivedBefore === undefined || from >= archivedBefore) return
  throw new Refusal('archived_days', { before: archivedBefore })
}
