import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { id } from '#lib/api/parameters.ts'
import { ACCOUNT_TYPES } from '#lib/domain/accounts/account.ts'
import { actsFor, isOwnCustomerOrSelf } from '#lib/domain/accounts/scope.ts'
import { lambda } from '#lib/stack/lambda.ts'
import { findAccount } from '#lib/store/accounts/account.ts'
import { findTariff, pagesOfRates, type Tariff } from '#lib/store/rates/tariff.ts'
import { element } from '#lib/xml/element.ts'
import { rateRows } from '#lib/xml/views/rate-rows.ts'

const contract = defineContract({
  name: 'tariff_rates_get',
  aliases: ['get_tariff'],
  summary: 'The whole rate table of a tariff, with its time windows.',
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'No tariff found' },
  params: { user_id: id, tariff_id: id },
  hashOrders: [{ signs: ['user_id', 'tariff_id'] }],
  errors: { no_tariff: 'No tariff found' },
  envelope: 'status',
  access: 'read',
  streams: true,
})

type TariffRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { store, settings, refuse } = request
  const tariff = await findWanted(request)
  if (!tariff) throw refuse('no_tariff')

  const pages = pagesOfRates(store, tariff, tariff.active)
  return [
    element('pagename', 'Tariff'),
    element('tariff_name', tariff.name),
    element('purpose', tariff.purpose),
    element('currency', tariff.currency),
    element('rates', rateRows(pages, tariff.active, settings)),
  ]
})

export const handler = lambda(method)

/** A tariff_id is ignored beside a user_id, unless that is 0 (wire.md tariff_rates_get). */
async function findWanted({ caller, params, store }: TariffRequest): Promise<Tariff | undefined> {
  if (!params.user_id && params.tariff_id !== undefined) return findOwn({ caller, store }, params.tariff_id)
  const account = params.user_id === undefined ? caller : await findAccount(store, params.user_id)
  if (!account || !isOwnCustomerOrSelf(caller, account)) return undefined
  return account.tariff_id === undefined ? undefined : findTariff(store, account.tariff_id)
}

/** Admin may name any tariff, others those of the owner they act for and their own one (wire.md tariff_rates_get). */
async function findOwn(
  { caller, store }: Pick<TariffRequest, 'caller' | 'store'>,
  tariffId: number,
): Promise<Tariff | undefined> {
  const tariff = await findTariff(store, tariffId)
  if (caller.usertype === 'admin' || tariffId === caller.tariff_id) return tariff
  return tariff?.owner_id === actsFor(caller) ? tariff : undefined
}
