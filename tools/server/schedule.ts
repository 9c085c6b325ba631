import { secondsOf } from '#lib/base/calendar.ts'
import { chargeEveryone } from '#lib/billing/charges/charge-run.ts'
import { allocateEveryone } from '#lib/billing/payments/allocate-oldest.ts'
import { sumUpDays } from '#lib/calls/report/day-groups.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { enforceAgeLimits, measureSuspense } from '#lib/cdrs/pipeline/retry.ts'
import { storeFilesOfPastDays } from '#lib/invoicing/documents/stored-files.ts'
import { numberEveryone } from '#lib/invoicing/journal/number-entries.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { keyIn } from '#lib/table/keys.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import { below } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { openTable, optionsFor, scannedPages } from '../command-line/open-table.ts'
import { bucketAt, runArchiveOnce } from '../commands/archive/archive.ts'

const HOUR_MS = 3_600_000
const RUNS_A_DAY = 24

/** Scheduled work, done by EventBridge in AWS. Returns the fields of its log line. */
type Job = (location: TableLocation, hasTime: () => boolean) => Promise<LogFields>

/** Makes due charges. `npx tollgate charges list` shows subscriptions that cannot be charged. */
async function chargeOnce(location: TableLocation): Promise<LogFields> {
  const store = openTable(location)
  const run = { store, settings: await settingsOf(store), now: new Date() }
  for await (const _ of chargeEveryone(run));
  return {}
}

/** Resumes allocations of payments that were interrupted. */
async function allocateOnce(location: TableLocation): Promise<LogFields> {
  const store = openTable(location)
  const { parts, reason } = await allocateEveryone({
    ...{ store, settings: await settingsOf(store), now: new Date() },
  })
  return { parts, ...(reason !== undefined && { reason }) }
}

/** Numbers the entries of the journal. */
async function numberOnce(location: TableLocation): Promise<LogFields> {
  const store = openTable(location)
  const { numbered, refused } = await numberEveryone({ store, settings: await settingsOf(store) })
  return { numbered, ...(refused.length > 0 && { reason: refused.join('; ') }) }
}

/** Stores the files of documents that were issued up to yesterday. */
async function storeDocumentsOnce(location: TableLocation, hasTime: () => boolean): Promise<LogFields> {
  const store = openTable(location)
  const source = { store, settings: await settingsOf(store), now: new Date(), bucket: bucketAt(location) }
  const { stored, problems } = await storeFilesOfPastDays(source, hasTime)
  return { stored, ...(problems.length > 0 && { reason: problems.join('; ') }) }
}

/** Sums up the days that have changed. */
export async function sumUpOnce(location: TableLocation, hasTime = () => true): Promise<LogFields> {
  const store = openTable(location)
  const settings = await settingsOf(store)
  await sumUpDays({ store, settings, now: new Date(), hasTime })
  return {}
}

/** Suspends overdue dialog events, removes old entries of suspense, and measures it. */
async function lookAtSuspense(location: TableLocation): Promise<LogFields> {
  const mediation = await openMediation(openTable(location), new Date())
  await enforceAgeLimits(mediation)
  return { ...(await measureSuspense(mediation)) }
}

/** Archives closed days into the folder of the installation, if Calls_Keep_Days is set. */
async function archiveOnce(location: TableLocation): Promise<LogFields> {
  const store = openTable(location)
  if ((await settingsOf(store)).Calls_Keep_Days === undefined) return {}
  let last = ''
  for await (const line of runArchiveOnce(store, location)) last = line
  return { archived: last }
}

/** An item stays for an hour after its end: what reads it has its own clock. */
const GRACE_SECONDS = 3600

/**
 * Removes expired items, as DynamoDB does within two days. The embedded engine has no such run of its own. It
 * finds them: only their keys are sent. Reads the whole table, so it runs once a day.
 */
export async function removeExpired(location: TableLocation, now: Date): Promise<number> {
  const store = openTable(location)
  const before = secondsOf(now) - GRACE_SECONDS
  const filter = {
    FilterExpression: 'expires_at < :before',
    ExpressionAttributeValues: { ':before': before },
    ProjectionExpression: 'PK, SK',
  }
  let removed = 0
  for await (const { items } of scannedPages(optionsFor(location), { filter }))
    for (const item of items) {
      const removal = { remove: keyIn(item), when: { expires_at: below(before) } }
      if (await hasWritten(store.transact([removal]))) removed += 1
    }
  return removed
}

const HOURLY: Readonly<Record<string, Job>> = {
  charge_subscriptions: chargeOnce,
  allocate_payments: allocateOnce,
  number_entries: numberOnce,
  store_documents: storeDocumentsOnce,
  sum_up_days: (location, hasTime) => sumUpOnce(location, hasTime),
  suspense: lookAtSuspense,
}

/** Their first run is an hour after the start, so that a developer's restart costs nothing. */
const DAILY: Readonly<Record<string, Job>> = {
  archive_calls: archiveOnce,
  remove_expired: async (location) => ({ removed: await removeExpired(location, new Date()) }),
}

/** A schedule: how often it runs, and what it reports. */
interface ScheduleOptions {
  /** Receives a line of the log for each job that failed or that found something. */
  readonly log: (line: LogFields) => void
  /** Receives the line of a job that found nothing, for the metrics. */
  readonly count: (line: LogFields) => void
  /** For the embedded engine. DynamoDB removes expired items itself. */
  readonly isOwnEngine: boolean
}

/** Does the scheduled work at once and then every hour. Returns a function that stops it. */
export function startSchedule(
  location: TableLocation,
  { log, count, isOwnEngine }: ScheduleOptions,
): () => Promise<void> {
  let [isStopped, runs] = [false, 0]
  const due = (): Readonly<Record<string, Job>> => {
    const isDaily = runs++ % RUNS_A_DAY === 1
    const { remove_expired, ...others } = DAILY
    return { ...HOURLY, ...(isDaily && (isOwnEngine ? DAILY : others)) }
  }
  const write = (line: LogFields) => (hasNews(line) ? log : count)(line)
  const run = async () => {
    const jobs = Object.entries(due())
    for (const [name, job] of jobs)
      if (!isStopped)
        await lineOf(
          name,
          job(location, () => !isStopped),
        ).then(write)
  }
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, HOUR_MS)
  return async () => {
    isStopped = true
    clearInterval(timer)
    await running
  }
}

const hasNews = ({ function: _name, outcome, ...found }: LogFields): boolean =>
  outcome !== 'done' || Object.values(found).some((value) => value !== 0)

/** A job that failed says why, and the next run does its work. */
const lineOf = async (name: string, work: Promise<LogFields>): Promise<LogFields> => ({
  function: name,
  outcome: 'done',
  ...(await work.catch(({ message }: Error) => ({ outcome: 'failed', error: message }))),
})
