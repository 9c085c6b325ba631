import { MOST_CALLS, type PayerAccount } from '#lib/accounts/limits.ts'
import { type Seconds, secondsOf } from '#lib/base/calendar.ts'
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
import type { Settings } from '#lib/settings/settings.ts'
import { exactly } from '#lib/table/items.ts'
import {
  absent,
  absentOrAtMost,
  absentOrBelow,
  absentOrIs,
  type Change,
  is,
} from '#lib/table/requests/changes.ts'
import {
  ADOPTED,
  type Hold,
  type Holds,
  holdsKey,
  holdText,
  readHold,
  releaseUpdate,
  storedName,
} from './holds.ts'
import { ceilingOf, type Seen, smallerAmount } from './seen.ts'

// The decision of one payer about one call, from its holds and its money. It reads and writes nothing.

/** An account that pays for a call at a rate, and needs a hold for it. */
export interface HoldPayer {
  readonly account: PayerAccount
  readonly priced: PricedRate
  /** The reseller or partner of the customer. */
  readonly isOwner: boolean
  /** The items read of it, without its rates. */
  readonly seen?: Seen | undefined
}

export interface CallRequest {
  /** The attribute of its hold. */
  readonly name: string
  /** The moment that the switch names, or the arrival, in milliseconds. */
  readonly at: number
  readonly now: Date
  /** The most seconds that the call may last. */
  readonly cap: number
  /** Tells this request from copies of it. */
  readonly nonce: string
  readonly settings: Settings
}

export type LimitReason = 'calls_limit' | 'daily_limit' | 'no_money'

type Update = Extract<Change, { update: unknown }>

/** `over`: the seconds of the call's hold are over, or the request is older than the hold. */
export type Plan =
  | { readonly kind: 'over' }
  | { readonly kind: 'refused'; readonly reason: LimitReason; readonly isBusy: boolean; readonly drop?: Drop }
  | { readonly kind: 'drop'; readonly drop: Drop }
  | { readonly kind: 'found'; readonly held: HeldCall }
  | { readonly kind: 'write'; readonly held: HeldCall; readonly update: Update }

/** Expired holds, and the update that removes them. */
interface Drop {
  readonly account: PayerAccount
  readonly expired: number
  readonly update: Update
}

/** A hold under the name of its attribute. */
type NamedHold = Hold & { readonly name: string }

/** The hold of a call, and the seconds that the call may still last. */
export interface HeldCall {
  readonly hold: NamedHold
  readonly seconds: number
}

/** Within this time a request is a copy, and has the same answer. */
const SAME_ANSWER_MS = 10_000

/** The conditions of an update are limited to 300 operators. */
const MOST_DROPPED = 100

/** The seconds that a call without a limit reserves. */
export const DEFAULT_RESERVE_SECONDS = 1800

/** Blank settings mean their defaults. */
export const hangupMargin = ({ Hangup_Margin_Seconds = 2 }: Settings): number => Hangup_Margin_Seconds

/** The decision about a call of which a payer may hold at most `most` seconds. */
export function planHold(payer: HoldPayer, seen: Seen, request: CallRequest, most = request.cap): Plan {
  const name = storedName(seen.holds, request.name)
  const text = seen.holds.texts.get(name)
  const own = text === undefined ? undefined : readHold(text)
  if (own && own.until < secondsOf(request.now))
    return { kind: 'drop', drop: dropOf(payer, new Map([[name, text ?? '']])) }
  if (own && own.amount === priceFor(payer.priced, own.seconds)) return planOfFound({ ...own, name }, request)
  if (own && request.at < own.at) return { kind: 'over' }
  return planOfNew(payer, seen, { ...request, name }, { own, text, most })
}

function planOfFound(hold: NamedHold, { at, cap, settings }: CallRequest): Plan {
  const passed = at - hold.at <= SAME_ANSWER_MS ? 0 : Math.floor((at - hold.at) / 1000)
  const seconds = Math.min(hold.seconds - passed, cap)
  return seconds <= hangupMargin(settings) ? { kind: 'over' } : { kind: 'found', held: { hold, seconds } }
}

