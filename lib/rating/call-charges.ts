import { once } from '#lib/dataset/format/once.ts'
import { RowRefused } from '#lib/dataset/format/refusals.ts'
import { type Money, roundedQuotient, ZERO } from '#lib/domain/money.ts'
import { digitsOf } from '#lib/domain/rates/prefix.ts'
import { priceOf, type Rate } from '#lib/domain/rates/rating.ts'
import type { Settings } from '#lib/domain/settings.ts'
import { type CallRow, isPrice } from '#lib/store/calls/call.ts'
import { exchangeRatesOf } from '#lib/store/rates/currency.ts'
import { findRate, findTariff, type Tariff } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'

/** What one party is charged for a call. */
export interface Charge {
  readonly rate: Money | undefined
  readonly price: Money
}

/** Who is charged, in words, and by which tariff. */
export interface Party {
  readonly name: string
  readonly tariff_id: number | undefined
}

/** Charges a party for a call by its tariff as it is now. Throws RowRefused with the reason when it cannot. */
export type ChargeParty = (row: CallRow, party: Party) => Promise<Charge>

interface PricedTariff {
  readonly tariff: Tariff
  /** Units of its currency for one unit of the default one. */
  readonly exchangeRate: Money
}

/** For one batch: each tariff and its currency are read once. */
export function createCharging(store: Store, settings: Settings): ChargeParty {
  const tariffOf = once((id) => findPricedTariff(store, settings, id))

  const charge: ChargeParty = async (row, { name, tariff_id }) => {
    if (tariff_id === undefined) throw new RowRefused(`${name} has no tariff to rate by`)
    const { tariff, exchangeRate } = await tariffOf(tariff_id)
    const when = { at: row.calldate, zone: settings.Timezone, digits: digitsOf(row.dst) }
    const rate = await findRate(store, tariff, when)
    if (rate) return chargeOf(rate, exchangeRate, row)
    throw new RowRefused(`tariff ${tariff_id} of ${name} has no rate for ${row.dst || 'a blank dst'}`)
  }

  return (row, party) => (row.billsec === 0 ? charge(row, party).catch(nothingToCharge) : charge(row, party))
}

/** A call without a second talked costs nothing, whether or not there is anything to rate it by. */
function nothingToCharge(error: unknown): Charge {
  if (error instanceof RowRefused) return { rate: undefined, price: ZERO }
  throw error
}

async function findPricedTariff(store: Store, settings: Settings, id: number): Promise<PricedTariff> {
  const tariff = await findTariff(store, id)
  if (!tariff) throw new RowRefused(`there is no tariff ${id} to rate by`)
  const rates = await exchangeRatesOf(store, [tariff.currency], settings.Default_Currency)
  const exchangeRate = rates.get(tariff.currency)
  if (exchangeRate === undefined)
    throw new RowRefused(`there is no currency ${tariff.currency}, that of tariff ${id}`)
  return { tariff, exchangeRate }
}

/** A charge is in the default currency (wire.md 7.2). */
function chargeOf(rate: Rate, exchangeRate: Money, { billsec }: CallRow): Charge {
  const { price } = priceOf(rate, billsec, exchangeRate)
  const charge = { rate: roundedQuotient(rate.tariff_rate, exchangeRate, RATE_DECIMALS), price }
  if (isPrice(charge.rate) && isPrice(price)) return charge
  throw new RowRefused(`the rate of prefix ${rate.prefix} makes a price of too many digits`)
}

/** As many as are stored; a rate that needs no conversion has fewer. */
const RATE_DECIMALS = 15
