import { creditOf, type Limits } from '#lib/accounts/limits.ts'
import type { Settings } from '#lib/settings/settings.ts'

type ControlSettings = Pick<Settings, 'Call_Control' | 'Balance_From'>

export const hasMoneyLimit = (account: Limits, { Balance_From }: ControlSettings): boolean =>
  Balance_From !== '' && creditOf(account) !== undefined

/** Tells whether calls of an account need holds. All others cost no request. */
export const isLimited = (account: Limits, settings: ControlSettings): boolean =>
  settings.Call_Control &&
  (hasMoneyLimit(account, settings) ||
    account.calls_limit !== undefined ||
    account.dearest_rate !== undefined ||
    account.daily_balance_limit !== undefined)
