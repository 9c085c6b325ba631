import { type Day, type Period, periodOfDay } from '#lib/domain/calendar.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { openRerater, type Rerater, type ReratingOptions, type Verdict } from '#lib/rating/rerating.ts'
import { findAccounts, findCallers } from '#lib/store/accounts/account.ts'
import { type Call, findCalls } from '#lib/store/calls/call.ts'
import { listCallDays, listCalls } from '#lib/store/calls/call-search.ts'
import { type CallChange, storeCalls } from '#lib/store/calls/call-storage.ts'
import { beginRerating, listReratings, putRerating } from '#lib/store/calls/rerating-log.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'
import { type CallSpool, createCallSpool } from './call-spool.ts'
import {
  type Difference,
  differenceInWords,
  noDifference,
  noteChange,
  noteSkipped,
  totalOf,
} from './difference.ts'

/** The calls that an operator wants re-rated. */
export interface RerateWish extends ReratingOptions {
  /** Both included. */
  readonly from: Day
  readonly till: Day
  /** A username: only this customer's. */
  readonly user?: string | undefined
}

export interface RerateWorld {
  readonly store: Store
  readonly clock: () => Date
  readonly say: (line: string) => void
  /** Asks whether to make the changes that were shown. */
  readonly agreed: () => Promise<boolean>
}

/**
 * Re-rates calls: shows what changes for each customer, and makes the changes if they are agreed to. Calls and their
 * counters change together, each call once, however often the run is interrupted and repeated. A call that others change
 * meanwhile is rated once more. Returns whether the changes were made.
 */
export async function rerate(world: RerateWorld, wish: RerateWish): Promise<boolean> {
  const spool = await createCallSpool()
  try {
    const rerater = await openRerater(world.store, wish)
    const difference = await plan(world.store, { wish, rerater, spool })
    for (const line of await told(world.store, difference)) world.say(line)
    if (difference.customers.size === 0) return true
    if (!(await world.agreed())) return false
    const changed = await carryOut(world, { wish, rerater, spool })
    world.say(`${changed} ${changed === 1 ? 'call has' : 'calls have'} new prices`)
    return true
  } finally {
    await spool.remove()
  }
}

interface Run {
  readonly wish: RerateWish
  readonly rerater: Rerater
  readonly spool: CallSpool
}

async function plan(store: Store, { wish, rerater, spool }: Run): Promise<Difference> {
  const difference = noDifference()
  for await (const calls of callsOf(store, wish)) {
    for (const verdict of await rerater(calls)) note(difference, verdict, spool)
  }
  return difference
}

function note(difference: Difference, verdict: Verdict, spool: CallSpool): void {
  if (verdict === 'same') difference.same += 1
  else if ('skipped' in verdict) noteSkipped(difference, verdict.skipped)
  else {
    noteChange(difference, verdict)
    spool.add(verdict)
  }
}

/** The calls of the days, of everybody or of one customer. */
async function* callsOf(store: Store, { from, till, user }: RerateWish): AsyncGenerator<Call[]> {
  const { Timezone } = readSettings(await findSettings(store))
  const scopes = [user === undefined ? ('everyone' as const) : { user: await idOf(store, user) }]
  const period: Period = { from: periodOfDay(from, Timezone).from, till: periodOfDay(till, Timezone).till }
  yield* listCalls(store, await listCallDays(store, scopes, { from, till }), period)
}

async function idOf(store: Store, username: string): Promise<number> {
  const [account] = await findCallers(store, [username])
  if (account) return account.id
  throw new CommandError(`There is no account ${username}`)
}

async function told(store: Store, difference: Difference): Promise<string[]> {
  const ids = [...difference.customers.keys()]
  const accounts = await findAccounts(store, ids)
  const names = new Map(ids.map((id, place) => [id, accounts[place]?.username ?? `account ${id}`]))
  return differenceInWords(difference, (user) => names.get(user) ?? '')
}

const CHANGES_AT_ONCE = 500

async function carryOut({ store, clock }: RerateWorld, { wish, rerater, spool }: Run): Promise<number> {
  const run = await beginRerating(store, JSON.stringify(wish), clock())
  const done = noDifference()
  for await (const changes of spool.changes(CHANGES_AT_ONCE))
    await makeChanges(store, changes, { rerater, done })
  const { calls, before, after } = totalOf(done)
  const ended_at = clock().toISOString()
  await putRerating(store, { ...run, ended_at, changed: calls, before: before.user, after: after.user })
  return calls
}

interface Making {
  readonly rerater: Rerater
  readonly done: Difference
}

/** A call that others changed meanwhile is read and rated once more. */
async function makeChanges(
  store: Store,
  planned: readonly CallChange[],
  { rerater, done }: Making,
): Promise<void> {
  let changes = [...planned]
  while (changes.length > 0) {
    const missed = new Set(await storeCalls(store, changes))
    for (const change of changes) if (!missed.has(change)) noteChange(done, change)
    changes = await plannedAgain(store, [...missed], rerater)
  }
}

async function plannedAgain(
  store: Store,
  missed: readonly CallChange[],
  rerater: Rerater,
): Promise<CallChange[]> {
  const found = await findCalls(
    store,
    missed.map(({ after }) => after),
  )
  const verdicts = await rerater(found.filter((call) => call !== undefined))
  return verdicts.filter((verdict) => typeof verdict === 'object' && 'after' in verdict)
}

/** A line for each run, oldest first. */
export async function describeReratings(store: Store): Promise<string[]> {
  return (await listReratings(store)).map(({ at, wish, ended_at, changed, before, after }) =>
    ended_at === undefined
      ? `${at}  not ended  ${wish}`
      : `${at}  ${changed} calls, ${before} -> ${after}  ${wish}`,
  )
}
