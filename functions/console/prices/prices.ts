import type { PayerAccount } from '#lib/accounts/limits.ts'
import { visibleCustomer } from '#lib/api/console/customer-scope.ts'
import { invalidValue } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { rateRow } from '#lib/api/console/tariff-rows.ts'
import { pathId, plainText, wholeNumber } from '#lib/api/console/values.ts'
import { ACCOUNT_TYPES, companyOrPerson, MANAGERS } from '#lib/base/account-types.ts'
import { addDays, formatDateTime, momentAt, secondsOf, today } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT, type Scope } from '#lib/base/scope.ts'
import { ratedText } from '#lib/calls/call.ts'
import { newestCalls } from '#lib/calls/call-page.ts'
import { ASKED_CALL, ratingOf } from '#lib/calls/rating/price-steps.ts'
import { daysInTable } from '#lib/calls/retention.ts'
import { mayCall } from '#lib/control/may-call.ts'
import { findPage, rememberingPages } from '#lib/rates/prefix-versions.ts'
import { type Rate, ratedDigits, ratingMoment } from '#lib/rates/rating.ts'
import { findRate, findTariff, searchRates, type Tariff } from '#lib/rates/tariff.ts'
import type { Settings } from '#lib/settings/settings.ts'

const params = {
  customer: wholeNumber,
  number: plainText,
  at: plainText,
  seconds: wholeNumber,
  provider: wholeNumber,
  called: plainText,
  device: wholeNumber,
  caller: plainText,
}

/** The seconds of a call whose price is asked for. */
const USUAL_SECONDS = 60

/** A day: no call is longer. */
const MOST_SECONDS = 86_400

