import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { findProviders, type Provider, providerColumns, replaceProvider } from '#lib/store/rates/provider.ts'

export const providers: RowFormat<Provider> = {
  columns: providerColumns,
  claims: ({ id }) => [`id ${id}`],
  write: rowByRow<Provider, Provider | undefined>({
    lane: ({ id }) => id,
    find: (rows, { store }) =>
      findProviders(
        store,
        rows.map(({ id }) => id),
      ),
    write: async ({ row, digest }, before, { store }) => {
      if (before?.digest === digest) return 'unchanged'
      await replaceProvider(store, { ...row, digest })
      return 'written'
    },
    obstacle: async () => undefined,
  }),
}
