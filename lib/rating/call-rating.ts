import { once } from '#lib/dataset/format/once.ts'
import { RowRefused } from '#lib/dataset/format/refusals.ts'
import type { Settings } from '#lib/domain/settings.ts'
import type { CallRow } from '#lib/store/calls/call.ts'
import { findProviders } from '#lib/store/rates/provider.ts'
import type { Store } from '#lib/store/store.ts'
import { type Charge, createCharging } from './call-charges.ts'
import type { Belonging, Customer } from './call-parties.ts'

/**
 * Fills in the prices that a record arrives without: those of the customer, of its owner, and of the provider where it is
 * known and has a tariff. A record that has the customer's price was rated elsewhere and stays as it is. Throws RowRefused
 * with the reason when a record cannot be rated.
 */
export type RateCall = (row: CallRow, customer: Belonging) => Promise<CallRow>

/** For one batch: what is found once is not asked for again. */
export function createCallRating(store: Store, settings: Settings): RateCall {
  const charge = createCharging(store, settings)
  const providerOf = once(async (id) => (await findProviders(store, [id]))[0])

  const chargeCustomer = (row: CallRow, { account }: Customer): Promise<Charge> =>
    charge(row, { name: `account ${account.id}`, tariff_id: account.tariff_id })

  const chargeOwner = async (row: CallRow, { owner, direct }: Belonging): Promise<Charge | undefined> =>
    owner === undefined || direct || row.reseller_price !== undefined
      ? undefined
      : charge(row, { name: `account ${owner.id}`, tariff_id: owner.tariff_id })

  const chargeForProvider = async (row: CallRow): Promise<Charge | undefined> => {
    if (row.provider_id === undefined || row.provider_price !== undefined) return undefined
    const provider = await providerOf(row.provider_id)
    if (!provider) throw new RowRefused(`provider_id: there is no provider ${row.provider_id}`)
    if (provider.tariff_id === undefined) return undefined
    return charge(row, { name: `provider ${provider.id}`, tariff_id: provider.tariff_id })
  }

  return async (row, customer) => {
    if (row.user_price !== undefined) return row
    const user = await chargeCustomer(row, customer)
    const owner = await chargeOwner(row, customer)
    const provider = await chargeForProvider(row)
    return {
      ...row,
      user_rate: user.rate,
      user_price: user.price,
      ...(owner && { reseller_price: owner.price }),
      ...(provider && { provider_rate: provider.rate, provider_price: provider.price }),
    }
  }
}
