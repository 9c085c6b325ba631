import * as v from 'valibot'
import { declaredField } from './customers.ts'
import { portal } from './portal.ts'
import {
  accountType,
  blankOr,
  countValue,
  flagValue,
  linkValue,
  qrCodeValue,
  textOrBlank,
  textValue,
} from './shapes.ts'

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

/** The secret for an authenticator, as text, as an address and as a QR code; null once it is on. */
export const secondFactorAnswer = v.object({
  offered: blankOr(v.object({ secret: textValue, uri: textValue, code: qrCodeValue })),
  /** Those that are left; null while it is off. */
  recoveryCodes: blankOr(countValue),
})

export type SecondFactorAnswer = v.InferOutput<typeof secondFactorAnswer>

/** The recovery codes are shown this once. */
export const secondFactorOnAnswer = v.object({ recovery: v.array(textValue) })

export type SecondFactorOnAnswer = v.InferOutput<typeof secondFactorOnAnswer>

/** A field of a form, with its group and its value; a secret one is masked. */
const setting = v.object({
  ...declaredField.entries,
  group: textValue,
  value: textValue,
  /** False for settings that only an admin changes. */
  mayChange: flagValue,
})

export type SettingRow = v.InferOutput<typeof setting>

export const settingsAnswer = v.object({
  settings: v.array(setting),
  /** The newest first. */
  log: v.array(
    v.object({ at: textValue, who: textValue, change: textValue, before: textOrBlank, after: textOrBlank }),
  ),
})

export type SettingsAnswer = v.InferOutput<typeof settingsAnswer>

/** The look of an account's own documents. */
export const ownBrandAnswer = v.object({ logo: textValue, colour: textValue, footer: textValue })

export type OwnBrandAnswer = v.InferOutput<typeof ownBrandAnswer>

/** The values that were set, secrets masked. */
export const setSettingsAnswer = v.object({
  values: v.record(textValue, textValue),
  warning: textOrBlank,
})

export type SetSettingsAnswer = v.InferOutput<typeof setSettingsAnswer>

const integrationKey = v.object({
  name: textValue,
  account: linkValue,
  /** By their own names, or `all` alone. */
  methods: v.array(textValue),
  /** IP addresses and ranges, with commas between them; null for any address. */
  from: textOrBlank,
  isV2Only: flagValue,
  added: textValue,
  /** The last rotation; null if there was none. */
  rotated: textOrBlank,
  /** The end of the overlap in which the secret before the last rotation signs, too; null outside it. */
  previousUntil: textOrBlank,
})

export const keysAnswer = v.object({ keys: v.array(integrationKey) })

export type KeysAnswer = v.InferOutput<typeof keysAnswer>

/** The secret is shown this once. */
export const newKeyAnswer = v.object({ name: textValue, secret: textOrBlank, remarks: v.array(textValue) })

export const revokedAnswer = v.object({ name: textValue })

const endpoint = v.object({
  id: textValue,
  url: textValue,
  events: v.array(textValue),
  added: textValue,
  /** Why and since when it is disabled; both null if it is not. */
  disabled: textOrBlank,
  disabledAt: textOrBlank,
  /** True until its receiver echoes the challenge that it was sent: it gets no event before. */
  isAsked: flagValue,
  /** The first failure since the last success; null if there is none. */
  failingSince: textOrBlank,
})

/** The endpoints of the account, without their secrets, and all event types. */
export const webhooksAnswer = v.object({
  endpoints: v.array(endpoint),
  types: v.array(v.object({ type: textValue, says: textValue })),
})

export type WebhooksAnswer = v.InferOutput<typeof webhooksAnswer>

/** `secret` is null unless it is new: it is shown this once. */
export const changedWebhookAnswer = v.object({ id: textValue, secret: textOrBlank })

export type ChangedWebhookAnswer = v.InferOutput<typeof changedWebhookAnswer>

const delivery = v.object({
  /** The webhook-id. */
  message: textValue,
  type: textValue,
  at: textValue,
  tries: countValue,
  /** The HTTP status, or why there was none. */
  answer: textValue,
  milliseconds: countValue,
  outcome: v.picklist(['delivered', 'waiting', 'failed']),
})

/** The deliveries to an endpoint, newest first. */
export const deliveriesAnswer = v.object({ id: textValue, deliveries: v.array(delivery) })

export type DeliveriesAnswer = v.InferOutput<typeof deliveriesAnswer>