/** The call's present hold, for another number or price, and the seconds the payer may hold. */
interface Before {
  readonly own: Hold | undefined
  readonly text: string | undefined
  readonly most: number
}

function planOfNew(payer: HoldPayer, seen: Seen, request: CallRequest, before: Before): Plan {
  const { account, priced } = payer
  const { held, open } = seen.holds
  const others = subtract(held, before.own?.amount ?? '0')
  const isBusy = open > (before.own ? 1 : 0)
  const refused = (reason: LimitReason): Plan => {
    const expired = expiredIn(seen.holds, secondsOf(request.now))
    return { kind: 'refused', reason, isBusy, ...(expired.size > 0 && { drop: dropOf(payer, expired) }) }
  }
  if (!before.own && open >= callsLimitOf(account)) return refused('calls_limit')
  const margin = hangupMargin(request.settings)
  const reserve = priceFor(
    priced,
    account.reserve_seconds ?? request.settings.Reserve_Seconds ?? DEFAULT_RESERVE_SECONDS,
  )
  const paidBy = (ceiling: Money | undefined) =>
    secondsFor(priced, smallerAmount(reserve, ceiling && subtract(ceiling, others)), request.cap)
  const [ofDay, ofMoney] = [paidBy(seen.ceiling.day), paidBy(seen.ceiling.money)]
  if (seen.ceiling.day !== undefined && ofDay <= margin) return refused('daily_limit')
  if (ofMoney <= margin) return refused('no_money')
  return planOfWrite(payer, seen, request, { ...before, most: Math.min(ofDay, ofMoney, before.most) })
}

function planOfWrite(payer: HoldPayer, { holds, ceiling }: Seen, request: CallRequest, before: Before): Plan {
  const { account, priced } = payer
  const { own, text, most: seconds } = before
  const amount = priceFor(priced, seconds)
  const { name, at, nonce } = request
  const hold = { name, amount, seconds, until: untilOf(request, seconds), at, nonce }
  const limit = ceilingOf(ceiling)
  const most = limit && subtract(add(limit, own?.amount ?? '0'), amount)
  return {
    kind: 'write',
    held: { hold, seconds },
    update: {
      update: holdsKey(account.id),
      to: {
        set: { [name]: holdText(hold) },
        add: own
          ? { held: exactly(subtract(amount, own.amount)), epoch: 1 }
          : { held: exactly(amount), open: 1 },
      },
      when: {
        [name]: text === undefined ? absent : is(text),
        epoch: absentOrIs(holds.epoch),
        ...(most !== undefined && { held: absentOrAtMost(exactly(most)) }),
        ...(own ? {} : { open: absentOrBelow(callsLimitOf(account)) }),
      },
    },
  }
}

function untilOf({ now, settings }: CallRequest, seconds: number): Seconds {
  const { Ring_Seconds = 300, Hold_Grace_Seconds = 900 } = settings
  return secondsOf(now) + Ring_Seconds + seconds + Hold_Grace_Seconds
}

const callsLimitOf = ({ calls_limit = MOST_CALLS }: PayerAccount): number => calls_limit

const expiredIn = ({ texts }: Holds, now: Seconds): ReadonlyMap<string, string> =>
  new Map([...texts].filter(([, text]) => readHold(text).until < now).slice(0, MOST_DROPPED))

const dropOf = ({ account }: HoldPayer, expired: ReadonlyMap<string, string>): Drop => ({
  account,
  expired: expired.size,
  update: releaseUpdate(account.id, expired),
})

/** The update by which a request relies on an owner's hold of another request: no refusal releases it. */
export const adoptionOf = ({ account }: HoldPayer, hold: NamedHold): Update => ({
  update: holdsKey(account.id),
  to: { set: { [hold.name]: holdText({ ...hold, nonce: ADOPTED }) } },
  when: { [hold.name]: is(holdText(hold)) },
})

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