export const resource = defineResource({
  name: 'prices',
  access: 'read',
  operations: [
    operation('GET', '/prices', {
      summary: 'The price of a call to a number for a customer, step by step. Nothing is stored.',
      callers: ACCOUNT_TYPES,
      params,
      run: async (request) => {
        const { params, settings, store, caller, clock } = request
        const { seconds = USUAL_SECONDS } = params
        const number = numberIn(params)
        if (seconds > MOST_SECONDS)
          throw invalidValue(`seconds is ${seconds}: it takes at most ${MOST_SECONDS}`)
        const account = await visibleCustomer(request, params.customer ?? caller.id)
        const calldate = params.at === undefined ? secondsOf(clock()) : momentOf(params.at, settings)
        const row = {
          ...ASKED_CALL,
          user_id: account.id,
          dst: number,
          src: params.caller ?? '',
          calldate,
          billsec: seconds,
          duration: seconds,
          provider_id: params.provider,
          carrier_dst: params.called,
          device_id: params.device,
        }
        return {
          customer: { id: account.id, name: companyOrPerson(account) },
          number,
          seconds,
          currency: settings.Default_Currency,
          at: formatDateTime(calldate, settings.Timezone),
          rating: await ratingOf(store, settings, row, caller),
        }
      },
    }),
    operation('GET', '/customers/{id}/may-call', {
      summary:
        'Whether a customer could call a number now, by the rules of call control, one by one. Nothing is held.',
      callers: MANAGERS,
      params: { id: pathId, number: plainText },
      run: async (request) => {
        const { store, settings, params, clock } = request
        const { id } = await visibleCustomer(request, params.id)
        return mayCall(store, { user_id: id, dst: numberIn(params) }, settings, clock())
      },
    }),
    operation('GET', '/customers/{id}/prices', {
      summary:
        'The prices of ten destinations for a customer now: those that it called most of late, then what the customers of its owner call, then the first of its tariff.',
      callers: MANAGERS,
      params: { id: pathId },
      run: async (request) => {
        const { store, settings, params } = request
        const account = await visibleCustomer(request, params.id)
        const tariff =
          account.tariff_id === undefined ? undefined : await findTariff(store, account.tariff_id)
        const currency = tariff?.currency || settings.Default_Currency
        const found = tariff ? await usualRates(request, account, tariff) : []
        return { currency, rates: found.map(({ rate, calls }) => ({ ...rateRow(rate, settings), calls })) }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

function numberIn({ number }: { readonly number: string | undefined }): string {
  if (number === undefined) throw invalidValue('number is missing: name the number that is dialled')
  return number
}

function momentOf(at: string, { Timezone }: Settings): number {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)$/.exec(at) ?? []
  const moment = momentAt(day, time.length === 5 ? `${time}:00` : time, Timezone)
  if (moment === undefined) throw invalidValue(`at is "${at}": it takes a time such as 2026-03-10 12:00:00`)
  return moment
}

/** A rate that somebody is asked about, and the number of newest calls that it priced. */
export interface UsualRate {
  readonly rate: Rate
  readonly calls: number
}

const MOST_RATES = 10

/** The calls that are counted, about 2 units. */
const MOST_CALLS = 50
const CALL_DAYS = 31
/** Days with calls that are read, half a unit each. */
const MOST_DAYS = 3

/** Pages of rates that are read, a unit each. */
const MOST_PAGES = 3

/**
 * The rates of ten destinations: of those that the customer called most of late, then of those that the
 * customers of its owner called, then the first ones of the tariff.
 */
async function usualRates(
  request: Pick<ConsoleRequest, 'store' | 'settings' | 'clock'>,
  account: Pick<PayerAccount, 'id' | 'owner_id'>,
  tariff: Tariff,
): Promise<UsualRate[]> {
  const find = rateFinder(request, tariff)
  const own = await countedRates(await newestDigits(request, { user: account.id }), find)
  if (own.length >= MOST_RATES) return own.slice(0, MOST_RATES)
  const others = await countedRates(await newestDigits(request, callersOf(account.owner_id)), find)
  const wanted = {
    prefix: '',
    from: '',
    count: MOST_RATES,
    mostPages: 1,
    matches: ({ origin }: Rate) => origin === '',
  }
  const first = others.length < MOST_RATES ? (await searchRates(request.store, tariff, wanted)).rates : []
  const further = [...others.map(({ rate }) => rate), ...first].map((rate) => ({ rate, calls: 0 }))
  const byPrefix = [...own, ...further].map((one) => [one.rate.prefix, one] as const)
  // A map keeps the place of a key that is set again, and its last value: the first one is set last.
  return [...new Map([...byPrefix, ...byPrefix.toReversed()]).values()].slice(0, MOST_RATES)
}

/** The operator counts nothing as an owner: its customers are among everyone's. */
const callersOf = (owner: number): Scope => (owner === ADMIN_ACCOUNT ? 'everyone' : { owner })

/** The digits of the newest calls, and how many of these calls have them. */
async function newestDigits(
  { store, settings, clock }: Pick<ConsoleRequest, 'store' | 'settings' | 'clock'>,
  scope: Scope,
): Promise<ReadonlyMap<string, number>> {
  const till = today(clock(), settings.Timezone)
  const { calls } = await newestCalls(store, {
    of: [scope],
    days: daysInTable({ from: addDays(till, -CALL_DAYS), till }, settings),
    ...{ settings, after: undefined, mostDays: MOST_DAYS },
    ...{ count: MOST_CALLS, mostRead: MOST_CALLS, matches: ({ incoming }) => !incoming },
  })
  const counted = new Map<string, number>()
  for (const call of calls) {
    const digits = ratedDigits(ratedText(call), settings)
    if (digits !== '') counted.set(digits, (counted.get(digits) ?? 0) + 1)
  }
  return counted
}

type RateFinder = (digits: string) => Promise<Rate | undefined>

/** Finds the rates in force now, on the first pages that are asked for: beyond them it finds none. */
function rateFinder(
  { store, settings, clock }: Pick<ConsoleRequest, 'store' | 'settings' | 'clock'>,
  tariff: Tariff,
): RateFinder {
  let pages = 0
  const find = rememberingPages()(async (...wanted) => {
    pages += 1
    return pages > MOST_PAGES ? undefined : findPage(...wanted)
  })
  const moment = ratingMoment(secondsOf(clock()), settings)
  return (digits) => findRate(store, tariff, { ...moment, digits }, find)
}

/** The rates of these digits, the most called first. */
async function countedRates(counted: ReadonlyMap<string, number>, find: RateFinder): Promise<UsualRate[]> {
  const byPrefix = new Map<string, UsualRate>()
  for (const [digits, calls] of [...counted].sort(([, one], [, other]) => other - one)) {
    const rate = await find(digits)
    if (rate) byPrefix.set(rate.prefix, { rate, calls: calls + (byPrefix.get(rate.prefix)?.calls ?? 0) })
  }
  return [...byPrefix.values()].sort((one, other) => other.calls - one.calls)
}
