import { addressOf, channelBeginnings, isName } from '#lib/domain/calls/switch-names.ts'
import type { CarrierHints, ProviderHints } from '#lib/intake/record.ts'
import { type Key, providerKeys } from '#lib/store/keys.ts'
import { findIdsOfProviders } from '#lib/store/rates/provider.ts'
import type { Store } from '#lib/store/store.ts'

/** The carrier of a call, and whether the call went out to it or came in from it. */
export interface CallProvider {
  readonly provider_id: number
  readonly way: 'out' | 'in'
}

/**
 * The carriers of calls, by what the switches say of them: the one that a call went out to, else the one that it came in
 * from; by name, then by address, then by the longest beginning of a channel. `undefined` where no provider is known by
 * any of it. What several calls say is looked up once.
 */
export async function findCarriers(
  store: Store,
  hints: readonly ProviderHints[],
): Promise<(CallProvider | undefined)[]> {
  const asked = hints.map((hint) => ({ out: keysOf(hint.out), in: keysOf(hint.in) }))
  const keys = new Map(asked.flatMap((each) => [...each.out, ...each.in]).map((key) => [key.PK, key]))
  const ids = await findIdsOfProviders(store, [...keys.values()])
  const known = new Map([...keys.keys()].map((name, place) => [name, ids[place]]))
  const first = (some: readonly Key[]) => some.map(({ PK }) => known.get(PK)).find((id) => id !== undefined)

  return asked.map((each) => carrier(first(each.out), 'out') ?? carrier(first(each.in), 'in'))
}

const carrier = (provider_id: number | undefined, way: CallProvider['way']): CallProvider | undefined =>
  provider_id === undefined ? undefined : { provider_id, way }

const keysOf = ({ names, addresses, channels }: CarrierHints): Key[] => [
  ...names
    .map((name) => name.trim().toLowerCase())
    .filter(isName)
    .map(providerKeys.named),
  ...addresses.map(addressOf).filter(isName).map(providerKeys.at),
  ...channels.flatMap(channelBeginnings).map(providerKeys.onChannel),
]
