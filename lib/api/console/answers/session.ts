import * as v from 'valibot'
import { accountType, countValue, textValue } from './shapes.ts'

export const PARTS = [
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
  'doctor',
] as const
export const ACTIONS = ['block', 'imports', 'payments', 'rollback', 'settings', 'suspense'] as const

export const sessionAnswer = v.object({
  id: countValue,
  username: textValue,
  name: textValue,
  type: accountType,
  /** The parts of the console that the account may use. */
  parts: v.array(v.picklist(PARTS)),
  actions: v.array(v.picklist(ACTIONS)),
  /** The default currency. */
  currency: textValue,
  zone: textValue,
  /** The day in the zone of the installation. */
  today: textValue,
})

export type SessionAnswer = v.InferOutput<typeof sessionAnswer>
