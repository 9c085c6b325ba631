import { randomInt } from 'node:crypto'
import { accountLists } from '#lib/accounts/account.ts'
import { asOf } from '#lib/accounts/account-history.ts'
import { NO_PASSWORD_HASH } from '#lib/accounts/password.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { exceeds } from '#lib/base/account-types.ts'
import { DAY_MS } from '#lib/base/calendar.ts'
import { type Money, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { CHARGED, COLUMNS_OF_CHARGED, chargedOf, isUncharged } from '#lib/billing/charges/charge-rules.ts'
import { documentPages, newDocumentId } from '#lib/billing/document.ts'
import { findServices, serviceColumns, services } from '#lib/billing/service.ts'
import { subscriptions } from '#lib/billing/subscription.ts'
import { deviceRulesFile, devicesFile, devicesFormat, didsFile } from '#lib/dataset/files/devices.ts'
import { locationRulesFile, locationsFile } from '#lib/dataset/files/location-rules.ts'
import { providersFile } from '#lib/dataset/files/providers.ts'
import { servicesFile, subscriptionsFile } from '#lib/dataset/files/services.ts'
import { currenciesFile, tariffsFile } from '#lib/dataset/files/tariffs.ts'
import { DATED_BY_HAND } from '#lib/dataset/files/users.ts'
import { oneUser } from '#lib/dataset/files/users-check.ts'
import type { RowChange } from '#lib/dataset/format/row-format.ts'
import {
  deviceTypeOf,
  generatedColumns,
  isDevicePassword,
  MIN_DEVICE_PASSWORD_LENGTH,
} from '#lib/devices/device.ts'
import { deviceRuleKey, deviceRules } from '#lib/devices/device-rule-stored.ts'
import { type Device, devices, findRoom, listedDeviceKey } from '#lib/devices/device-stored.ts'
import { deviceDeleted } from '#lib/devices/device-writing.ts'
import { dids } from '#lib/devices/did.ts'
import type { EXTENSION_ERRORS } from '#lib/devices/extension.ts'
import { chooseExtension } from '#lib/devices/extension-stored.ts'
import { locationRuleKey, locationRules, locations } from '#lib/devices/location-rule-stored.ts'
import { locationRuleReplaced } from '#lib/devices/location-rule-writing.ts'
import { currencies } from '#lib/rates/currency.ts'
import { providers } from '#lib/rates/provider.ts'
import { tariffs } from '#lib/rates/tariff.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { labelled, oneOf, unseen } from '#lib/table/columns.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { nextId } from '#lib/table/id-counter.ts'
import { deviceKey, type KeyForm, keyForm, locationKey, padded, serviceKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import {
  defineKind,
  type Generated,
  type RecordContext,
  type RecordKind,
  type RecordValues,
} from './record-kind.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly no_extension: { readonly refused: keyof typeof EXTENSION_ERRORS | 'no_extension' }
    readonly device_limit: Record<never, never>
    readonly never_charged: { readonly name: string; readonly price: Money }
    readonly device_has_dids: { readonly id: number }
    readonly device_in_rules: { readonly id: number }
  }
}

const NO_LIST = keyForm('', '')

const inIndex = (list: KeyForm | undefined) => ({ form: list ?? NO_LIST, holds: 'index' }) as const

/** The values that registration gives a new customer of the operator (wire.md user_register). */
const termsOfCustomer = (settings: Settings): RecordValues => ({
  usertype: 'user',
  tariff_id: String(settings.Default_User_Tariff ?? ''),
  currency: settings.Default_User_Currency,
  postpaid: settings.Default_User_Postpaid ? '1' : '0',
  credit: settings.Default_User_Postpaid ? settings.Default_User_Credit : '0',
})

/** People choose how a service is charged in one step. */
const chargedColumns = {
  ...serviceColumns,
  type: unseen(serviceColumns.type),
  period: unseen(serviceColumns.period),
  charged: labelled(oneOf(CHARGED), 'Charged', 'how often its price is charged'),
}

