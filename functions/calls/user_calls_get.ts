import { answerTooLarge } from '#lib/api/errors.ts'
import { accountIn } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import {
  ALL,
  echoed,
  idOrAll,
  onlyDefault,
  prefixFilter,
  textParam,
  timestamp,
  wordParam,
} from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import type { Actor } from '#lib/base/account-types.ts'
import {
  ALL_TIME,
  formatDateTime,
  momentFormatter,
  type Period,
  periodOfDay,
  periodOrToday,
  type Seconds,
} from '#lib/base/calendar.ts'
import { fullPrecision } from '#lib/base/money.ts'
import { type Scope, seesAccount } from '#lib/base/scope.ts'
import type { Call } from '#lib/calls/call.ts'
import { callScopesOf, requiredCallOwner } from '#lib/calls/call-scope.ts'
import { type FoundCalls, searchCall, searchCalls } from '#lib/calls/call-search.ts'
import { archivedNotice } from '#lib/calls/retention.ts'
import { digitsOf } from '#lib/rates/rating.ts'
import { type Content, type Element, element } from '#lib/xml/element.ts'
import { recordWriter } from '#lib/xml/row-writer.ts'
import { type CountedMarkup, countRows } from '#lib/xml/spool.ts'

/** The signed parameters before s_user and after it, in order. */
const PERIOD = ['period_start', 'period_end'] as const
const DOCUMENTED = ['s_call_type', 's_device', 's_provider', 's_uniqueid'] as const

/** Deployed clients sign all of these after s_user, most of them with a default value. */
const SIGNED_BY_CLIENTS = [
  's_call_type',
  's_device',
  's_provider',
  's_hgc',
  's_did',
  's_destination',
  'order_by',
  'order_desc',
  'only_did',
  's_uniqueid',
  's_callback_uniqueid',
  'originator_codec_name',
  'terminator_codec_name',
] as const

const contract = defineContract({
  name: 'user_calls_get',
  aliases: ['user_calls'],
  summary: 'The billed calls of a period, in order of time.',
  callers: {
    allowed: ['admin', 'reseller', 'accountant', 'partner', 'user'],
    anonymous: 'Dont_be_so_smart',
  },
  params: {
    period_start: timestamp,
    period_end: timestamp,
    s_user: echoed(textParam),
    s_call_type: echoed(wordParam('answered', 'busy', 'no_answer', 'no answer', 'failed')),
    s_device: echoed(idOrAll),
    s_provider: idOrAll,
    s_hgc: idOrAll,
    s_did: onlyDefault(ALL),
    s_destination: prefixFilter,
    order_by: onlyDefault('time'),
    order_desc: onlyDefault('0'),
    only_did: onlyDefault('0'),
    s_uniqueid: textParam,
    s_callback_uniqueid: onlyDefault(),
    originator_codec_name: onlyDefault(),
    terminator_codec_name: onlyDefault(),
  },
  /** Deployed clients do not sign the value `all` (wire.md 3.2, user_calls_get). */
  hashOrders: [
    { signs: [...PERIOD, 's_user', ...DOCUMENTED] },
    { signs: [...PERIOD, ...DOCUMENTED], when: { s_user: ALL } },
    { signs: [...PERIOD, 's_user', ...SIGNED_BY_CLIENTS] },
    { signs: [...PERIOD, ...SIGNED_BY_CLIENTS], when: { s_user: ALL } },
  ],
  errors: { no_user: 'User was not found' },
  envelope: 'page',
  access: 'read',
  streams: true,
  loads: { account: accountIn('s_user') },
})

type CallsRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { caller, params, settings, clock, refuse } = request
  const { Timezone } = settings
  const { account } = request.loaded
  const period = periodOrToday({ from: params.period_start, till: params.period_end }, clock(), Timezone)
  const user = accountNamed(request)
  const scopes = user === undefined ? callScopesOf(caller) : [{ user }]
  // Checked before any call is read: the time of a refusal reveals neither the account nor its calls.
  if (user !== undefined && !(account && seesAccount(caller, account))) throw refuse('no_user')

  const filter = filterOf(request)
  const found = await search(request, scopes, period)
  const total = totalFromCounters(found.total, filter)
  const batches = renderCalls(found.batches, filter, request)
  const { count, rows } =
    total === undefined
      ? await countRows(batches, answerTooLarge)
      : { count: total, rows: { batches, expectedBytes: total * CALL_BYTES } }
  return [
    element('pagename', 'Calls'),
    element('language', 'en'),
    archivedElement(request, period, count),
    element('userid', caller.id),
    element('username', caller.username),
    element('total_calls', count),
    element('currency', settings.Default_Currency),
    statElement(request, period, count > 0 ? element('calls', rows) : undefined),
  ]
})

export const handler = lambda(method)

/** The named account; `undefined` for all that the caller sees. A plain user names none (wire.md 5.2). */
const accountNamed = ({ caller, params }: CallsRequest): number | undefined =>
  caller.usertype === 'user' ? undefined : idOrAll.read(params.s_user.sent, 's_user')

function search(request: CallsRequest, scopes: readonly Scope[], period: Period): Promise<FoundCalls> {
  const { params, settings, store } = request
  const { from, till } = searchedPeriod(params, period)
  const inTable = { from: Math.max(from, firstMomentInTable(settings)), till }
  return params.s_uniqueid
    ? searchCall(store, params.s_uniqueid.trim(), { of: scopes, period: inTable })
    : searchCalls(store, { of: scopes, period: inTable, settings })
}

/** Without a sent period, a call is found by its unique id in any period (wire.md user_calls_get). */
const searchedPeriod = (params: CallsRequest['params'], period: Period): Period =>
  isSearchedEverywhere(params) ? ALL_TIME : period

const isSearchedEverywhere = ({ s_uniqueid, period_start, period_end }: CallsRequest['params']): boolean =>
  Boolean(s_uniqueid) && period_start === undefined && period_end === undefined

/** The first second whose calls are not archived. */
const firstMomentInTable = ({ archivedBefore, Timezone }: CallsRequest['settings']): Seconds =>
  archivedBefore === undefined ? ALL_TIME.from : periodOfDay(archivedBefore, Timezone).from

/** Says that calls may be missing because they are archived (wire.md user_calls_get). */
function archivedElement({ params, settings }: CallsRequest, period: Period, count: number): Element {
  const { archivedBefore } = settings
  const isFound = isSearchedEverywhere(params) && count > 0
  const isInTable = searchedPeriod(params, period).from >= firstMomentInTable(settings)
  return archivedBefore === undefined || isFound || isInTable
    ? element('error_msg')
    : element('error_msg', archivedNotice(archivedBefore))
}

/** Up to this number calls are counted one by one: exact even while calls are being stored. */
const MAX_COUNTED_CALLS = 2000

/** The total of the day counters; `undefined` for a filtered or short list, counted while printed. */
const totalFromCounters = (total: number | undefined, filter: CallFilter): number | undefined =>
  total !== undefined && total > MAX_COUNTED_CALLS && !isFiltering(filter) ? total : undefined

/** The usual size of a call's markup, with a reserve. */
const CALL_BYTES = 540

/** Plain users and partners cannot filter by provider, since they must not learn which providers exist. */
function filterOf(request: CallsRequest): CallFilter {
  const { caller, params } = request
  return {
    disposition: params.s_call_type.means && dispositionWord(params.s_call_type.means),
    device_id: params.s_device.means,
    provider_id: ['user', 'partner'].includes(caller.usertype) ? undefined : params.s_provider,
    owner_id: requiredCallOwner(caller, accountNamed(request)),
    hangupcause: params.s_hgc,
    destination: params.s_destination,
  }
}

