import type { PayerAccount } from '#lib/accounts/limits.ts'
import { formatDateTime, secondsOf } from '#lib/base/calendar.ts'
import { fixed, niceDigits } from '#lib/base/money.ts'
import { findCallMoney } from '#lib/control/seen.ts'
import type { ConsoleRequest } from './resource.ts'

/** The money left for calls of an account, and the amount held for them; null if nothing limits it. */
export async function callMoneyOf(
  { store, settings, clock }: Pick<ConsoleRequest, 'store' | 'settings' | 'clock'>,
  account: PayerAccount,
) {
  const money = await findCallMoney(store, account, { now: clock(), settings })
  if (!money) return null
  const amountText = (amount: string) => fixed(amount, niceDigits(settings))
  const timeText = (seconds: number) => formatDateTime(seconds, settings.Timezone)
  return {
    left: money.left === undefined ? null : amountText(money.left),
    held: amountText(money.held),
    holds: money.holds.map(({ name, at, amount, seconds, until }) => ({
      name,
      asked: timeText(secondsOf(new Date(at))),
      amount: amountText(amount),
      seconds,
      until: timeText(until),
    })),
  }
}
