import { id, rowReader } from '#lib/store/columns.ts'
import { keyIn, providerKeys } from '#lib/store/keys.ts'
import { keysOfProvider, providerPlace, readProvider } from '#lib/store/rates/provider.ts'
import { agrees, listed, type Rule } from './statement.ts'

/** A provider: whatever switches know it by leads to it. */
export const providerRule: Rule = (item) => {
  const provider = readProvider(item)
  return [
    ...listed(item, providerPlace(provider), `Provider ${provider.id}`),
    ...keysOfProvider(provider).map((key) =>
      agrees(
        key,
        { provider_id: provider.id },
        `${key.PK} does not lead to provider ${provider.id}; import it again.`,
      ),
    ),
  ]
}

const readPointer = rowReader({ provider_id: id })

export const providerPointerRule: Rule = (item) => {
  const { PK } = keyIn(item)
  const { provider_id } = readPointer(item)
  return [
    {
      at: providerKeys.item(provider_id),
      finds: (provider) =>
        provider !== undefined && keysOfProvider(readProvider(provider)).some((key) => key.PK === PK),
      otherwise: `${PK} leads to provider ${provider_id}, which is not known by that.`,
    },
  ]
}
