import { accountByName } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/domain/accounts/account.ts'
import { isOwnCustomerOrSelf, seesEveryone } from '#lib/domain/accounts/scope.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import { fullPrecision } from '#lib/domain/money.ts'
import { isBlocked, ratedDigits, ratingMoment } from '#lib/domain/rates/rating.ts'
import type { Account } from '#lib/store/accounts/account.ts'
import { isKnownDestination } from '#lib/store/rates/destination.ts'
import { findRate, findTariffWithDirectory } from '#lib/store/rates/tariff.ts'
import { element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'rate_get',
  aliases: ['rate'],
  summary: "The current rate of a dialled number or prefix in one account's tariff.",
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'Dont_be_so_smart' },
  params: { prefix: textParam, username: textParam },
  hashOrders: [{ signs: ['username'] }],
  errors: {
    disabled: 'Feature_Disabled',
    no_prefix: 'Empty_prefix',
    no_user: 'User was not found',
    no_rate: 'Rate_was_not_found',
    no_destination: 'Prefix_not_found',
  },
  envelope: 'page',
  access: 'read',
  loads: { account: accountByName('username') },
})

type RateRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { settings, params, refuse } = request
  if (!settings.Devices_Check_Rate) throw refuse('disabled')
  const digits = ratedDigits(params.prefix ?? '', settings)
  if (digits === '') throw refuse('no_prefix')
  const { tariff_id } = accountToRate(request)
  if (tariff_id === undefined) throw refuse('no_rate')

  return element('rate', await findRateText(request, tariff_id, digits))
})

export const handler = lambda(method)

/**
 * A plain user gets its own tariff, whatever it names. Admins and accountants may name any account (wire.md rate_get).
 */
function accountToRate({ caller, loaded: { account }, refuse }: RateRequest): Account {
  if (caller.usertype === 'user') return caller
  const mayName = account && (seesEveryone(caller) || isOwnCustomerOrSelf(caller, account))
  if (!mayName) throw refuse('no_user')
  return account
}

/**
 * Reads the tariff and the header of the directory together, or finds both in the memory of the Lambda. Reads the
 * directory's page only if the tariff has no match.
 */
async function findRateText(
  { store, getRecent, clock, settings, refuse }: RateRequest,
  tariffId: number,
  digits: string,
) {
  const { tariff, directory } = await findTariffWithDirectory(getRecent, tariffId)
  if (!tariff) throw refuse('no_rate')
  const moment = ratingMoment(secondsOf(clock()), settings)
  const rate = await findRate(store, tariff, { digits, ...moment })
  if (rate && isBlocked(rate)) throw refuse('no_rate')
  if (rate) return `${fullPrecision(rate.tariff_rate)}#${rate.destination}#${rate.prefix}`
  const isKnown = await isKnownDestination(store, directory, digits)
  throw refuse(isKnown ? 'no_rate' : 'no_destination')
}
