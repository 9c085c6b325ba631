import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import * as v from 'valibot'
import { type Done, defineAct } from '#lib/acts/act.ts'
import { accountInput, switchInput } from '#lib/acts/inputs.ts'
import { ALL_TIME, type Day, EVERY_DAY } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import type { DayRun } from '#lib/calls/archive/archive-day.ts'
import type { ArchiveBucket, ArchivedObject } from '#lib/calls/archive/bucket.ts'
import { callsInFile } from '#lib/calls/archive/call-file.ts'
import { latestCopies } from '#lib/calls/archive/day-copies.ts'
import { type Manifest, periodsOfParts, readManifest } from '#lib/calls/archive/manifest.ts'
import { archiveOneDay, type DayOutcome } from '#lib/calls/archive/run.ts'
import type { Call } from '#lib/calls/call.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { type DayOfCalls, listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import {
  busyNamesKey,
  busyNamesSchema,
  dayGroupsKey,
  dayGroupsSchema,
  groupsText,
  unnamed,
} from '#lib/calls/counters/day-groups.ts'
import { type DayRecord, findKept, listKeysOf } from '#lib/calls/day-record.ts'
import { type ListedCall, listedCallColumns, listLocalCalls, localCallKeys } from '#lib/calls/local-call.ts'
import { isArchivedDay } from '#lib/calls/retention.ts'
import { eraseLists } from '#lib/invoicing/documents/stored-files.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { pack } from '#lib/table/packed-row.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'
import { carryOutAsking } from '../../command-line/act-commands.ts'
import { listCommand } from '../../command-line/actions.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { ACTOR, changeByActs, withTableOptions } from '../../command-line/over-table.ts'
import { CommandError, printLine } from '../../machine/terminal.ts'
import { bucketAt, lockFolder } from '../archive/archive.ts'
import { changeStoredCalls } from '../rerate/change-stored-calls.ts'
import { beginForgetting, listForgettings, putForgetting } from './forgetting-log.ts'

export function declare(command: Command): void {
  const forget = withTableOptions(command)
    .argument('[account]', 'the username or id')
    .addOption(ACTOR)
    .option('--yes', 'erase without asking; required without a terminal')
    .description(
      'For a customer who asks for it. The numbers (src, dst) of the calls are erased in the table and the archive; prices, times, \
counters, payments and invoices stay; a note takes the place of stored lists of calls. Run it again if it is interrupted. docs/archive.md says what else has numbers.',
    )
    .action((account, { endpoint, table, data, as, yes = false }) => {
      if (account === undefined) throw new InvalidArgumentError('Missing the username or id of an account')
      return changeByActs({ endpoint, table, data }, async (store, location) => {
        const act = forgetCalls({
          openBucket: () => bucketAt(location),
          clock: () => new Date(),
          lock: () => lockFolder(location),
        })
        const given = { account, ...(yes && { yes: 'yes' }) }
        const { answer } = await carryOutAsking(store, act, { as, now: new Date() }, given)
        printLine(`${countOf(answer.calls, 'call')} changed`)
        return 0
      })
    })
  listCommand(
    forget,
    'log',
    'list the accounts whose calls were forgotten, and who did it',
    listForgettingRows,
  )
}

/** The archive of a table, which may be unknown as long as no call is archived. */
interface Archive {
  readonly openBucket: () => ArchiveBucket
  readonly clock: () => Date
  /** Takes the archive for this process and returns what gives it back. */
  readonly lock: () => Promise<() => void>
}

/** The table and its archive. */
interface Forgetter extends Archive {
  readonly store: Store
}

/**
 * Erases the numbers in an account's calls, in table and archive, and the names in its internal calls and in
 * sums of days. Prices, times, counters and digests stay: returning CDRs are duplicates. An interrupted act
 * continues when it is carried out again.
 */
