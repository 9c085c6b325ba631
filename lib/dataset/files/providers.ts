import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { entriesOf } from '#lib/store/entity.ts'
import type { Key } from '#lib/store/keys.ts'
import { providers as entity, MOST_NAMES, type Provider } from '#lib/store/rates/provider.ts'

export const providers: RowFormat<Provider> = entityRows(entity, {
  revision: 2,
  claims: (row) => [`id ${row.id}`, ...claimsOf(row).map(nameOfClaim)],
  problem: (row) =>
    claimsOf(row).length > MOST_NAMES
      ? `it has more than ${MOST_NAMES} names, addresses and channels`
      : undefined,
  held: (claim, holder) => `${nameOfClaim(claim)} is what switches know provider ${holder} by`,
  lane: () => 0,
})

const claimsOf = (row: Provider): readonly Key[] => entriesOf(entity, entity.claims, row)

const KINDS: Readonly<Record<string, string>> = {
  PROVIDERNAME: 'name',
  PROVIDERIP: 'address',
  PROVIDERCHANNEL: 'channel',
}

/** As in `name potomac`. */
const nameOfClaim = ({ PK, SK }: Key): string => `${KINDS[SK]} ${PK.slice(SK.length + 1)}`
