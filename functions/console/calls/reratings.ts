import { type RateAgainAnswer, rateAgainAnswer, reratingsAnswer } from '#lib/api/console/answers/calls.ts'
import { visibleCustomer } from '#lib/api/console/customer-scope.ts'
import { invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { dayValue, oneWord, plainText, wholeNumber, yesValue } from '#lib/api/console/values.ts'
import { OPERATORS } from '#lib/base/account-types.ts'
import { type Days, dayOf, formatIso } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { Scope } from '#lib/base/scope.ts'
import { isCallPlace, newestCalls } from '#lib/calls/call-page.ts'
import { listCallDays } from '#lib/calls/call-search.ts'
import { PAYERS } from '#lib/calls/rating/call-rating.ts'
import {
  type Difference,
  isChange,
  noDifference,
  noteChange,
  noteVerdict,
  openRerater,
  type ReratingOptions,
  storeRerated,
  totalDifference,
  type Verdict,
} from '#lib/calls/rating/rerating.ts'
import {
  beginRerating,
  continueRerating,
  findRerating,
  newestReratings,
  type Rerating,
} from '#lib/calls/rating/rerating-log.ts'
import { archivedNotice } from '#lib/calls/retention.ts'
import { findProviders } from '#lib/rates/provider.ts'
import { findTariff } from '#lib/rates/tariff.ts'

/** The calls of a page: a hundred changes and their counters take some seconds. */
const PAGE_CALLS = 100

const SHOWN_RUNS = 20

const selected = {
  from: dayValue,
  till: dayValue,
  with: oneWord('active', 'as-of'),
  customer: wholeNumber,
  tariff: wholeNumber,
  provider: wholeNumber,
  includeInvoiced: yesValue,
  includePriced: yesValue,
  after: plainText,
}

type Selected = ConsoleRequest<typeof selected>

export const resource = defineResource({
  name: 'reratings',
  access: 'suspense',
  operations: [
    operation('GET', '/reratings', {
      summary: 'The last 20 runs that re-rated calls, the newest first. One that did not finish has no end.',
      callers: OPERATORS,
      answer: reratingsAnswer,
      run: async ({ store, settings }) => ({
        currency: settings.Default_Currency,
        runs: (await newestReratings(store, SHOWN_RUNS)).map(
          ({ at, ended_at, changed, before, after, wish }) => ({
            at: formatIso(at, settings.Timezone),
            ended: ended_at === undefined ? null : formatIso(ended_at, settings.Timezone),
            ...{ changed, before, after, options: wish },
          }),
        ),
      }),
    }),
    operation('POST', '/reratings/preview', {
      summary:
        'Rates 100 of the chosen calls again, the newest first, and answers with the sums before and after; it changes nothing. Send `next` as `after` until it is null.',
      callers: ['admin'],
      params: selected,
      answer: rateAgainAnswer,
      run: async (request) => {
        const page = await ratePage(request)
        const difference = noDifference()
        for (const verdict of page.verdicts) noteVerdict(difference, verdict)
        return answerOf(request, page, difference)
      },
    }),
    operation('POST', '/reratings', {
      summary:
        'The same, and changes the calls. The first page begins a run: send its `run` with the others. A call that has its new price keeps it, so that any page can be sent again.',
      callers: ['admin'],
      params: { ...selected, run: plainText },
      answer: rateAgainAnswer,
      run: changePage,
    }),
  ],
})

export const handler = consoleLambda(resource)

/** The options of a run. The log of runs has them in JSON, as the command writes them. */
function optionsOf({ params }: Pick<Selected, 'params'>): Days & ReratingOptions {
  const { from, till, with: version, customer, tariff, provider } = params
  if (!from || !till || !version)
    throw invalidValue('from, till and with are needed: name the days and the version')
  if (from > till) throw invalidValue(`from is ${from}: it is after till, ${till}`)
  const [includeInvoiced, includePriced] = [params.includeInvoiced === 'yes', params.includePriced === 'yes']
  const options = { from, till, with: version, customer, tariff, provider, includeInvoiced, includePriced }
  return options
}

/** Without this, a wrong id would select no calls. */
async function scopeOf(request: Selected): Promise<Scope> {
  const { store, params } = request
  const { customer, tariff, provider } = params
  if (tariff !== undefined && !(await findTariff(store, tariff))) throw unknownThing('tariff', tariff)
  if (provider !== undefined && !(await findProviders(store, [provider]))[0])
    throw unknownThing('provider', provider)
  return customer === undefined ? 'everyone' : { user: (await visibleCustomer(request, customer)).id }
}

interface RatedPage {
  readonly calls: number
  /** All chosen calls, on the first page. */
  readonly total: number | null
  readonly verdicts: readonly Verdict[]
  readonly next: string | undefined
  readonly rerate: Awaited<ReturnType<typeof openRerater>>
}

async function ratePage(request: Selected): Promise<RatedPage> {
  const { store, settings, params } = request
  const { after } = params
  const options = optionsOf(request)
  const { archivedBefore, Timezone } = settings
  if (archivedBefore !== undefined && options.from < archivedBefore)
    throw invalidValue(`${archivedNotice(archivedBefore)} with their prices: begin at ${archivedBefore}`)
  if (after !== undefined && !isCallPlace(after))
    throw invalidValue(`after is "${after}": it is not a valid page key`)
  const of = [await scopeOf(request)]
  const last = after === undefined ? options.till : dayOf(Number.parseInt(after, 10), Timezone)
  const days = { from: options.from, till: last < options.till ? last : options.till }
  const every = { matches: () => true, count: PAGE_CALLS, mostRead: PAGE_CALLS }
  const { calls, next } = await newestCalls(store, { of, days, settings, after, ...every })
  const total = after === undefined ? await countCalls(request, of, days) : null
  const rerate = await openRerater(store, options)
  return { calls: calls.length, total, verdicts: await rerate(calls), next, rerate }
}

async function countCalls({ store, settings }: Selected, of: readonly Scope[], days: Days) {
  const counted = await listCallDays(store, of, days, settings)
  return counted.reduce((sum, { calls }) => sum + calls, 0)
}

type ChangeRequest = ConsoleRequest<typeof selected & { run: typeof plainText }>

/** Changes the calls of a page and notes them in the run. The first and the last page are logged. */
async function changePage(request: ChangeRequest): Promise<RateAgainAnswer> {
  const { store, clock, logged, claim, settings, params } = request
  const known = await runOf(request)
  const page = await ratePage(request)
  const run = await known()
  const difference = noDifference()
  for (const verdict of page.verdicts) if (!isChange(verdict)) noteVerdict(difference, verdict)
  const changes = await storeRerated(store, page.rerate, page.verdicts.filter(isChange))
  for (const change of changes) noteChange(difference, change)
  const { calls, before, after } = totalDifference(difference)
  const ended_at = page.next === undefined ? clock().toISOString() : undefined
  const sums = { changed: calls, before: before.user, after: after.user, ended_at }
  await continueRerating(store, run, sums, (done) => {
    const money = `${done.before} -> ${done.after} ${settings.Default_Currency}`
    if (ended_at === undefined) return []
    const entry = logged({ action: `re-rated ${done.changed} calls: ${money}` })
    return params.run === undefined ? [entry] : [entry, ...claim]
  })
  return answerOf(request, page, difference, `${run.at}#${run.id}`)
}

/** Finds the run of a request, or begins it when that is called. */
async function runOf(request: ChangeRequest): Promise<() => Promise<Rerating>> {
  const { store, params, clock, logged, claim } = request
  const wish = JSON.stringify(optionsOf(request))
  if (params.run === undefined)
    return () =>
      beginRerating(store, wish, clock(), [logged({ action: `re-rates calls: ${wish}` }), ...claim])
  const run = await findRerating(store, params.run)
  if (run?.wish === wish && run.ended_at === undefined) return async () => run
  throw new Refusal('run_ended', {})
}

async function answerOf(
  { link, store }: Pick<Selected, 'link' | 'store'>,
  { calls, total, next }: Pick<RatedPage, 'calls' | 'total' | 'next'>,
  { customers, skipped, same }: Difference,
  run: string | null = null,
): Promise<RateAgainAnswer> {
  const toLink = await link(customers.keys())
  return {
    ...{ calls, total, run, same, next: next ?? null, oldest: store.meter.noted.oldest_version ?? 0 },
    skipped: [...skipped].map(([reason, count]) => ({ reason, calls: count })),
    customers: [...customers].map(([id, sums]) => ({
      customer: toLink(id),
      calls: sums.calls,
      prices: PAYERS.map((payer) => ({ payer, before: sums.before[payer], after: sums.after[payer] })),
    })),
  }
}
