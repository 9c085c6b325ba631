import { isLookupName, normalizeAddress } from '#lib/domain/calls/switch-names.ts'
import { id, optional, optionalId, type Row, requiredText, textLike } from '#lib/store/columns.ts'
import { defineEntity, type Stored } from '#lib/store/entity.ts'
import { type Key, keyForm, tariffKey } from '#lib/store/keys.ts'
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

export type Provider = Row<typeof providerColumns>

// Declaration

export const providerKey = keyForm('PROVIDER#<id>', 'PROVIDER')
const inProviders = keyForm('PROVIDERS', '<id>')
/** In lower case. */
export const providerNameKey = keyForm('PROVIDERNAME#<name>', 'PROVIDERNAME')
export const providerAddressKey = keyForm('PROVIDERIP#<address>', 'PROVIDERIP')
/** The beginning of a channel. */
export const providerChannelKey = keyForm('PROVIDERCHANNEL#<channel>', 'PROVIDERCHANNEL')

/** Switches know a provider by its names, its addresses and its channels, which no other provider has. */
export const providers = defineEntity({
  name: 'provider',
  columns: providerColumns,
  key: providerKey,
  list: inProviders,
  claims: [
    {
      key: providerNameKey,
      of: ({ name, names }) =>
        distinct([name, ...wordsIn(names)].map((word) => word.trim().toLowerCase()))
          .filter(isLookupName)
          .map((word) => ({ name: word })),
    },
    {
      key: providerAddressKey,
      of: ({ addresses }) =>
        distinct(wordsIn(addresses).map(normalizeAddress)).map((address) => ({ address })),
    },
    {
      key: providerChannelKey,
      of: ({ channels }) =>
        distinct(wordsIn(channels).map((channel) => channel.replace(/[/-]+$/, '').toLowerCase())).map(
          (channel) => ({ channel }),
        ),
    },
  ],
  requires: [{ column: 'tariff_id', names: tariffKey }],
})

const wordsIn = (list = ''): string[] => list.split(/\s+/).filter((word) => word !== '')

const distinct = (words: readonly string[]): string[] => [...new Set(words)]

/** A transaction has room for those that go and those that come. */
export const MOST_NAMES = 45

// Access patterns

export const { findMany: findProviders } = providers

/** Every provider, ascending by id. */
export const listProviders = async (store: Store): Promise<Stored<Provider>[]> =>
  (await store.list({ index: 'GSI1', partition: inProviders.range().partition })).map(providers.read)

/** The ids of the providers that these are keys of, in their order. */
export async function findIdsOfProviders(
  store: Store,
  keys: readonly Key[],
): Promise<(number | undefined)[]> {
  return (await store.getMany(keys)).map((claim) => claim && Number(claim['id']))
}