export const RECORD_KINDS = {
  accounts: defineKind(accounts, oneUser, {
    present: asOf,
    list: inIndex(accountLists.ofOwner),
    counted: 'account',
    limited: 'change',
    defaults: termsOfCustomer,
    refuseKept: (account) => {
      const { username } = account
      if (exceeds(account, { permissions: '' })) throw new Refusal('not_of_yours', { username })
    },
    problems: (_world, values) => datedProblem(values),
    generate: async (_world, { password = '' }) => ({
      values: password === '' ? { password_hash: NO_PASSWORD_HASH } : {},
    }),
  }),
  devices: defineKind(devices, devicesFile, {
    list: { form: listedDeviceKey, holds: 'copies' },
    /** The copies of the list have the username alone. */
    namedBy: { column: 'id', key: deviceKey },
    refersTo: [{ column: 'location_id', names: locationKey }],
    limited: 'change',
    defaults: ({ Default_device_type }) => ({
      device_type: deviceTypeOf(Default_device_type) ?? '',
      port: '',
      primary_device: '',
    }),
    generated: {
      name: 'the extension',
      extension: 'the next free one',
      secret: 'a new one',
      pin: 'a new one',
    },
    problems: secretProblem,
    generate: generateDevice,
    remove: removeDevice,
  }),
  'device-rules': defineKind(deviceRules, deviceRulesFile, {
    list: { form: deviceRuleKey, holds: 'items' },
    counted: 'device_rule',
    limited: 'change',
    ownerThrough: 'device_id',
    remove: async (_store, rule) => ({ changes: changesOf(deviceRules, rule, undefined) }),
  }),
  tariffs: defineKind(tariffs, tariffsFile, {
    list: inIndex(tariffs.list),
    counted: 'tariff',
    limited: 'change',
  }),
  providers: defineKind(providers, providersFile, { list: inIndex(providers.list), counted: 'provider' }),
  dids: defineKind(dids, didsFile, { list: inIndex(dids.list), counted: 'did' }),
  currencies: defineKind(currencies, currenciesFile, {
    list: inIndex(currencies.list),
    limited: 'read',
  }),
  services: defineKind(services, servicesFile, {
    columns: chargedColumns,
    cells: withChargedCells,
    present: (service) => ({ ...service, charged: chargedOf(service) }),
    asks: async (_world, cells, before) =>
      before && isUncharged(before)
        ? undefined
        : questionAbout({ name: '', price: ZERO, type: '', period: '', ...before, ...cells }),
    list: inIndex(services.list),
    counted: 'service',
    limited: 'read',
  }),
  subscriptions: defineKind(subscriptions, subscriptionsFile, {
    list: inIndex(subscriptions.list),
    limited: 'change',
    namedBy: { column: 'service_id', key: serviceKey },
    defaults: (_settings, today) => ({ from: today }),
    equalOne: equalSubscription,
    asks: async ({ store }, { service_id }, before) =>
      service_id === undefined || Number(service_id) === before?.service_id
        ? undefined
        : questionAbout((await findServices(store, [Number(service_id)]))[0]),
  }),
  locations: defineKind(locations, locationsFile, {
    list: inIndex(locations.list),
    counted: 'location',
    limited: 'change',
  }),
  'location-rules': defineKind(locationRules, locationRulesFile, {
    list: { form: locationRuleKey, holds: 'items' },
    counted: 'location_rule',
    limited: 'change',
    ownerThrough: 'location_id',
    remove: async (store, rule) => ({ changes: await locationRuleReplaced(store, rule, undefined) }),
  }),
} satisfies Readonly<Record<string, RecordKind>>

export type KindName = keyof typeof RECORD_KINDS

export const isKindName = (name: string): name is KindName => Object.hasOwn(RECORD_KINDS, name)

export const kindNamed = (name: KindName): RecordKind => RECORD_KINDS[name]

