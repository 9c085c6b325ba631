import { documentPages, newDocumentId } from '#lib/billing/document.ts'
import { subscriptions } from '#lib/billing/subscription.ts'
import type { RecordValues } from '#lib/dataset/records/record-kind.ts'
import type { KindName } from '#lib/dataset/records/record-kinds.ts'
import { padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { lastDay, refuseRepeated } from './repeated.ts'

/** A noun of the command line: records that are added, changed and listed. */
export interface RecordNoun {
  readonly kind: KindName
  /** The columns of `add` that are words without an option, in their order. */
  readonly given: readonly string[]
  /** The columns that a list shows besides the id and the name. */
  readonly listed: readonly string[]
  /** Refuses an equal record that was added within a day: `add` has the option --again. */
  readonly refuseRepeated?: (store: Store, values: RecordValues, now: Date) => Promise<void>
}

export const RECORD_NOUNS = {
  account: { kind: 'accounts', given: ['username'], listed: [] },
  device: { kind: 'devices', given: ['user_id'], listed: ['device_type', 'ipaddr', 'port'] },
  tariff: { kind: 'tariffs', given: ['name'], listed: [] },
  provider: { kind: 'providers', given: ['name'], listed: ['tariff_id', 'names', 'addresses', 'channels'] },
  did: { kind: 'dids', given: ['did'], listed: ['user_id', 'device_id', 'provider_id', 'status'] },
  service: { kind: 'services', given: ['name'], listed: ['price', 'currency', 'charged'] },
  currency: {
    kind: 'currencies',
    given: ['name', 'exchange_rate'],
    listed: ['exchange_rate', 'auto_update'],
  },
  location: { kind: 'locations', given: ['name'], listed: ['owner_id'] },
  'location-rule': {
    kind: 'location-rules',
    given: ['location_id', 'name'],
    listed: ['lr_type', 'cut', 'add', 'tariff_id', 'enabled'],
  },
  subscription: {
    kind: 'subscriptions',
    given: ['user_id', 'service_id'],
    listed: ['user_id', 'service_id', 'from', 'till', 'quantity'],
    refuseRepeated: refuseSubscription,
  },
} satisfies Readonly<Record<string, RecordNoun>>

export type NounName = keyof typeof RECORD_NOUNS

/** The id of a subscription has the time when it was added. */
function refuseSubscription(store: Store, { user_id, service_id, device_id = '' }: RecordValues, now: Date) {
  return refuseRepeated(
    documentPages(store, subscriptions, {
      scope: { user: Number(user_id) },
      from: padded(newDocumentId(lastDay(now).from * 1000, 0)),
    }),
    (one) => one.service_id === Number(service_id) && String(one.device_id ?? '') === device_id,
    ({ id }) => `Subscription ${id} of the same service`,
  )
}
