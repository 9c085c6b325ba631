import { setTimeout } from 'node:timers/promises'
import { ALL_TIME, type Day, EVERY_DAY } from '#lib/base/calendar.ts'
import type { ArchiveBucket, ArchivedObject } from '#lib/calls/archive/bucket.ts'
import { callsInFile } from '#lib/calls/archive/call-file.ts'
import { latestCopies } from '#lib/calls/archive/day-copies.ts'
import { type Manifest, periodsOfParts, readManifest } from '#lib/calls/archive/manifest.ts'
import { archiveOneDay, type DayOutcome } from '#lib/calls/archive/run.ts'
import type { Call } from '#lib/calls/call.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { type DayOfCalls, listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { isArchivedDay } from '#lib/calls/retention.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { findAccountNamed } from '../../command-line/named.ts'
import { CommandError, countOf } from '../../machine/terminal.ts'
import { changeStoredCalls } from '../rerate/change-stored-calls.ts'
import { forgetLocalCalls, forgetNames } from './forget-names.ts'
import { beginForgetting, listForgettings, putForgetting } from './forgetting-log.ts'

/** The table and its archive, which may be unknown as long as no call is archived. */
export interface Forgetter {
  readonly store: Store
  readonly openBucket: () => ArchiveBucket
  readonly clock: () => Date
  /** Takes the archive for this process and returns what gives it back. */
  readonly lock: () => Promise<() => void>
}

export interface ForgetOptions {
  readonly account: string
  readonly who: string
  /** Tells the operator what will be erased. Returns whether to do it. */
  readonly approve: (line: string) => Promise<boolean>
}

/**
 * Erases the numbers in an account's calls, in table and archive, and the names in its internal calls and in
 * sums of days. Prices, times, counters and digests stay: returning CDRs are duplicates. An interrupted
 * command continues when run again. Returns the changed calls, `undefined` without approval.
 */
export async function forgetCalls(
  forgetter: Forgetter,
  { account, who, approve }: ForgetOptions,
): Promise<number | undefined> {
  const { store, clock, lock } = forgetter
  const { id, username } = await findAccountNamed(store, account)
  const settings = await settingsOf(store)
  const days = await listDaysOfCalls(store, { user: id }, EVERY_DAY)
  if (!(await approve(sentenceOf(username, days)))) return undefined
  const release = await lock()
  try {
    const begun = await beginForgetting(store, { account: id, who }, clock())
    let calls = await forgetLocalCalls(store, id)
    for (const { day } of days) calls += await forgetDay(forgetter, { settings, account: id }, day)
    await forgetNames(store, id)
    await putForgetting(store, { ...begun, ended_at: clock().toISOString(), calls })
    return calls
  } finally {
    release()
  }
}

function sentenceOf(username: string, days: readonly DayOfCalls[]): string {
  const calls = days.reduce((sum, { tally }) => sum + tally.calls, 0)
  const period = days.length > 0 ? ` from ${days[0]?.day} to ${days.at(-1)?.day}` : ''
  return `${username} has ${countOf(calls, 'call')}${period}. Their numbers are erased for ever, in the table and the archive, and so are the names in internal calls.`
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
  const days = await listCallDays(store, [{ user: account }], { from: day, till: day })
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
  for await (const copies of copiesOfAccount(store, bucket, day, account)) {
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
async function* copiesOfAccount(store: Store, bucket: ArchiveBucket, day: Day, account: number) {
  const manifest = (await readManifest(bucket, day))?.manifest
  for (const [part, period] of (manifest ? periodsOfParts(manifest) : [ALL_TIME]).entries()) {
    const files = await openFiles(
      bucket,
      manifest?.files.filter((file) => file.part === part),
    )
    yield* latestCopies(store, { day, scope: { user: account }, period }, files)
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