/** The calls of a period to print. A missing field does not filter. */
interface CallFilter {
  readonly disposition?: string | undefined
  readonly device_id?: number | undefined
  readonly provider_id?: number | undefined
  readonly owner_id?: number | undefined
  readonly hangupcause?: number | undefined
  /** The prefix of the dialled number, in digits. */
  readonly destination?: string | undefined
}

const EXACT_FILTERS = ['device_id', 'provider_id', 'owner_id', 'hangupcause'] as const

const isFiltering = (filter: CallFilter): boolean =>
  Object.values(filter).some((wanted) => wanted !== undefined)

const matchesFilter = (filter: CallFilter, call: Call): boolean =>
  (filter.disposition === undefined || dispositionWord(call.disposition) === filter.disposition) &&
  (filter.destination === undefined || digitsOf(call.dst).startsWith(filter.destination)) &&
  EXACT_FILTERS.every((name) => filter[name] === undefined || filter[name] === call[name])

/** `NO ANSWER` of switches and `no_answer` of the API are one word (wire.md user_calls_get). */
const dispositionWord = (disposition: string): string => disposition.toLowerCase().replaceAll(' ', '_')

async function* renderCalls(
  batches: FoundCalls['batches'],
  filter: CallFilter,
  { caller, settings }: CallsRequest,
): AsyncGenerator<CountedMarkup> {
  const write = recordWriter('call', cellsFor(caller, settings.Timezone))
  const isAny = !isFiltering(filter)
  for await (const batch of batches) {
    const calls = isAny ? batch : batch.filter((call) => matchesFilter(filter, call))
    yield { ...write(calls), count: calls.length }
  }
}

const HIDDEN_FROM_USERS = ['provider_id', 'provider_rate', 'provider_price', 'reseller_price']

const CELLS = {
  src: ({ src }) => src,
  dst: ({ dst }) => dst,
  disposition: ({ disposition }) => disposition,
  billsec: ({ billsec }) => billsec,
  nice_billsec: ({ billsec }) => billsec,
  user_rate: ({ user_rate }) => printedMoney(user_rate),
  user_price: ({ user_price }) => printedMoney(user_price),
  provider_id: ({ provider_id }) => provider_id,
  provider_rate: ({ provider_rate }) => printedMoney(provider_rate),
  provider_price: ({ provider_price }) => printedMoney(provider_price),
  reseller_price: ({ reseller_price }) => printedMoney(reseller_price),
  hangupcause: ({ hangupcause }) => hangupcause,
  uniqueid: ({ uniqueid }) => uniqueid,
} satisfies Readonly<Record<string, (call: Call) => string | number | undefined>>

/** The cells of a call, in order, that the caller sees. */
function cellsFor({ usertype }: Actor, zone: string) {
  const formatMoment = momentFormatter(zone)
  const seen = Object.entries(CELLS).filter(
    ([field]) => usertype !== 'user' || !HIDDEN_FROM_USERS.includes(field),
  )
  return {
    calldate2: ({ calldate }: Call) => formatMoment(calldate).dateTime,
    timezone: ({ calldate }: Call) => formatMoment(calldate).offset,
    ...Object.fromEntries(seen),
  }
}

const printedMoney = (amount: string | undefined): string | undefined =>
  amount === undefined ? undefined : fullPrecision(amount)

/** Repeats the sent filters that had an effect. */
const statElement = ({ params, settings }: CallsRequest, { from, till }: Period, calls: Content): Element =>
  element(
    'calls_stat',
    element(
      'period',
      element('period_start', formatDateTime(from, settings.Timezone)),
      element('period_end', formatDateTime(till, settings.Timezone)),
    ),
    element('show_user', params.s_user.sent || ALL),
    element('show_device', params.s_device.sent || ALL),
    element('show_status', params.s_call_type.means ? params.s_call_type.sent : ALL),
    calls,
  )
