import { priceAnswer } from '#lib/api/console/answers/calls.ts'
import { usualPricesAnswer } from '#lib/api/console/answers/tariffs.ts'
import { visibleCustomer } from '#lib/api/console/customer-scope.ts'
import { invalidValue } from '#lib/api/console/refusals.ts'
import { defineResource, EVERY_ACCOUNT, MANAGERS, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { rateRow } from '#lib/api/console/tariff-rows.ts'
import { usualRates } from '#lib/api/console/usual-prices.ts'
import { pathId, plainText, wholeNumber } from '#lib/api/console/values.ts'
import { displayName } from '#lib/base/account-types.ts'
import { formatDateTime, momentAt, secondsOf } from '#lib/base/calendar.ts'
import { BLANK_CALL } from '#lib/calls/call.ts'
import { ratingOf } from '#lib/calls/rating/price-steps.ts'
import { findTariff } from '#lib/rates/tariff.ts'
import type { Settings } from '#lib/settings/settings.ts'

const params = {
  customer: wholeNumber,
  number: plainText,
  at: plainText,
  seconds: wholeNumber,
  provider: wholeNumber,
  called: plainText,
  device: wholeNumber,
}

/** The seconds of a call whose price is asked for. */
const USUAL_SECONDS = 60

/** A day: no call is longer. */
const MOST_SECONDS = 86_400

const UNANSWERABLE = { ...BLANK_CALL, uniqueid: 'none', src: '', disposition: 'ANSWERED', hangupcause: 16 }

export const resource = defineResource({
  name: 'prices',
  access: 'read',
  operations: [
    operation('GET', '/prices', {
      summary: 'What a call to a number costs a customer, step by step. Nothing is stored.',
      callers: EVERY_ACCOUNT,
      params,
      answer: priceAnswer,
      run: async (request) => {
        const { params, settings, store, caller, clock } = request
        const { number, seconds = USUAL_SECONDS } = params
        if (number === undefined) throw invalidValue('number is missing: name the number that is dialled.')
        if (seconds > MOST_SECONDS)
          throw invalidValue(`seconds is ${seconds}: it takes at most ${MOST_SECONDS}.`)
        const account = await visibleCustomer(request, params.customer ?? caller.id)
        const calldate = params.at === undefined ? secondsOf(clock()) : momentOf(params.at, settings)
        const row = {
          ...UNANSWERABLE,
          user_id: account.id,
          dst: number,
          calldate,
          billsec: seconds,
          duration: seconds,
          provider_id: params.provider,
          carrier_dst: params.called,
          device_id: params.device,
        }
        return {
          customer: { id: account.id, name: displayName(account) },
          number,
          seconds,
          currency: settings.Default_Currency,
          at: formatDateTime(calldate, settings.Timezone),
          rating: await ratingOf(store, settings, row, caller),
        }
      },
    }),
    operation('GET', '/customers/{id}/prices', {
      summary:
        'What ten destinations cost a customer now: those that it called most of late, then what the customers of its owner call, then the first of its tariff.',
      callers: MANAGERS,
      params: { id: pathId },
      answer: usualPricesAnswer,
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

function momentOf(at: string, { Timezone }: Settings): number {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)$/.exec(at) ?? []
  const moment = momentAt(day, time.length === 5 ? `${time}:00` : time, Timezone)
  if (moment === undefined) throw invalidValue(`at is "${at}": it takes a time such as 2026-03-10 12:00:00.`)
  return moment
}
