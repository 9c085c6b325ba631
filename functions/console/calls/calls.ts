import { callRowMaker } from '#lib/api/console/call-rows.ts'
import { visibleCustomer } from '#lib/api/console/customer-scope.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import {
  amountValue,
  dayValue,
  oneWord,
  pageKeyValue,
  plainText,
  wholeNumber,
  yesValue,
} from '#lib/api/console/values.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { type Day, dayOf, LAST_DAY, today } from '#lib/base/calendar.ts'
import { isPositive, subtract } from '#lib/base/money.ts'
import { type Scope, seesEveryone } from '#lib/base/scope.ts'
import type { Call } from '#lib/calls/call.ts'
import { isCallPlace, newestCalls } from '#lib/calls/call-page.ts'
import { callScopesOf, requiredCallOwner } from '#lib/calls/call-scope.ts'
import { isOfUnknownCost } from '#lib/calls/counters/statistics.ts'
import { unpricedReason } from '#lib/calls/rating/number-of-call.ts'
import { openRatedNames } from '#lib/calls/report/directory.ts'
import { daysInTable } from '#lib/calls/retention.ts'
import { digitsOf, isBelowCost, losesReseller } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'

const params = {
  from: dayValue,
  till: dayValue,
  customer: wholeNumber,
  number: plainText,
  disposition: oneWord('answered', 'busy', 'no answer', 'failed'),
  cause: wholeNumber,
  'least-price': amountValue,
  'most-price': amountValue,
  provider: wholeNumber,
  device: wholeNumber,
  'below-cost': yesValue,
  unpriced: yesValue,
  'unknown-cost': yesValue,
  destinations: yesValue,
  after: pageKeyValue(isCallPlace),
  count: wholeNumber,
}

type CallsRequest = ConsoleRequest<typeof params>

/** Page size. */
const PAGE_CALLS = 100

/** The largest page that may be asked for, to sum up or to save calls. */
const MOST_CALLS = 1000

/** A filtered page ends after reading this many calls, about 35 units; the next one continues there. */
const MOST_READ = 1000

/** A page of a customer, who may have one call a day, ends after this many days. */
const MOST_DAYS = 16

export const resource = defineResource({
  name: 'calls',
  access: 'read',
  operations: [
    operation('GET', '/calls', {
      summary:
        'Calls, the newest first, by default of today. A page has 100 of them, or `count` up to 1,000, or fewer if a filter leaves out many: it then ends after 1,000. With `destinations`, each page of rates that has one of them is read, too.',
      callers: ACCOUNT_TYPES,
      params,
      run: async (request) => {
        const { params, settings, store, clock } = request
        const { after } = params
        const day = today(clock(), settings.Timezone)
        const { from = day, till = day } = params
        const of = await scopesOf(request)
        const found = await newestCalls(store, {
          of,
          days: daysInTable({ from, till: earlier(till, dayOfPlace(after, settings)) }, settings),
          mostDays: of.every((scope) => scope !== 'everyone' && 'user' in scope) ? MOST_DAYS : undefined,
          settings,
          after,
          count: Math.min(params.count || PAGE_CALLS, MOST_CALLS),
          mostRead: MOST_READ,
          matches: filterOf(request),
        })
        const { calls, next = null, read } = found
        const locate = params.destinations && (await openRatedNames(store, settings)(calls))
        const toRow = await callRowMaker(request, calls, locate)
        return { calls: calls.map(toRow), currency: settings.Default_Currency, next, read }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

async function scopesOf(request: CallsRequest): Promise<readonly Scope[]> {
  const { caller, params } = request
  if (params.customer === undefined) return callScopesOf(caller)
  const { id } = await visibleCustomer(request, params.customer)
  return [{ user: id }]
}

/** Later days have no calls after the place. */
const dayOfPlace = (after: string | undefined, { Timezone }: Settings): Day =>
  after === undefined ? LAST_DAY : dayOf(Number.parseInt(after, 10), Timezone)

const earlier = (one: Day, other: Day): Day => (one < other ? one : other)

type Filter = (call: Call) => boolean

function filterOf(request: CallsRequest): Filter {
  const { caller, params } = request
  const digits = digitsOf(params.number ?? '')
  const owner = requiredCallOwner(caller, params.customer)
  const mayFilterByProvider = !['user', 'partner'].includes(caller.usertype)
  const filters: (Filter | false)[] = [
    digits !== '' && (({ src, dst }) => digitsOf(dst).startsWith(digits) || digitsOf(src).startsWith(digits)),
    params.disposition !== undefined && (({ disposition }) => wordOf(disposition) === params.disposition),
    params.cause !== undefined && (({ hangupcause }) => hangupcause === params.cause),
    params.device !== undefined && (({ device_id }) => device_id === params.device),
    params.provider !== undefined &&
      mayFilterByProvider &&
      (({ provider_id }) => provider_id === params.provider),
    owner !== undefined && (({ owner_id }) => owner_id === owner),
    ...costFilters(request),
    onlyUnpriced(request),
    isPricedBetween(params['least-price'], params['most-price']),
  ]
  const wanted = filters.filter((one) => one !== false)
  return (call) => wanted.every((matches) => matches(call))
}

const costFilters = ({ params, caller }: CallsRequest): (Filter | false)[] => [
  params['below-cost'] === 'yes' &&
    caller.usertype !== 'user' &&
    (seesEveryone(caller) ? isBelowCost : losesReseller),
  params['unknown-cost'] === 'yes' && seesEveryone(caller) && isOfUnknownCost,
]

const onlyUnpriced = ({ params, settings }: CallsRequest): Filter | false =>
  params.unpriced === 'yes' && ((call) => unpricedReason(call, settings) !== undefined)

/** Switches write NO ANSWER, the signed API also no_answer. */
const wordOf = (disposition: string): string => disposition.toLowerCase().replaceAll('_', ' ')

const isPricedBetween =
  (least: string | undefined, most: string | undefined): Filter =>
  ({ user_price = '0' }) =>
    (least === undefined || !isPositive(subtract(least, user_price))) &&
    (most === undefined || !isPositive(subtract(user_price, most)))
