import { type Done, defineAct } from '#lib/acts/act.ts'
import { textInput } from '#lib/acts/inputs.ts'
import { ALL_TIME, dayOf, EVERY_DAY } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { chargedDay } from '#lib/calls/rating/change-calls.ts'
import { archivedNotice } from '#lib/calls/retention.ts'
import { settingSet } from '#lib/calls/set-settings.ts'
import { subscriptionObstacle } from '#lib/calls/setting-change.ts'
import { type LoggedImport, listAuditLog } from '#lib/settings/audit-log.ts'
import { SETTINGS } from '#lib/settings/declared-settings.ts'
import { REMEMBERED_MS } from '#lib/settings/recent-items.ts'
import {
  ARCHIVED_BEFORE,
  isSettingName,
  MOVING_ZONE,
  maskedSetting,
  type SettingName,
  settingNames,
} from '#lib/settings/settings.ts'
import { findSettings, settingIn, settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { absent, combined, is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { unknownName } from '../../command-line/named.ts'
import { changeStoredCalls } from '../rerate/change-stored-calls.ts'

/** Every setting with its value, its default, and what it does. */
export async function listSettings(store: Store): Promise<Listing> {
  const stored = await findSettings(store)
  const named = settingNames.map((name) => ({ name }))
  return listingOf(store, 'setting', named, {
    name: 'text',
    value: ['text', ({ name }) => maskedSetting(name, settingIn(stored, name))],
    default: ['text', ({ name }) => SETTINGS[name].default],
    does: ['text', ({ name }) => SETTINGS[name].says],
  })
}

export async function showSetting(store: Store, word: string): Promise<string> {
  const name = settingNamed(word)
  return maskedSetting(name, settingIn(await findSettings(store), name))
}

/** The logged changes of settings and accounts, and the files imported from the bucket, oldest first. */
export async function listSettingsLogRows(store: Store): Promise<Listing> {
  const changes = (await listAuditLog(store)).map((entry) => ({
    at: entry.at,
    who: entry.who,
    ...changeIn(entry),
  }))
  return listingOf(store, 'change', changes, {
    ...{ at: 'time', who: 'text', changed: 'text', before: 'text', after: 'text' },
  })
}

const importIn = ({ file, counts }: LoggedImport): string =>
  counts === undefined ? file : `${file} (${counts})`

function changeIn(entry: Awaited<ReturnType<typeof listAuditLog>>[number]): {
  readonly changed: string
  readonly before?: string
  readonly after: string
} {
  if ('file' in entry) return { changed: 'dataset', after: importIn(entry) }
  if ('action' in entry) return { changed: 'action', after: entry.action }
  if ('did' in entry) return { changed: `account ${entry.account}`, after: entry.did }
  return { changed: entry.name, before: entry.before, after: entry.after }
}

/** The time limit of a consumer of CDRs, which may have read the former zone at its beginning. */
const LONGEST_CONSUMER_MS = 60_000

/** Takes a number of milliseconds. */
export type Wait = (milliseconds: number) => Promise<unknown>

/**
 * Changes the time zone of an installation with calls. Waits until every consumer stores calls by the new
 * days, then moves stored calls. An interrupted change resumes when run again.
 */
export const changeTimezone = (wait: Wait) =>
  defineAct({
    summary:
      'Change Timezone after calls are stored, wait a minute for consumers that have read the former one, and move the calls to the days of that zone. Run it again if it is interrupted, or if files of records were read meanwhile',
    permission: 'settings',
    isNamed: true,
    input: { zone: textInput('the name of the zone, such as Europe/Vilnius') },
    run: async (context, { zone }): Promise<Done<{ readonly moved: number }>> => {
      const { store } = context
      const { archivedBefore, Timezone } = await settingsOf(store)
      if (archivedBefore !== undefined && zone !== Timezone)
        throw new Refusal('unfit_setting', {
          says: `Timezone remains ${Timezone}: ${archivedNotice(archivedBefore)} under the days of that zone`,
        })
      const set = await settingSet(context, 'Timezone', zone, async (_store, _name, { before }) =>
        subscriptionObstacle(await findSettings(store), before),
      )
      const [begins] = 'changes' in set ? [set.log].flat() : []
      // The archive has no days of two zones: it stops until all calls have moved.
      const moving = {
        ...{ update: settingsKey, to: { set: { [MOVING_ZONE]: zone } } },
        when: { [ARCHIVED_BEFORE]: absent },
      }
      return {
        ...(begins && 'changes' in set && { begins, changes: combined([...(set.changes ?? []), moving]) }),
        async *steps() {
          await wait(REMEMBERED_MS + LONGEST_CONSUMER_MS)
          let moved = 0
          for await (const count of movingCallsToDays(store, zone)) {
            moved += count
            yield `${countOf(moved, 'call')} moved`
          }
          const ended = { set: { [MOVING_ZONE]: undefined } }
          await hasWritten(store.update(settingsKey, ended, { [MOVING_ZONE]: is(zone) }))
          const resumed = moved > 0 ? `moved ${countOf(moved, 'call')} to the days of ${zone}` : undefined
          return { answer: { moved }, did: begins ?? resumed }
        },
      }
    },
  })

function settingNamed(word: string): SettingName {
  if (isSettingName(word)) return word
  throw unknownName('setting', word, settingNames, 'npx tollgate settings list shows all of them')
}

/** Moves every call to its day in this zone and from counter to counter, each call in one transaction. */
async function* movingCallsToDays(store: Store, zone: string): AsyncGenerator<number> {
  const settings = await settingsOf(store)
  const days = await listCallDays(store, ['everyone'], EVERY_DAY, settings)
  for await (const calls of listCalls(store, days, ALL_TIME))
    yield changeStoredCalls({ store, settings }, calls, (call) => {
      const day = dayOf(call.calldate, zone)
      return call.day === day ? undefined : chargedDay(day, settings, call)
    })
}
