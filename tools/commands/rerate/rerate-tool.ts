import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { findAccounts } from '#lib/accounts/account.ts'
import { type Day, type Period, periodOfDay } from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { isZero, type Money, subtract } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import type { CallChange } from '#lib/calls/counted-change.ts'
import { PAYERS } from '#lib/calls/rating/call-rating.ts'
import { describeOldest } from '#lib/calls/rating/rate-book.ts'
import {
  type Difference,
  isChange,
  noDifference,
  noteChange,
  noteVerdict,
  openRerater,
  type Rerater,
  type ReratingOptions,
  type ReratingSkipReason,
  type ReratingSums,
  storeRerated,
  totalDifference,
} from '#lib/calls/rating/rerating.ts'
import { beginRerating, listReratings, putRerating } from '#lib/calls/rating/rerating-log.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { findAccountNamed, findProvidersNamed, findTariffNamed } from '../../command-line/named.ts'
import { noteDone } from '../../command-line/over-table.ts'
import { createProgress } from '../../command-line/progress.ts'

/** The calls that an operator wants re-rated. */
export interface RerateOptions extends ReratingOptions {
  readonly from: Day
  readonly till: Day
  readonly user?: string | undefined
}

/** Shows the difference to the operator. Returns whether to change these calls. */
export type Approval = (difference: readonly string[], calls: number) => Promise<boolean>

/**
 * Re-rates calls: shows each customer's difference, and changes the calls if approved. A call and its
 * counters change together and once, even if the run is interrupted and repeated. A call that changes
 * meanwhile is rated again. Returns the number of changed calls, `undefined` without approval.
 */
export async function rerate(
  store: Store,
  clock: () => Date,
  options: RerateOptions,
  approve: Approval,
): Promise<number | undefined> {
  await refuseUnknown(store, options)
  const spool = await createCallSpool()
  try {
    const rerater = await openRerater(store, options)
    const difference = await plan(store, { options, rerater, spool })
    const { calls } = totalDifference(difference)
    const isApproved = await approve(await describe(store, difference), calls)
    if (calls === 0) return 0
    return isApproved ? await carryOut(store, clock, { options, rerater, spool, calls }) : undefined
  } finally {
    await spool.remove()
  }
}

/** Without this, a misspelled id would select no calls. */
async function refuseUnknown(store: Store, { tariff, provider }: RerateOptions): Promise<void> {
  if (tariff !== undefined) await findTariffNamed(store, String(tariff))
  if (provider !== undefined) await findProvidersNamed(store, [String(provider)])
}

interface Run {
  readonly options: RerateOptions
  readonly rerater: Rerater
  readonly spool: CallSpool
}

async function plan(store: Store, { options, rerater, spool }: Run): Promise<Difference> {
  const difference = noDifference()
  const progress = createProgress(process.stderr, Date.now, WORDS)
  const { batches, total } = await callsOf(store, options)
  let done = 0
  for await (const calls of batches) {
    for (const verdict of await rerater(calls)) {
      noteVerdict(difference, verdict)
      if (isChange(verdict)) spool.add(verdict)
    }
    done += calls.length
    progress.show({ file: 'calls', phase: 'check', done, total })
  }
  progress.stop()
  return difference
}

const WORDS = { check: 'rating', compare: 'rating', write: 'changing', noun: 'calls' }

/** The calls of the days, of all customers or of one, and their number. */
async function callsOf(store: Store, { from, till, user }: RerateOptions) {
  const settings = await settingsOf(store)
  const { Timezone, archivedBefore } = settings
  if (archivedBefore !== undefined && from < archivedBefore)
    throw new Refusal('archived_days', { before: archivedBefore })
  const scopes = [
    user === undefined ? ('everyone' as const) : { user: (await findAccountNamed(store, user)).id },
  ]
  const period: Period = { from: periodOfDay(from, Timezone).from, till: periodOfDay(till, Timezone).till }
  const days = await listCallDays(store, scopes, { from, till }, settings)
  return { batches: listCalls(store, days, period), total: days.reduce((sum, { calls }) => sum + calls, 0) }
}

async function describe(store: Store, difference: Difference): Promise<string[]> {
  const { Default_Currency: currency } = await settingsOf(store)
  const ids = [...difference.customers.keys()]
  const accounts = await findAccounts(store, ids)
  const names = new Map(ids.map((id, index) => [id, accounts[index]?.username ?? `account ${id}`]))
  return [
    ...describeDifference(difference, (user) => names.get(user) ?? '', currency),
    ...describeOldest(store.meter.noted.oldest_version ?? 0),
  ]
}

