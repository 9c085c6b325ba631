import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { MOST_NAMES, type Provider, providers } from '#lib/rates/provider.ts'
import { entriesOf } from '#lib/table/entity.ts'
import { type Key, keyReader } from '#lib/table/keys.ts'

export const providersFile: RowFormat<Provider> = entityRows(providers, {
  revision: 2,
  names: { column: 'name' },
  claims: (row) => [`id ${row.id}`, ...claimsOf(row).map(describeClaim)],
  problem: (row) =>
    claimsOf(row).length > MOST_NAMES
      ? `has more than ${MOST_NAMES} names, addresses and channels`
      : undefined,
  held: (claim, id) => {
    const word = describeClaim(claim)
    return {
      code: 'taken',
      field: FIELDS[word.split(' ')[0] ?? ''] ?? 'name',
      values: { noun: 'provider', id, word },
    }
  },
  lane: () => 0,
})

/** The column whose word a claim holds. */
const FIELDS: Readonly<Record<string, string>> = { name: 'names', address: 'addresses', channel: 'channels' }

const claimsOf = (row: Provider): readonly Key[] => entriesOf(providers, providers.claims, row)

const claimReaders = providers.claims.map(({ key }) => keyReader(key))

/** The name of the value that a claim holds, and the value: for example `name potomac`. */
const describeClaim = (claim: Key): string =>
  claimReaders.flatMap((read) => Object.entries(read(claim) ?? {}).flat()).join(' ')
