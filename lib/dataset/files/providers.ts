import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { entriesOf } from '#lib/store/entity.ts'
import type { Key } from '#lib/store/keys.ts'
import { MOST_NAMES, type Provider, providers } from '#lib/store/rates/provider.ts'

export const providersFile: RowFormat<Provider> = entityRows(providers, {
  revision: 2,
  claims: (row) => [`id ${row.id}`, ...claimsOf(row).map(describeClaim)],
  problem: (row) =>
    claimsOf(row).length > MOST_NAMES
      ? `has more than ${MOST_NAMES} names, addresses and channels`
      : undefined,
  held: (claim, holder) => `${describeClaim(claim)} belongs to provider ${holder}`,
  lane: () => 0,
})

const claimsOf = (row: Provider): readonly Key[] => entriesOf(providers, providers.claims, row)

const CLAIM_NOUNS: Readonly<Record<string, string>> = {
  PROVIDERNAME: 'name',
  PROVIDERIP: 'address',
  PROVIDERCHANNEL: 'channel',
}

/** For example `name potomac`. */
const describeClaim = ({ PK, SK }: Key): string => `${CLAIM_NOUNS[SK]} ${PK.slice(SK.length + 1)}`
