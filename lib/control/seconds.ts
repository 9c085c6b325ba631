import {
  add,
  divide,
  isLessThan,
  isZero,
  type Money,
  multiply,
  subtract,
  truncated,
} from '#lib/base/money.ts'
import { PRICE_DECIMALS, priceOf, type Rate } from '#lib/rates/rating.ts'

/** A rate, and the units of its currency for one unit of the default currency. */
export interface PricedRate {
  readonly rate: Pick<Rate, 'tariff_rate' | 'con_fee' | 'increment' | 'min_time'>
  readonly exchangeRate: Money
}

/** The price of a call of this length, in the default currency. */
export const priceFor = ({ rate, exchangeRate }: PricedRate, seconds: number): Money =>
  priceOf(rate, seconds, exchangeRate).price

/** A price is rounded to its last decimal, so money pays up to half of that more. */
const HALF_OF_LAST_DECIMAL = '0.0000005'

/**
 * The inverse of rating: the most seconds, at most `cap`, whose price is at most `money`; 0 if not even the
 * first second is paid. A division only says where to begin: rating itself decides.
 */
export function secondsFor(priced: PricedRate, money: Money, cap: number): number {
  const isPaid = (seconds: number) => !isLessThan(money, priceFor(priced, seconds))
  if (cap < 1 || !isPaid(1)) return 0
  const step = Math.max(priced.rate.increment, 1)
  const most = Math.ceil(cap / step)
  let steps = Math.min(Math.max(Math.floor(billedSecondsFor(priced, money) / step), 1), most)
  while (steps > 1 && !isPaid(steps * step)) steps -= 1
  while (steps < most && isPaid((steps + 1) * step)) steps += 1
  return Math.min(steps * step, cap)
}

/** The billed seconds that this money pays, as a division says it. */
function billedSecondsFor({ rate, exchangeRate }: PricedRate, money: Money): number {
  const { tariff_rate, con_fee } = rate
  if (isZero(tariff_rate)) return Number.MAX_SAFE_INTEGER
  const paid = add(truncated(money, PRICE_DECIMALS), HALF_OF_LAST_DECIMAL)
  return Number(divide(multiply(subtract(multiply(paid, exchangeRate), con_fee), 60), tariff_rate))
}
