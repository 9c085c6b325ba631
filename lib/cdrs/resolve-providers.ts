import { paired } from '#lib/base/collections.ts'
import { type Money, ZERO } from '#lib/base/money.ts'
import { channelPrefixes, isLookupName, normalizeAddress } from '#lib/base/switch-names.ts'
import type { CallRow } from '#lib/calls/call.ts'
import {
  findIdsOfProviders,
  providerAddressKey,
  providerChannelKey,
  providerNameKey,
} from '#lib/rates/provider.ts'
import type { Key } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import type { CarrierHints, ProviderHints } from './formats/cdr.ts'

/** A carrier charges for termination. Origination is free, so its provider price is zero. */
export type ProviderColumns = Partial<CallRow> & { readonly provider_price?: Money }

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
  const ids = paired([...keys.keys()], await findIdsOfProviders(store, [...keys.values()]))
  const first = (some: readonly Key[]) => some.map(({ PK }) => ids.get(PK)).find((id) => id !== undefined)
  return new Map(asked.map((one) => [one.each, providerColumns(first(one.out), first(one.in))]))
}

const providerColumns = (out: number | undefined, origination: number | undefined): ProviderColumns => {
  if (out !== undefined) return { provider_id: out }
  return origination === undefined ? {} : { provider_id: origination, provider_price: ZERO }
}

const keysOf = ({ names, addresses, channels }: CarrierHints): Key[] => [
  ...names
    .map((name) => name.trim().toLowerCase())
    .filter(isLookupName)
    .map(providerNameKey),
  ...addresses.map(normalizeAddress).filter(isLookupName).map(providerAddressKey),
  ...channels.flatMap(channelPrefixes).map(providerChannelKey),
]
