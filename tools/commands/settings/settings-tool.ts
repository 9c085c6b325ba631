import { setTimeout } from 'node:timers/promises'
import type { Caller } from '#lib/accounts/account.ts'
import { ALL_TIME, dayOf, EVERY_DAY } from '#lib/base/calendar.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { chargedDay } from '#lib/calls/rating/change-calls.ts'
import { archivedNotice } from '#lib/calls/retention.ts'
import { setSetting, settingSet } from '#lib/calls/set-settings.ts'
import { subscriptionObstacle } from '#lib/calls/setting-change.ts'
import { type LoggedImport, listAuditLog } from '#lib/settings/audit-log.ts'
import { SETTINGS } from '#lib/settings/declared-settings.ts'
import { REMEMBERED_MS } from '#lib/settings/recent-items.ts'
import { isSettingName, maskedSetting, type SettingName, settingNames } from '#lib/settings/settings.ts'
import { findSettings, settingIn, settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { unknownName } from '../../command-line/named.ts'
import { authorisedAs, hasOwners } from '../../command-line/over-table.ts'
import { CommandError, usageError } from '../../machine/terminal.ts'
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

/** The calls are moved to the days of the zone once it is set. */
const MOVED_TIMEZONE = {
  ...setSetting,
  run: (context, { name, value }) =>
    settingSet(context, name, value, async (store, _name, { before }) =>
      subscriptionObstacle(await findSettings(store), before),
    ),
} satisfies typeof setSetting

/** The time limit of a consumer of CDRs, which may have read the former zone at its beginning. */
const LONGEST_CONSUMER_MS = 60_000

/**
 * Changes the time zone of an installation with calls. Waits until every consumer stores calls by the new
 * days, then moves stored calls. An interrupted change resumes when run again. Returns the moved calls.
 */
export async function changeTimezone(
  store: Store,
  zone: string,
  {
    as,
    now,
    wait = setTimeout,
  }: { as: string | undefined; now: Date; wait?: (ms: number) => Promise<unknown> },
): Promise<number> {
  const { archivedBefore, Timezone } = await settingsOf(store)
  if (archivedBefore !== undefined && zone !== Timezone)
    throw new CommandError(
      `Timezone stays ${Timezone}: ${archivedNotice(archivedBefore)} under the days of that zone`,
    )
  await carryOutAs(store, MOVED_TIMEZONE, { as, now }, { name: 'Timezone', value: zone })
  await wait(REMEMBERED_MS + LONGEST_CONSUMER_MS)
  return moveCallsToDays(store, zone)
}

/**
 * The account of a change. The operator sets the key before an installation has one. From the first account
 * on, a change needs the name of an account that may change settings.
 */
export async function actorOf(store: Store, username: string | undefined): Promise<Caller | undefined> {
  if (username !== undefined) return authorisedAs(store, username)
  if (!(await hasOwners(store))) return undefined
  throw usageError(
    'The account that makes the change is missing: pass --as with the name of an admin, or of an account with permission api_settings',
  )
}

function settingNamed(word: string): SettingName {
  if (isSettingName(word)) return word
  throw unknownName('setting', word, settingNames, 'npx tollgate settings list shows all of them')
}

/**
 * Moves every call to its day in this zone and from counter to counter, each call in one transaction. Returns
 * the number of moved calls.
 */
async function moveCallsToDays(store: Store, zone: string): Promise<number> {
  const settings = await settingsOf(store)
  const days = await listCallDays(store, ['everyone'], EVERY_DAY, settings)
  let count = 0
  for await (const calls of listCalls(store, days, ALL_TIME))
    count += await changeStoredCalls({ store, settings }, calls, (call) => {
      const day = dayOf(call.calldate, zone)
      return call.day === day ? undefined : chargedDay(day, settings, call)
    })
  return count
}
