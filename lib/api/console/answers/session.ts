import * as v from 'valibot'
import { portal } from './portal.ts'
import { accountType, blankOr, countValue, textValue } from './shapes.ts'

export const SECTIONS = [
  'overview',
  'customers',
  'calls',
  'suspense',
  'imports',
  'tariffs',
  'billing',
  'reports',
  'settings',
  'keys',
  'webhooks',
  'explorer',
  'refused-hash',
  'providers',
  'dids',
  'services',
  'subscriptions',
  'currencies',
  'locations',
  'switches',
  'reratings',
] as const
export const ACTIONS = ['block', 'imports', 'payments', 'rollback', 'settings', 'suspense'] as const

export const sessionAnswer = v.object({
  id: countValue,
  username: textValue,
  name: textValue,
  type: accountType,
  /** The sections of the console that the account may use. */
  sections: v.array(v.picklist(SECTIONS)),
  actions: v.array(v.picklist(ACTIONS)),
  currency: textValue,
  zone: textValue,
  /** The day in the zone of the installation. */
  today: textValue,
  /** The data of a customer's page, which has no such sections; null for any other account. */
  portal: blankOr(portal),
})

export type SessionAnswer = v.InferOutput<typeof sessionAnswer>
