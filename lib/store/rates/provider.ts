import { type Imported, id, importedReader, optionalId, type Row, requiredText } from '#lib/store/columns.ts'
import { defineEntity, replacer } from '#lib/store/entity.ts'
import { providerKeys } from '#lib/store/keys.ts'

// Shape

export const providerColumns = {
  id,
  name: requiredText,
  /** What the provider charges; without one its price is not known. */
  tariff_id: optionalId,
}

export type Provider = Imported<Row<typeof providerColumns>>

// Access patterns

export const { findMany: findProviders } = defineEntity({
  key: providerKeys.item,
  read: importedReader(providerColumns),
})

export const replaceProvider = replacer((provider: Provider) => providerKeys.item(provider.id))
