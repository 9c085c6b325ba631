import * as v from 'valibot'
import type { Day } from '#lib/base/calendar.ts'
import { ARCHIVED_BEFORE, MOVING_ZONE, OPENING_DAY } from '#lib/settings/settings.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent, absentOrBelow } from '#lib/table/requests/changes.ts'
import { hasWritten, objectChanged } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type DayOfCalls, tallyEntries } from './counters/call-stats.ts'
import { isSameTally } from './counters/statistics.ts'

/** The archived days whose calls have a time to live. */
export const archivedDayKey = keyForm('ARCHIVE', 'DAY#<day>')

const schema = v.object({
  day: v.string(),
  version: v.number(),
  /** An ISO date-time. */
  archived_at: v.string(),
  bytes: v.number(),
  /** The counters of everyone that the archive equals. */
  late: v.number(),
  ...tallyEntries,
})

/** A day whose calls are all in the archive. Their time to live removes the rest from the table. */
export type ArchivedDay = v.InferOutput<typeof schema>

/** Whether the archive of a day has all changes that were counted since. */
export const isComplete = (archived: ArchivedDay | undefined, { tally, late }: DayOfCalls): boolean =>
  archived?.late === late && isSameTally(archived, tally)

/** Ordered by day. */
export async function listArchivedDays(store: Store): Promise<ReadonlyMap<Day, ArchivedDay>> {
  const items = await store.list(archivedDayKey.range())
  return new Map(items.map((item) => v.parse(schema, item)).map((archived) => [archived.day, archived]))
}

export async function findArchivedDay(store: Store, day: Day): Promise<ArchivedDay | undefined> {
  const item = await store.get(archivedDayKey(day))
  return item && v.parse(schema, item)
}

export const putArchivedDay = (store: Store, archived: ArchivedDay): Promise<void> =>
  store.transact([{ put: { ...archivedDayKey(archived.day), ...archived } }])

/**
 * From now on the calls of all earlier days are read from the archive. The day never moves back. Throws
 * object_changed while a change of a setting moves or charges calls: archived ones would stay as they were.
 */
export async function moveArchivedBefore(store: Store, day: Day): Promise<void> {
  const when = { [ARCHIVED_BEFORE]: absentOrBelow(day), [MOVING_ZONE]: absent, [OPENING_DAY]: absent }
  if (await hasWritten(store.update(settingsKey, { set: { [ARCHIVED_BEFORE]: day } }, when))) return
  const { changing } = await settingsOf(store)
  if (changing !== undefined) throw objectChanged(changing)
}
