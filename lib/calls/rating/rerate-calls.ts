import { defineAct, requireCaller } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import {
  accountInput,
  choiceInput,
  dayInput,
  type GivenTexts,
  type Input,
  type InputValues,
  idInput,
  optionalInput,
  pageKeyInput,
  readInputs,
  refuseReversed,
  switchInput,
  textInput,
} from '#lib/acts/inputs.ts'
import { dayOf, periodOfDays } from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { add } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { tariffInput } from '#lib/rates/acts/tariff-input.ts'
import { findProviders } from '#lib/rates/provider.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { isCallPlace, newestCalls } from '../call-page.ts'
import { listCallDays, listCalls } from '../call-search.ts'
import type { CallChange } from '../counted-change.ts'
import { refuseArchivedDays } from '../retention.ts'
import { countCalls, type KeptPrices, type PriceChanges, sumOfChanges } from './price-changes.ts'
import { invoiceCheck } from './rate-book.ts'
import {
  type ChangesOfCustomers,
  isChange,
  noteChange,
  openRerater,
  type Rerater,
  type ReratingSkipReason,
  storeRerated,
  type Verdict,
} from './rerating.ts'
import {
  continuedRerating,
  findRerating,
  nameOfRerating,
  newRerating,
  putRerating,
  type Rerating,
  removedRerating,
} from './rerating-log.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly run_ended: Record<never, never>
  }
}

const providerInput: Input<{ readonly id: number }> = {
  ...idInput('only calls that this provider carried'),
  placeholder: 'PROVIDER',
  read: async (given, name, { store }) => {
    const [provider] = await findProviders(store, [idInput('').read(given, name)])
    if (!provider) throw new Refusal('unknown_name', { noun: 'provider', name: given }, name)
    return provider
  },
}

const inputs = {
  from: dayInput('the first day of the calls'),
  till: dayInput('the last day, included'),
  with: choiceInput(
    'active',
    'as-of',
  )(
    'rate by the version of each tariff that is active now, or as-of: by the version in force when the call began (the first version for older calls, and the oldest kept one for calls whose version is no longer kept)',
  ),
  customer: optionalInput(accountInput('only calls of this customer')),
  tariff: optionalInput(tariffInput('only prices by this tariff')),
  provider: optionalInput(providerInput),
  includeInvoiced: switchInput(
    'also calls whose payer has an invoice that was issued on the day of the call or later, or covers that day',
  ),
  includePriced: switchInput('also prices that came with the calls, or may have come with them'),
  after: optionalInput(
    pageKeyInput(isCallPlace)('only calls before this place: a page has 100 of them, the newest first'),
  ),
  run: optionalInput(textInput('the run that this page continues')),
}

type Choice = InputValues<typeof inputs>

/** Where planned changes are kept until they are made: a month of them may exceed the memory. */
interface PlannedChanges {
  add(change: CallChange): void
  /** All of them in their order. No change can be added afterwards. */
  all(): Iterable<CallChange> | AsyncIterable<CallChange>
}

/** What a re-rating changes, or has changed. */
export interface RatedAgain extends KeptPrices {
  readonly calls: number
  /** The number of all chosen calls; `null` after the first page. */
  readonly total: number | null
  readonly customers: ReadonlyMap<number, PriceChanges>
  /** The run that the next page belongs to; `null` if nothing was begun. */
  readonly run: string | null
  readonly next: string | null
}

interface ReratingPlan {
  readonly found: RatedAgain
  readonly changes: PlannedChanges
  readonly rerater: Rerater
}

const CALLERS = ['admin'] as const

/** Rates the chosen calls again, and changes nothing. Takes what `rerateCalls` does. Throws Refusal. */
export async function planRerating(
  context: ActContext,
  given: GivenTexts,
  changes?: PlannedChanges,
): Promise<ReratingPlan> {
  requireCaller({ callers: CALLERS }, context.actor)
  return planOf(context, await readInputs(inputs, given, context), changes)
}

function keptInMemory(): PlannedChanges {
  const kept: CallChange[] = []
  return { add: (change) => void kept.push(change), all: () => kept }
}

async function planOf(
  context: ActContext,
  choice: Choice,
  changes: PlannedChanges = keptInMemory(),
): Promise<ReratingPlan> {
  const { store, settings, onProgress } = context
  refuseReversed(choice)
  refuseArchivedDays(choice, settings)
  const { batches, total, next } = await callsToRate(context, choice)
  const rerater = await openRerater(store, optionsOf(choice))
  const customers: ChangesOfCustomers = new Map()
  const kept = new Map<'same' | ReratingSkipReason, number>()
  let calls = 0
  for await (const some of batches) {
    const verdicts = await rerater(some)
    for (const change of verdicts.filter(isChange)) {
      changes.add(change)
      noteChange(customers, change)
    }
    for (const reason of verdicts.flatMap(reasonToKeep)) kept.set(reason, (kept.get(reason) ?? 0) + 1)
    calls += some.length
    if (total !== null) onProgress?.({ done: calls, total })
  }
  const same = kept.get('same') ?? 0
  const skipped = [...kept].flatMap(([reason, count]) =>
    reason === 'same' || reason === 'not_selected' ? [] : [{ reason, calls: count }],
  )
  const oldest = store.meter.noted.oldest_version ?? 0
  return { changes, rerater, found: { calls, total, next, run: null, customers, same, skipped, oldest } }
}

