import { totalOf } from '#lib/base/balance.ts'
import { fixed, multiply, niceDigits, ONE } from '#lib/base/money.ts'
import type { AccountBalance } from '#lib/billing/balance.ts'
import { exchangeRatesOf } from '#lib/rates/currency.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'

/** Whether balances are kept, and shown over the API. */
export const showsBalances = ({ Balance_From, Devices_Check_Balance }: Settings): boolean =>
  Devices_Check_Balance && Balance_From !== ''

/** The word for the account's own currency. */
export const OWN_CURRENCY = 'USER'

/** The balance and its currency: the default for a blank or unknown one (wire.md user_balance_get). */
export async function printedBalance(
  { settings, store }: { readonly settings: Settings; readonly store: Store },
  { account, balance }: AccountBalance,
  wanted = '',
): Promise<{ readonly amount: string; readonly currency: string }> {
  const name = wanted === OWN_CURRENCY ? account.currency : wanted
  const rates = await exchangeRatesOf(store, [name], settings.Default_Currency)
  const rate = name === '' ? undefined : rates.get(name)
  return {
    amount: fixed(multiply(totalOf(balance), rate ?? ONE), niceDigits(settings)),
    currency: rate === undefined ? settings.Default_Currency : name,
  }
}
