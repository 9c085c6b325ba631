import { channelPrefixes, isLookupName, normalizeAddress } from '#lib/domain/calls/switch-names.ts'
import { type Money, ZERO } from '#lib/domain/money.ts'
import type { CarrierHints, ProviderHints } from '#lib/mediation/formats/cdr.ts'
import type { CallRow } from '#lib/store/calls/call.ts'
import type { Key } from '#lib/store/keys.ts'
import {
  findIdsOfProviders,
  providerAddressKey,
  providerChannelKey,
  providerNameKey,
} from '#lib/store/rates/provider.ts'
import type { Store } from '#lib/store/store.ts'

/** A carrier charges for termination. Origination is free, so its provider price is zero. */
export type ProviderColumns = Partial<CallRow> & { readonly provider_price?: Money }

/**
 * Resolves the providers of calls: the carrier of the termination, otherwise that of the origination. Names come before
 * addresses, and addresses before the longest prefix of a channel. A hint that several calls share is looked up once.
 */
export async function resolveProviders(
  store: Store,
  hints: readonly ProviderHints[],
): Promise<ProviderColumns[]> {
  const asked = hints.map((hint) => ({ out: keysOf(hint.out), in: keysOf(hint.in) }))
  const keys = new Map(asked.flatMap((each) => [...each.out, ...each.in]).map((key) => [key.PK, key]))
  const ids = await findIdsOfProviders(store, [...keys.values()])
  const known = new Map([...keys.keys()].map((name, index) => [name, ids[index]]))
  const first = (some: readonly Key[]) => some.map(({ PK }) => known.get(PK)).find((id) => id !== undefined)

  return asked.map((each) => {
    const [termination, origination] = [first(each.out), first(each.in)]
    if (termination !== undefined) return { provider_id: termination }
    return origination === undefined ? {} : { provider_id: origination, provider_price: ZERO }
  })
}

const keysOf = ({ names, addresses, channels }: CarrierHints): Key[] => [
  ...names
    .map((name) => name.trim().toLowerCase())
    .filter(isLookupName)
    .map(providerNameKey),
  ...addresses.map(normalizeAddress).filter(isLookupName).map(providerAddressKey),
  ...channels.flatMap(channelPrefixes).map(providerChannelKey),
]