const reasonToKeep = (verdict: Verdict) =>
  isChange(verdict) ? [] : [verdict === 'same' ? verdict : verdict.skipped]

/** All chosen calls, oldest first; or the newest that a request has the time for. */
async function callsToRate(
  { store, settings, mostAtOnce }: ActContext,
  { from, till, customer, after }: Choice,
) {
  const { Timezone } = settings
  const of = [customer ? { user: customer.id } : ('everyone' as const)]
  const last = after === undefined ? till : dayOf(Number.parseInt(after, 10), Timezone)
  const days = { from, till: last < till ? last : till }
  const counted = after === undefined ? await listCallDays(store, of, days, settings) : []
  const total = after === undefined ? countCalls(counted) : null
  if (mostAtOnce === undefined)
    return { batches: listCalls(store, counted, periodOfDays(days, Timezone)), total, next: null }
  const page = { count: mostAtOnce, mostRead: mostAtOnce, matches: () => true }
  const { calls, next = null } = await newestCalls(store, { of, days, settings, after, ...page })
  return { batches: [calls], total, next }
}

/** Changes that are stored at once. */
const BATCH_SIZE = 500

/**
 * Changes the calls that get other prices, each with its counters and once, also if the run is repeated. A
 * call that changes meanwhile is rated again. A request does a page, which continues the run of the pages
 * before it. A run has one entry of the log. It begins with the first page that has changes, and is none if
 * another run made all of them meanwhile.
 */
export const rerateCalls = (planned?: ReratingPlan, clock?: () => Date) =>
  defineAct({
    summary: 'Rate stored calls again, and change those that get other prices',
    callers: CALLERS,
    input: inputs,
    run: async (context, choice) => {
      const { store, now } = context
      // The log of runs has the options of a run in JSON.
      const wish = JSON.stringify(optionsOf(choice))
      const known = choice.run === undefined ? undefined : await openRun(store, choice.run, wish)
      const plan = planned ?? (await planOf(context, choice))
      const { found } = plan
      if (!known && found.customers.size === 0) return { answer: found }
      const run = known ?? newRerating(wish, now)
      const begins = known ? {} : { begins: `re-rates calls ${chosen(choice)}`, changes: [putRerating(run)] }
      return {
        ...begins,
        run,
        steps: async function* () {
          const customers = yield* changed(context, plan, planned !== undefined && !choice.includeInvoiced)
          const { calls, before, after } = sumOfChanges([...customers.values()])
          const done = {
            ...run,
            changed: run.changed + calls,
            before: add(run.before, before.user),
            after: add(run.after, after.user),
            ...(found.next === null && { ended_at: (clock?.() ?? now).toISOString() }),
          }
          if (done.changed === 0 && found.next === null)
            return { answer: { ...found, customers }, changes: [removedRerating(run)], did: null }
          const money = `${done.before} -> ${done.after} ${context.settings.Default_Currency}`
          const did = `re-rated ${countOf(done.changed, 'call')} ${chosen(choice)}: ${money}`
          return {
            answer: { ...found, customers, run: nameOfRerating(run) },
            changes: [continuedRerating(run, done)],
            did: found.next === null ? did : undefined,
          }
        },
      }
    },
  })

/** A month may be issued while a person reads the plan: `looksAgain` keeps the prices of its calls. */
async function* changed(
  { store }: ActContext,
  { found, changes, rerater }: ReratingPlan,
  looksAgain: boolean,
) {
  const total = countCalls([...found.customers.values()])
  const customers: ChangesOfCustomers = new Map()
  let tried = 0
  for await (const some of inBatches(changes.all(), BATCH_SIZE)) {
    const open = looksAgain ? await withoutInvoiced(store, some) : some
    for (const change of await storeRerated(store, rerater, open)) noteChange(customers, change)
    tried += some.length
    yield { done: tried, total }
  }
  return customers
}

async function withoutInvoiced(store: Store, some: readonly CallChange[]): Promise<CallChange[]> {
  const isInvoiced = invoiceCheck(store, await settingsOf(store))
  const invoiced = await Promise.all(some.map(({ before }) => before && isInvoiced(before)))
  return some.filter((_, index) => !invoiced[index])
}

const optionsOf = ({ from, till, customer, tariff, provider, ...choice }: Choice) => ({
  ...{ from, till, with: choice.with },
  ...{ customer: customer?.id, tariff: tariff?.id, provider: provider?.id },
  includeInvoiced: choice.includeInvoiced ?? false,
  includePriced: choice.includePriced ?? false,
})

const chosen = ({ from, till, customer }: Choice): string =>
  `of ${from === till ? from : `${from} to ${till}`}${customer ? ` by ${customer.username}` : ''}`

async function openRun(store: Store, name: string, wish: string): Promise<Rerating> {
  const run = await findRerating(store, name)
  if (run?.wish === wish && run.ended_at === undefined) return run
  throw new Refusal('run_ended', {})
}