/** Calls that are changed at once. */
const BATCH_SIZE = 500

async function carryOut(
  store: Store,
  clock: () => Date,
  { options, rerater, spool, calls: total }: Run & { readonly calls: number },
): Promise<number> {
  const run = await beginRerating(store, JSON.stringify(options), clock())
  const done = noDifference()
  const progress = createProgress(process.stderr, Date.now, WORDS)
  let passed = 0
  for await (const planned of spool.changes(BATCH_SIZE)) {
    for (const change of await storeRerated(store, rerater, planned)) noteChange(done, change)
    passed += planned.length
    noteDone(`${countOf(totalDifference(done).calls, 'call')} changed`)
    progress.show({ file: 'calls', phase: 'write', done: passed, total })
  }
  progress.stop()
  const { calls, before, after } = totalDifference(done)
  const ended_at = clock().toISOString()
  await putRerating(store, { ...run, ended_at, changed: calls, before: before.user, after: after.user })
  return calls
}

/** The runs, oldest first. A run that did not finish has no sums. */
export async function listReratingRows(store: Store): Promise<Listing> {
  const { Default_Currency } = await settingsOf(store)
  const runs = (await listReratings(store)).map((run) => ({
    at: run.at,
    wish: run.wish,
    done: run.ended_at ? run : undefined,
  }))
  return listingOf(store, 'run', runs, {
    at: 'time',
    ended: ['time', ({ done }) => done?.ended_at],
    calls: ['number', ({ done }) => done?.changed],
    before: ['number', ({ done }) => done?.before],
    after: ['number', ({ done }) => done?.after],
    currency: ['text', () => Default_Currency],
    options: ['text', ({ wish }) => wish],
  })
}

/** Planned changes in a temporary file: memory holds only a few of them. */
interface CallSpool {
  add(change: CallChange): void
  /** All changes in their order, `size` at a time. No change can be added afterwards. */
  changes(size: number): AsyncGenerator<CallChange[]>
  remove(): Promise<void>
}

async function createCallSpool(): Promise<CallSpool> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-rerate-'))
  const path = join(folder, 'changes')
  const file = createWriteStream(path, { mode: 0o600 })
  let failure: Error | undefined
  file.on('error', (error) => {
    failure = error
  })
  return {
    add: (change) => void file.write(`${JSON.stringify(change)}\n`),
    async *changes(size) {
      file.end()
      await finished(file)
      if (failure) throw failure
      const lines = createInterface({ input: createReadStream(path) })
      for await (const some of inBatches(lines, size))
        yield some.map((line) => JSON.parse(line) as CallChange)
    },
    remove: async () => {
      file.end()
      await finished(file).catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A line for each customer, by name, then the total, and a line for each reason to skip calls. */
function describeDifference(
  difference: Difference,
  usernameOf: (user: number) => string,
  currency: string,
): string[] {
  const customers = [...difference.customers].map(
    ([user, sums]) => `${usernameOf(user)}: ${describeSums(sums, currency)}`,
  )
  const skipped = [...difference.skipped].map(
    ([reason, count]) => `${countOf(count, 'call')} skipped: ${REASONS[reason]}`,
  )
  return [
    ...customers.sort(),
    `total: ${describeSums(totalDifference(difference), currency)}`,
    `${countOf(difference.same, 'call')} unchanged`,
    ...skipped.sort(),
  ]
}

const describeSums = ({ calls, before, after }: ReratingSums, currency: string): string => {
  const money = PAYERS.filter((payer) => payer === 'user' || before[payer] !== after[payer]).map(
    (payer) =>
      `${LABELS[payer]}${before[payer]} -> ${after[payer]} ${currency} (${signed(subtract(after[payer], before[payer]))})`,
  )
  return `${countOf(calls, 'call')}, ${money.join(', ')}`
}

/** The reasons in words; some name the option that overrides them. */
const REASONS: Readonly<Record<ReratingSkipReason, string>> = {
  not_selected: 'not selected',
  invoiced: 'invoiced (--include-invoiced overrides this)',
  came_priced: 'came with a price (--include-priced overrides this)',
  internal: 'internal',
  incoming: 'incoming',
  feature_code: 'feature code',
  short_number: 'short number',
  former_owner: 'from before its customer had its present owner',
  unknown_rate: 'unknown rate',
  ambiguous_number: 'number not known',
  unreadable: 'no number',
  blocked_destination: 'blocked prefix',
}

const LABELS = { user: '', reseller: 'reseller ', provider: 'provider ' } as const

const signed = (amount: Money): string => (amount.startsWith('-') || isZero(amount) ? amount : `+${amount}`)
