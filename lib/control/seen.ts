import { creditOf, type PayerAccount } from '#lib/accounts/limits.ts'
import { totalOf } from '#lib/base/balance.ts'
import { today } from '#lib/base/calendar.ts'
import { add, isLessThan, type Money, subtract } from '#lib/base/money.ts'
import { findBalances } from '#lib/billing/balance.ts'
import { chargedOn } from '#lib/calls/counters/call-stats.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { findHolds, type Hold, type Holds, readHold } from './holds.ts'
import { hasMoneyLimit, isLimited } from './limited.ts'

/** The most that the holds of an account may add up to; `undefined` without a limit. */
export interface Ceiling {
  /** The balance of the account plus its credit. */
  readonly money: Money | undefined
  /** The money that its daily limit leaves for today. */
  readonly day: Money | undefined
}

/** The state of a payer: the holds are read first, then the ceiling. */
export interface Seen {
  readonly holds: Holds
  readonly ceiling: Ceiling
}

export const smallerAmount = (one: Money, other: Money | undefined): Money =>
  other !== undefined && isLessThan(other, one) ? other : one

export const ceilingOf = ({ money, day }: Ceiling): Money | undefined =>
  money === undefined ? day : smallerAmount(money, day)

interface Circumstances {
  readonly now: Date
  readonly settings: Settings
}

/** Reads the holds, then the money: one request for both is not a snapshot and would overdraw. */
export async function seePayers(
  store: Store,
  payers: readonly PayerAccount[],
  circumstances: Circumstances,
): Promise<Seen[]> {
  const holds = await findHolds(
    store,
    payers.map(({ id }) => id),
  )
  const ceilings = await findCeilings(store, payers, circumstances)
  return holds.map((one, index) => ({ holds: one, ceiling: ceilings[index] as Ceiling }))
}

async function findCeilings(
  store: Store,
  payers: readonly PayerAccount[],
  { now, settings }: Circumstances,
): Promise<Ceiling[]> {
  const ofMoney = async (account: PayerAccount) => {
    if (!hasMoneyLimit(account, settings)) return undefined
    const [found] = await findBalances(store, [account.id])
    const credit = found && creditOf(found.account)
    return found && credit !== undefined ? add(totalOf(found.balance), credit) : undefined
  }
  const ofDay = async (account: PayerAccount) => {
    const limit = account.daily_balance_limit
    if (limit === undefined) return undefined
    return subtract(limit, await chargedOn(store, today(now, settings.Timezone), account))
  }
  return Promise.all(
    payers.map(async (payer) => {
      const [money, day] = await Promise.all([ofMoney(payer), ofDay(payer)])
      return { money, day }
    }),
  )
}

/** The money that calls of an account may still cost, and the money held for calls in progress. */
export interface CallMoney {
  /** `undefined` without a limit of money. */
  readonly left: Money | undefined
  readonly held: Money
  /** The oldest first. */
  readonly holds: readonly (Hold & { readonly name: string })[]
}

/** `undefined` for an account that is not limited, at no cost. */
export async function findCallMoney(
  store: Store,
  account: PayerAccount,
  circumstances: Circumstances,
): Promise<CallMoney | undefined> {
  if (!isLimited(account, circumstances.settings)) return undefined
  const [seen] = await seePayers(store, [account], circumstances)
  if (!seen) return undefined
  const { held, texts } = seen.holds
  const most = ceilingOf(seen.ceiling)
  const holds = [...texts].map(([name, text]) => ({ name, ...readHold(text) }))
  return {
    left: most && subtract(most, held),
    held,
    holds: holds.sort((one, other) => one.at - other.at),
  }
}
