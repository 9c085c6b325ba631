import { referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, itself, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { findProviders, type Provider, providerColumns, replaceProvider } from '#lib/store/rates/provider.ts'

export const providers: RowFormat<Provider> = {
  columns: providerColumns,
  optionalReferences: { tariff_id: 'tariff' },
  claims: ({ id }) => [`id ${id}`],
  check: (entries, world) =>
    referenceProblems(
      world,
      entries.map(({ row }) => row),
      { tariff_id: 'tariff' },
    ),
  ...rowByRow<Provider, Provider | undefined>({
    lane: ({ id }) => id,
    find: byId(findProviders),
    columnsIn: itself,
    write: replacing(({ store }, provider) => replaceProvider(store, provider)),
  }),
}
