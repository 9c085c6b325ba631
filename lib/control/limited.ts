import { creditOf, type Limits } from '#lib/accounts/limits.ts'
import type { Settings } from '#lib/settings/settings.ts'

type ControlSettings = Pick<Settings, 'Call_Control' | 'Balance_From'>

export const hasMoneyLimit = (account: Limits, { Balance_From }: ControlSettings): boolean =>
  Balance_From !== '' && creditOf(account) !== undefined

/** Returns whether calls of an account need holds. All others cost no request. */
export const isLimited = (account: Limits, settings: ControlSettings): boolean =>
  settings.Call_Control && (hasMoneyLimit(account, settings) || hasOtherLimit(account))

/** Returns whether an account may have holds: also of calls that began before Balance_From was changed. */
export const mayHaveHolds = (account: Limits, { Call_Control }: Pick<Settings, 'Call_Control'>): boolean =>
  Call_Control && (creditOf(account) !== undefined || hasOtherLimit(account))

const hasOtherLimit = ({ calls_limit, dearest_rate, daily_balance_limit }: Limits): boolean =>
  [calls_limit, dearest_rate, daily_balance_limit].some((limit) => limit !== undefined)
