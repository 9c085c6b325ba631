import { addressOf, isName } from '#lib/domain/calls/switch-names.ts'
import {
  type Imported,
  id,
  importedReader,
  optional,
  optionalId,
  type Row,
  requiredText,
  rowReader,
  textLike,
} from '#lib/store/columns.ts'
import { absentOrIs } from '#lib/store/conditions.ts'
import { defineEntity } from '#lib/store/entity.ts'
import { isSameKey, type Key, providerKeys } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

const LIST = optional(
  textLike('words of at most 150 characters, with spaces between them', /^\s*(\S{1,150}(\s+|$))*$/),
)

export const providerColumns = {
  id,
  name: requiredText,
  /** What the provider charges; without one its price is not known. */
  tariff_id: optionalId,
  /** What switches call it besides its name: gateways, trunks, peers. */
  names: LIST,
  /** Its IP addresses, and host names. */
  addresses: LIST,
  /** Beginnings of channels, up to a `/` or a `-`: `DAHDI/i1`. */
  channels: LIST,
}

export type Provider = Imported<Row<typeof providerColumns>>

export const readProvider = importedReader(providerColumns)

const readPointer = rowReader({ provider_id: id })

// Keys

/** Where it stands in the list of all of them. */
export const providerPlace = ({ id }: Pick<Provider, 'id'>) => ({
  GSI1PK: providerKeys.all,
  GSI1SK: providerKeys.place(id),
})

/** What switches know a provider by, which no other may have: its names, its addresses, its channels. */
export function keysOfProvider({ name, names, addresses, channels }: Provider): Key[] {
  const known = [
    ...[name, ...wordsIn(names)]
      .map((word) => word.trim().toLowerCase())
      .filter(isName)
      .map(providerKeys.named),
    ...wordsIn(addresses).map(addressOf).map(providerKeys.at),
    ...wordsIn(channels)
      .map((channel) => channel.replace(/[/-]+$/, '').toLowerCase())
      .map(providerKeys.onChannel),
  ]
  return [...new Map(known.map((key) => [key.PK, key])).values()]
}

const wordsIn = (list = ''): string[] => list.split(/\s+/).filter((word) => word !== '')

/** A transaction has room for those that go and those that come. */
export const MOST_NAMES = 45

// Access patterns

export const { findMany: findProviders } = defineEntity({
  key: providerKeys.item,
  read: readProvider,
})

/** Every provider, ascending by id. */
export const listProviders = async (store: Store): Promise<Provider[]> =>
  (await store.list({ index: 'GSI1', partition: providerKeys.all })).map(readProvider)

/** The ids of the providers that these are keys of, in their order. */
export async function findIdsOfProviders(
  store: Store,
  keys: readonly Key[],
): Promise<(number | undefined)[]> {
  return (await store.getMany(keys)).map((pointer) => pointer && readPointer(pointer).provider_id)
}

/**
 * The provider in place of what was read, with what switches know it by. Throws ConditionFailed when another one is known
 * by the same.
 */
export function replaceProvider(store: Store, before: Provider | undefined, after: Provider): Promise<void> {
  const known = keysOfProvider(after)
  const gone = before ? keysOfProvider(before).filter((key) => !known.some((one) => isSameKey(one, key))) : []
  return store.transact([
    { put: { ...providerKeys.item(after.id), ...providerPlace(after), ...after } },
    ...gone.map((remove): Change => ({ remove, when: { provider_id: absentOrIs(after.id) } })),
    ...known.map(
      (key): Change => ({
        put: { ...key, provider_id: after.id },
        when: { provider_id: absentOrIs(after.id) },
      }),
    ),
  ])
}