export const forgetCalls = (archive: Archive) =>
  defineAct({
    summary: 'Erase the numbers in the calls of an account',
    permission: 'settings',
    input: {
      account: accountInput('the account'),
      yes: switchInput('erase without asking'),
    },
    run: async ({ store, settings, actor }, { account, yes }): Promise<Done<{ readonly calls: number }>> => {
      const { id, username } = account
      const counted = await listDaysOfCalls(store, { user: id }, EVERY_DAY)
      if (!yes) throw new Refusal('forgets_numbers', { username, ...callsIn(counted) })
      const forgetter = { ...archive, store }
      return {
        begins: `erases the numbers in the calls of ${username}`,
        async *steps() {
          const release = await archive.lock()
          try {
            const begun = await beginForgetting(store, { account: id, who: actor.username }, archive.clock())
            let calls = await forgetLocalCalls(store, id)
            for (const { day } of counted) {
              calls += await forgetDay(forgetter, { settings, account: id }, day)
              yield `${countOf(calls, 'call')} changed`
            }
            await forgetNames(store, id)
            await eraseLists({ store, settings, openBucket: archive.openBucket, now: archive.clock() }, id)
            await putForgetting(store, { ...begun, ended_at: archive.clock().toISOString(), calls })
            return {
              answer: { calls },
              did: `erased the numbers in ${countOf(calls, 'call')} of ${username}`,
            }
          } finally {
            release()
          }
        },
      }
    },
  })

function callsIn(counted: readonly DayOfCalls[]) {
  const calls = counted.reduce((sum, { tally }) => sum + tally.calls, 0)
  const [from, till] = [counted.at(0)?.day, counted.at(-1)?.day]
  return from && till ? { calls, days: { from, till } } : { calls }
}

interface Forgotten {
  readonly settings: Settings
  readonly account: number
}

const forgetDay = (forgetter: Forgetter, forgotten: Forgotten, day: Day): Promise<number> =>
  isArchivedDay(day, forgotten.settings)
    ? forgetArchivedDay(forgetter, forgotten, day)
    : forgetStoredDay(forgetter, forgotten, day)

async function forgetStoredDay({ store }: Forgetter, { settings, account }: Forgotten, day: Day) {
  const days = await listCallDays(store, [{ user: account }], { from: day, till: day }, settings)
  let changed = 0
  for await (const calls of listCalls(store, days, ALL_TIME))
    changed += await erase(store, { settings, account }, calls)
  return changed
}

/** Lists follow the table by milliseconds: a file may be written again before it has the change. */
const MAX_ATTEMPTS = 20
const PAUSE_MS = 500

/** An archived call is changed in the table, as a correction would be. The archive takes it in from there. */
async function forgetArchivedDay(
  { store, openBucket, clock }: Forgetter,
  { settings, account }: Forgotten,
  day: Day,
): Promise<number> {
  const bucket = openBucket()
  let changed = 0
  for await (const copies of copiesOfAccount({ store, settings }, bucket, day, account)) {
    const calls = copies.map(({ call }) => call).filter(({ user_id }) => user_id === account)
    changed += await erase(store, { settings, account }, calls)
  }
  for (let attempts = 1; await hasNumbers(bucket, day, account); attempts += 1) {
    const outcome = await archiveOneDay({ store, bucket, settings, clock }, day)
    if (attempts === MAX_ATTEMPTS) throw new CommandError(`${day} keeps its numbers: ${reasonOf(outcome)}`)
    if (attempts > 1) await setTimeout(PAUSE_MS)
  }
  return changed
}

/** Memory holds a row group of each file of one part. */
async function* copiesOfAccount(
  { store, settings }: Pick<DayRun, 'store' | 'settings'>,
  bucket: ArchiveBucket,
  day: Day,
  account: number,
) {
  const manifest = (await readManifest(bucket, day))?.manifest
  for (const [part, period] of (manifest ? periodsOfParts(manifest) : [ALL_TIME]).entries()) {
    const files = await openFiles(
      bucket,
      manifest?.files.filter((file) => file.part === part),
    )
    yield* latestCopies(store, { day, scope: { user: account }, period, settings }, files)
  }
}

const reasonOf = (outcome: DayOutcome): string =>
  outcome.outcome === 'refused' ? outcome.reasons.join('; ') : 'its calls change all the time; run this again'

async function openFiles(bucket: ArchiveBucket, files: Manifest['files'] = []): Promise<ArchivedObject[]> {
  const objects = await Promise.all(files.map(({ key }) => bucket.open(key)))
  return objects.filter((object) => object !== undefined)
}

