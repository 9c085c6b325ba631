import { digest, id, optionalId, type Row, requiredText, rowReader } from '#lib/store/columns.ts'
import { providerKey } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

export const providerColumns = {
  id,
  name: requiredText,
  /** What the provider charges; without one its price is not known. */
  tariff_id: optionalId,
}

export type Provider = Row<typeof providerColumns> & { readonly digest?: string | undefined }

const readProvider = rowReader({ ...providerColumns, digest })

// Access patterns

/** In the order of the ids. */
export async function findProviders(store: Store, ids: readonly number[]): Promise<(Provider | undefined)[]> {
  return (await store.getMany(ids.map(providerKey))).map((item) => item && readProvider(item))
}

/** A provider as a dataset brings it, in place of what was there. */
export const replaceProvider = (store: Store, provider: Provider): Promise<void> =>
  store.transact([{ put: { ...providerKey(provider.id), ...provider } }])