/** The kind of the records under a key, if it is one of these. */
export const kindUnder = (key: KeyForm): KindName | undefined =>
  (Object.keys(RECORD_KINDS) as KindName[]).find((name) => kindNamed(name).entity.key === key)

const questionAbout = (service: (Parameters<typeof isUncharged>[0] & { name: string }) | undefined) =>
  service && isUncharged(service)
    ? new Refusal('never_charged', { name: service.name, price: service.price })
    : undefined

function withChargedCells({ charged, ...cells }: RecordValues): RecordValues {
  const chosen = CHARGED.find((one) => one === charged?.trim().toLowerCase())
  return chosen ? { ...cells, ...COLUMNS_OF_CHARGED[chosen] } : cells
}

const isDated = (name: string): boolean => DATED_BY_HAND.some((column) => column === name)

/** A day dates tariff, VAT and currency. Everything else changes at once. */
function datedProblem({ from = '', ...values }: RecordValues): RecordValues {
  const names = Object.keys(values)
  if (from === '') return {}
  if (!names.some(isDated)) return { from: 'Name the tariff, VAT or currency that holds from that day' }
  const others = names.filter((name) => !isDated(name))
  return Object.fromEntries(
    others.map((name) => [name, 'This changes at once: change it without the day, in a separate step']),
  )
}

/** A secret goes into the configuration of a switch (wire.md device_update). */
function secretProblem({ settings }: RecordContext, { secret = '' }: RecordValues) {
  const shortest = settings.Allow_short_passwords_in_devices ? 1 : MIN_DEVICE_PASSWORD_LENGTH
  if (secret === '') return {}
  if (secret.length < shortest) return { secret: `Use at least ${shortest} characters` }
  return isDevicePassword(secret)
    ? {}
    : { secret: 'Use letters, digits and signs without blanks, quotes, backslashes and semicolons' }
}

/** The generated values of device_create: id, extension, name, secret, PIN, within their limits. */
async function generateDevice({ store, settings }: RecordContext, values: RecordValues): Promise<Generated> {
  const [choice, room] = await Promise.all([
    chooseExtension(
      store,
      settings,
      { extension: values['extension'], user_id: Number(values['user_id']) },
      0,
    ),
    findRoom(store, settings.Device_Limit),
  ])
  if ('refused' in choice) throw new Refusal('no_extension', { refused: choice.refused }, 'extension')
  if (room && room.left <= 0) throw new Refusal('device_limit', {})
  const { extension, isFreed, mark } = choice
  const type = deviceTypeOf(values['device_type'] ?? '') ?? 'SIP'
  const { secret, pin } = generatedColumns(type, { below: randomInt })
  const generated = { extension, name: extension, secret, pin }
  const blank = Object.entries(generated).filter(([name]) => !values[name])
  return {
    values: Object.fromEntries(blank),
    takeId: () => nextId(store, 'device', mark),
    format: devicesFormat({ room, isFreed }) as unknown as RecordKind['format'],
  }
}

async function removeDevice(store: Store, device: Device): Promise<RowChange> {
  const { id, did_count, location_rule_count } = device
  if (did_count > 0) throw new Refusal('device_has_dids', { id })
  if (location_rule_count > 0) throw new Refusal('device_in_rules', { id })
  return deviceDeleted(store, device)
}

/** The id of a subscription has the time when it was added. */
async function equalSubscription(
  { store, now }: ActContext,
  { user_id, service_id, device_id = '' }: RecordValues,
): Promise<string | undefined> {
  const pages = documentPages(store, subscriptions, {
    scope: { user: Number(user_id) },
    from: padded(newDocumentId(now.getTime() - DAY_MS + 1000, 0)),
  })
  for await (const page of pages) {
    const equal = page.find(
      (one) => one.service_id === Number(service_id) && String(one.device_id ?? '') === device_id,
    )
    if (equal) return `Subscription ${equal.id} of the same service`
  }
  return undefined
}