async function hasNumbers(bucket: ArchiveBucket, day: Day, account: number): Promise<boolean> {
  const stored = await readManifest(bucket, day)
  for (const file of await openFiles(bucket, stored?.manifest.files)) {
    for await (const calls of callsInFile(file, day)) {
      if (calls.some((call) => call.user_id === account && isNumbered(call))) return true
    }
  }
  return false
}

const isNumbered = ({ src, dst }: Call): boolean => src !== '' || dst !== ''

const NO_NUMBERS = {
  src: '',
  dst: '',
  dialled_dst: undefined,
  carrier_dst: undefined,
  rated_dst: undefined,
  carrier_src: undefined,
} as const

/** Returns the number of calls that had numbers. A call that moved to another account keeps them. */
function erase(store: Store, { settings, account }: Forgotten, calls: readonly Call[]): Promise<number> {
  return changeStoredCalls({ store, settings }, calls.filter(isNumbered), (call) =>
    call.user_id === account && isNumbered(call) ? NO_NUMBERS : undefined,
  )
}

/** The forgotten accounts, oldest first. A command that did not end has no calls. */
export const listForgettingRows = async (store: Store): Promise<Listing> =>
  listingOf(store, 'command', await listForgettings(store), {
    at: 'time',
    ended: ['time', ({ ended_at }) => ended_at],
    account: 'number',
    calls: ['number', ({ ended_at, calls }) => (ended_at === undefined ? undefined : calls)],
    who: 'text',
  })

/** Replaces the name that an account had when its days were summed up. */
export async function forgetNames(store: Store, account: number): Promise<void> {
  for await (const page of store.pages({ partition: dayGroupsKey.partition('customer') })) {
    for (const { SK } of page) await retryingRaces(store, () => forgetNameOn(store, String(SK), account))
  }
  await retryingRaces(store, () => forgetBusyName(store, account))
}

async function forgetNameOn(store: Store, day: Day, account: number): Promise<void> {
  const key = dayGroupsKey('customer', day)
  const item = await store.get(key)
  const groups = item ? v.parse(dayGroupsSchema, item).groups : []
  if (!groups.some(({ id }) => id === account)) return
  const nameless = groups.map((one) => (one.id === account ? { ...one, name: unnamed(account) } : one))
  const when = { groups: is(item?.['groups']) }
  await store.transact([{ update: key, to: { set: { groups: groupsText(nameless) } }, when }])
}

async function forgetBusyName(store: Store, account: number): Promise<void> {
  const item = await store.get(busyNamesKey())
  const names = item ? v.parse(busyNamesSchema, item['names']) : []
  const others = names.filter(([id]) => id !== account)
  if (others.length === names.length) return
  const to = { set: { names: JSON.stringify(others) } }
  await store.transact([{ update: busyNamesKey(), to, when: { names: is(item?.['names']) } }])
}

/** Erases what the internal calls of an account say about it. Returns the number of changed calls. */
export async function forgetLocalCalls(store: Store, account: number): Promise<number> {
  let changed = 0
  const { pages } = await listLocalCalls(store, { user: account }, ALL_TIME)
  for await (const page of pages) {
    const named = page.filter((call) => !isDeepStrictEqual(call, withoutNames(call, account)))
    for (const call of named) {
      const row = pack(listedCallColumns, withoutNames(call, account))
      await replaceListedRow(store, { key: localCallKeys.item(call.uniqueid), row })
    }
    changed += named.length
  }
  return changed
}

const withoutNames = (call: ListedCall, account: number): ListedCall => ({
  ...call,
  ...(call.originator_user_id === account && {
    originator_device: '',
    originator_caller_id: '',
    orignator_ip: '',
    orignator_channel: '',
  }),
  ...(call.terminator_user_id === account && {
    terminator_user: '',
    terminator_device: '',
    terminator_ip: '',
  }),
})

/** Replaces the row in a record's lists. Its digest stays: the record is unchanged if it returns. */
const replaceListedRow = (store: Store, { key, row }: Pick<DayRecord, 'key' | 'row'>): Promise<void> =>
  retryingRaces(store, async () => {
    const [kept] = await findKept(store, [{ key }])
    if (!kept) return
    await store.transact([
      { put: { ...key, ...kept, version: kept.version + 1 }, when: { version: is(kept.version) } },
      ...listKeysOf(kept).map((listKey): Change => ({ put: { ...listKey, [ROW]: row } })),
    ])
  })
