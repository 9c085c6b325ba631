import { accountByName } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { fullPrecision } from '#lib/base/money.ts'
import { isOwnCustomerOrSelf, seesEveryone } from '#lib/base/scope.ts'
import { directoryKey, isKnownDestination, toDirectory } from '#lib/rates/destination.ts'
import { readCallerNumber } from '#lib/rates/numbers/caller-number.ts'
import { findPage, type PageFinder, rememberingPages } from '#lib/rates/prefix-versions.ts'
import { isBlocked, ratedDigits, ratingMoment } from '#lib/rates/rating.ts'
import { findRate, knownTariff } from '#lib/rates/tariff.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'rate_get',
  aliases: ['rate'],
  summary: "The current rate of a dialled number or prefix in one account's tariff.",
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'Dont_be_so_smart' },
  params: { prefix: textParam, username: textParam, src: textParam },
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
  const tariffId = tariffToRead(request)
  if (tariffId === undefined) throw refuse('no_rate')

  return element('rate', await findRateText(request, tariffId, digits))
})

export const handler = lambda(method)

/**
 * A plain user's tariff is its own, with any name that it sends. Admins and accountants may name any account
 * (wire.md rate_get).
 */
function tariffToRead({ caller, loaded: { account }, refuse }: RateRequest): number | undefined {
  if (caller.usertype === 'user') return caller.tariff_id
  const mayName = account && (seesEveryone(caller) || isOwnCustomerOrSelf(caller, account))
  if (!mayName) throw refuse('no_user')
  return account.tariff_id
}

const pagesIn = memoize((_memory: object) => rememberingPages())

/**
 * The header of the tariff, and the page, may be in the memory of the process. A page that is not is read
 * together with the header of the directory, so that a number without a rate takes one trip more.
 */
async function findRateText(
  { store, getRecent, clock, settings, params, memory, refuse }: RateRequest,
  tariffId: number,
  digits: string,
) {
  const [tariffHeader] = await getRecent([tariffKey(tariffId)])
  const tariff = tariffHeader && knownTariff(tariffHeader)
  if (!tariff) throw refuse('no_rate')
  const pages = pagesIn(memory)
  let directory: ReturnType<typeof getRecent> | undefined
  const readDirectory = () => (directory ??= getRecent([directoryKey]))
  const readBoth: PageFinder = async (...page) => (await Promise.all([findPage(...page), readDirectory()]))[0]
  const moment = ratingMoment(secondsOf(clock()), settings)
  const asked = { digits, caller: await askingCaller(params.src, settings), ...moment }
  const rate = await findRate(store, tariff, asked, pages(readBoth))
  if (rate && isBlocked(rate)) throw refuse('no_rate')
  if (rate) return `${fullPrecision(rate.tariff_rate)}#${rate.destination}#${rate.prefix}`
  const [header] = await readDirectory()
  const version = toDirectory(header)
  const isKnown = await isKnownDestination(store, { version, find: pages() }, digits)
  throw refuse(isKnown ? 'no_rate' : 'no_destination')
}

/** A minute, by which the highest rate is found for a caller without a usable number. */
const ASKED_SECONDS = 60

/** The caller that a request names; `undefined` for one that names none. A device is not looked up. */
const askingCaller = async (src: string | undefined, settings: RateRequest['settings']) =>
  src?.trim()
    ? { number: await readCallerNumber({ src }, settings, async () => undefined), seconds: ASKED_SECONDS }
    : undefined
