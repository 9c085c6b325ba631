import { byId, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { findProviders, type Provider, providerColumns, replaceProvider } from '#lib/store/rates/provider.ts'

export const providers: RowFormat<Provider> = {
  columns: providerColumns,
  claims: ({ id }) => [`id ${id}`],
  write: rowByRow<Provider, Provider | undefined>({
    lane: ({ id }) => id,
    find: byId(findProviders),
    write: replacing(({ store }, provider) => replaceProvider(store, provider)),
  }),
}
