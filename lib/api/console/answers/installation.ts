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

const sessionAnswer = v.object({
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

/** A field of a form, with its group and its value; a secret one is masked. */
const setting = v.object({
  ...declaredField.entries,
  group: textValue,
  value: textValue,
  /** False for settings that only an admin changes. */
  mayChange: flagValue,
})

const settingsAnswer = v.object({
  settings: v.array(setting),
  /** The newest first. */
  log: v.array(
    v.object({ at: textValue, who: textValue, change: textValue, before: textOrBlank, after: textOrBlank }),
  ),
})

/** The look of an account's own documents. */
const ownBrandAnswer = v.object({ logo: textValue, colour: textValue, footer: textValue })

/** The values that were set, secrets masked. */
const setSettingsAnswer = v.object({
  values: v.record(textValue, textValue),
  warning: textOrBlank,
})

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

/** The secret is shown this once. */
const newKeyAnswer = v.object({ name: textValue, secret: textOrBlank, remarks: v.array(textValue) })

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

/** `secret` is null unless it is new: it is shown this once. */
const changedWebhookAnswer = v.object({ id: textValue, secret: textOrBlank })

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

/** The answers about the session, settings, keys and webhooks. */
export const INSTALLATION_ANSWERS = {
  'GET /session': sessionAnswer,
  'POST /session': sessionAnswer,
  'PUT /session/password': sessionAnswer,
  /** The secret for an authenticator, as text, as an address and as a QR code; null once it is on. */
  'GET /session/second-factor': v.object({
    offered: blankOr(v.object({ secret: textValue, uri: textValue, code: qrCodeValue })),
    /** Those that are left; null while it is off. */
    recoveryCodes: blankOr(countValue),
  }),
  /** The recovery codes are shown this once. */
  'PUT /session/second-factor': v.object({ recovery: v.array(textValue) }),
  'GET /settings': settingsAnswer,
  'GET /own/details': settingsAnswer,
  'PUT /brand': ownBrandAnswer,
  'GET /own/brand': ownBrandAnswer,
  'PUT /settings': setSettingsAnswer,
  'PUT /own/details': setSettingsAnswer,
  'GET /keys': v.object({ keys: v.array(integrationKey) }),
  'POST /keys': newKeyAnswer,
  'POST /keys/{name}/rotate': newKeyAnswer,
  'DELETE /keys/{name}': v.object({ name: textValue }),
  /** The endpoints of the account, without their secrets, and all event types. */
  'GET /webhooks': v.object({
    endpoints: v.array(endpoint),
    types: v.array(v.object({ type: textValue, says: textValue })),
  }),
  'POST /webhooks': changedWebhookAnswer,
  'POST /webhooks/{id}/test': changedWebhookAnswer,
  'POST /webhooks/{id}/resend': changedWebhookAnswer,
  'POST /webhooks/{id}/enable': changedWebhookAnswer,
  'POST /webhooks/{id}/disable': changedWebhookAnswer,
  'POST /webhooks/{id}/rotate': changedWebhookAnswer,
  'DELETE /webhooks/{id}': changedWebhookAnswer,
  /** The deliveries to an endpoint, newest first. */
  'GET /webhooks/{id}/deliveries': v.object({ id: textValue, deliveries: v.array(delivery) }),
  'POST /session/second-factor/off': v.object({}),
  'POST /session/forgotten': v.object({}),
  'POST /session/password': v.object({ username: textValue }),
  'DELETE /session': v.object({}),
}

export type SessionAnswer = v.InferOutput<typeof sessionAnswer>

export type SecondFactorAnswer = v.InferOutput<(typeof INSTALLATION_ANSWERS)['GET /session/second-factor']>

export type SettingRow = v.InferOutput<typeof setting>

export type SettingsAnswer = v.InferOutput<typeof settingsAnswer>

export type KeysAnswer = v.InferOutput<(typeof INSTALLATION_ANSWERS)['GET /keys']>

export type WebhooksAnswer = v.InferOutput<(typeof INSTALLATION_ANSWERS)['GET /webhooks']>

export type ChangedWebhookAnswer = v.InferOutput<typeof changedWebhookAnswer>
