import { type Sentences, saysConflict, saysForbidden, saysInvalid } from './refusal-text.ts'

/** Settings. An import needs them alone. */
export const SETTING_SENTENCES = {
  setting_of_admins: saysForbidden(({ setting }) => `${setting} is set by admins only`),
  unfit_setting: saysInvalid(({ says, value }) =>
    value === undefined ? says : `${says}, and not "${value}"`,
  ),
  local_webhooks_deployed: saysConflict(
    () =>
      'Webhooks_On_This_Machine is for an installation on one machine: a deployed stage posts to public addresses only',
  ),
  subscriptions_undated: saysConflict(
    ({ zone }) => `Timezone remains ${zone}, since subscriptions of this table would move to other days`,
    () => ({ act: 'migrate' }),
  ),
  zone_with_calls: saysConflict(
    ({ before }) =>
      `Timezone remains ${before}, since calls are counted by its days: they have to be recounted`,
    ({ after }) => ({ act: 'move_timezone', zone: after }),
  ),
  wholesale_with_calls: saysConflict(
    ({ day, earliest }) =>
      `Wholesale_Customers: calls may be stored on ${day}: take ${earliest} or a later day, and keep what has begun`,
  ),
  calls_on_balance_day: saysConflict(
    ({ day }) => `Balance_From: there are calls on ${day}, which balances have to count`,
    () => ({ act: 'open_balances' }),
  ),
  before_balances: saysConflict(
    ({ setting, day, from }) =>
      `${setting}: ${day} is before Balance_From, ${from}: take that day or a later one`,
  ),
} satisfies Partial<Sentences>
