import type { KindName } from '#lib/dataset/records/record-kinds.ts'

/** A noun of the command line: records that are added, changed and listed. */
export interface RecordNoun {
  readonly kind: KindName
  /** The columns of `add` that are words without an option, in their order. */
  readonly given: readonly string[]
  /** The columns that a list shows besides the id and the name. */
  readonly listed: readonly string[]
}

export const RECORD_NOUNS = {
  account: { kind: 'accounts', given: ['username'], listed: [] },
  device: { kind: 'devices', given: ['user_id'], listed: ['device_type', 'ipaddr', 'port'] },
  tariff: { kind: 'tariffs', given: ['name'], listed: [] },
  provider: { kind: 'providers', given: ['name'], listed: ['tariff_id', 'names', 'addresses', 'channels'] },
  did: { kind: 'dids', given: ['did'], listed: ['user_id', 'device_id', 'provider_id', 'status'] },
  service: { kind: 'services', given: ['name'], listed: ['price', 'currency', 'period'] },
  currency: {
    kind: 'currencies',
    given: ['name', 'exchange_rate'],
    listed: ['exchange_rate', 'auto_update'],
  },
  subscription: {
    kind: 'subscriptions',
    given: ['user_id', 'service_id'],
    listed: ['user_id', 'service_id', 'from', 'till', 'quantity'],
  },
} satisfies Readonly<Record<string, RecordNoun>>

export type NounName = keyof typeof RECORD_NOUNS
