import { paired } from '#lib/base/collections.ts'
import { type Money, ZERO } from '#lib/base/money.ts'
import { addressKeys, channelPrefixes, isLookupName } from '#lib/base/switch-names.ts'
import {
  blankMeans,
  id,
  labelled,
  oneOf,
  optional,
  optionalId,
  type Row,
  requiredText,
  textLike,
  visible,
} from '#lib/table/columns.ts'
import { defineEntity, type Stored } from '#lib/table/entity.ts'
import { type Key, keyForm, tariffKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { wholeNumberOf } from './code.ts'
import { NUMBER_FORMATS } from './numbers/rated-number.ts'

const LIST = optional(
  textLike('words of at most 150 characters, with spaces between them', /^\s*(\S{1,150}(\s+|$))*$/),
)

const providerColumns = {
  id,
  name: visible(requiredText),
  /** Without a tariff its price is unknown. */
  tariff_id: labelled(optionalId, 'Tariff', 'the prices of its calls'),
  names: labelled(
    LIST,
    'Further names',
    'as CDRs name it: gateways, trunks, peers, with blanks between them',
  ),
  addresses: labelled(LIST, 'Addresses', 'IP addresses and host names, with blanks between them'),
  /** Up to a `/` or a `-`. */
  channels: labelled(LIST, 'Channels', 'such as DAHDI/i1, with blanks between them'),
  /** The provider cuts it. */
  tech_prefix: labelled(
    {
      ...optional(textLike('at most 40 visible characters', /^[!-~]{1,40}$/)),
      fromCell: wholeNumberOf,
    },
    'Technical prefix',
    'before the number when it is called, such as 1234#',
  ),
  number_format: blankMeans(
    labelled(optional(oneOf(NUMBER_FORMATS)), 'Number format', 'of the numbers that the switch sends it'),
    'unknown',
  ),
}

export type Provider = Row<typeof providerColumns>

export const providerKey = keyForm('PROVIDER#<id>', 'PROVIDER')
const inProviders = keyForm('PROVIDERS', '<id>')
/** The name is in lower case. */
const providerNameKey = keyForm('PROVIDERNAME#<name>', 'PROVIDERNAME')
const providerAddressKey = keyForm('PROVIDERIP#<address>', 'PROVIDERIP')
/** The channel up to a `/` or a `-`. */
const providerChannelKey = keyForm('PROVIDERCHANNEL#<channel>', 'PROVIDERCHANNEL')

/** CDRs name a provider by a name, an address or a channel. Each belongs to one provider. */
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
        distinct(wordsIn(addresses).flatMap(addressKeys)).map((address) => ({ address })),
      /** The normal form of an address; until then, the spelling alone. */
      since: 4,
    },
    {
      key: providerChannelKey,
      of: ({ channels }) =>
        distinct(
          wordsIn(channels).map((channel) => channel.replace(/(?<![/-])[/-]+$/, '').toLowerCase()),
        ).map((channel) => ({ channel })),
    },
  ],
  requires: [{ column: 'tariff_id', names: tariffKey }],
})

const wordsIn = (list = ''): string[] => list.split(/\s+/).filter((word) => word !== '')

const distinct = (words: readonly string[]): string[] => [...new Set(words)]

/** One transaction removes and puts up to this number of claims. */
export const MOST_NAMES = 45

export const { findMany: findProviders } = providers

/** Whether a provider has this address, for each of them. */
export const areOfProviders = async (store: Store, addresses: readonly string[]): Promise<boolean[]> =>
  (await store.getMany(addresses.map((address) => providerAddressKey(address)))).map(
    (claim) => claim !== undefined,
  )

/** Every provider, ascending by id. */
export const listProviders = async (store: Store): Promise<Stored<Provider>[]> =>
  (await store.list({ index: 'GSI1', partition: inProviders.partition() })).map(providers.read)

/** The hints of a CDR at the carriers of its call: `out` for termination, `in` for origination. */
export interface ProviderHints {
  readonly out: CarrierHints
  readonly in: CarrierHints
}

/** Candidates for a carrier's name, its address, and its channels. */
export interface CarrierHints {
  readonly names: readonly string[]
  readonly addresses: readonly string[]
  readonly channels: readonly string[]
}

/** A carrier charges for termination. Origination is free, so its provider price is zero. */
export interface ProviderColumns {
  readonly provider_id?: number
  readonly provider_price?: Money
}

/**
 * Resolves providers: the termination's carrier, otherwise the origination's. Names come before addresses,
 * and addresses before a channel's longest prefix. A hint of several calls is looked up once.
 */
export async function resolveProviders(
  store: Store,
  hints: readonly ProviderHints[],
): Promise<ReadonlyMap<ProviderHints, ProviderColumns>> {
  const asked = hints.map((each) => ({ each, out: keysOf(each.out), in: keysOf(each.in) }))
  const keys = new Map(asked.flatMap((one) => [...one.out, ...one.in]).map((key) => [key.PK, key]))
  const claims = paired([...keys.keys()], await store.getMany([...keys.values()]))
  const idOf = (some: readonly Key[]): number | undefined => {
    const claim = some.map(({ PK }) => claims.get(PK)).find((one) => one !== undefined)
    return claim && Number(claim['id'])
  }
  return new Map(asked.map((one) => [one.each, columnsOfCarriers(idOf(one.out), idOf(one.in))]))
}

const columnsOfCarriers = (out: number | undefined, origination: number | undefined): ProviderColumns => {
  if (out !== undefined) return { provider_id: out }
  return origination === undefined ? {} : { provider_id: origination, provider_price: ZERO }
}

const keysOf = ({ names, addresses, channels }: CarrierHints): Key[] => [
  ...names
    .map((name) => name.trim().toLowerCase())
    .filter(isLookupName)
    .map(providerNameKey),
  ...addresses.flatMap(addressKeys).filter(isLookupName).map(providerAddressKey),
  ...channels.flatMap(channelPrefixes).map(providerChannelKey),
]
