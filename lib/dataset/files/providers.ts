import { type ImportWorld, isNotBrought } from '#lib/dataset/format/import-world.ts'
import { referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, itself, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import type { Key } from '#lib/store/keys.ts'
import {
  findIdsOfProviders,
  findProviders,
  keysOfProvider,
  MOST_NAMES,
  type Provider,
  providerColumns,
  replaceProvider,
} from '#lib/store/rates/provider.ts'

export const providers: RowFormat<Provider> = {
  columns: providerColumns,
  revision: 2,
  optionalReferences: { tariff_id: 'tariff' },
  claims: (row) => [`id ${row.id}`, ...keysOfProvider(row).map(inWords)],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const tariffs = await referenceProblems(world, rows, { tariff_id: 'tariff' })
    const taken = await takenNames(rows, world)
    return rows.map((row, position) => {
      const problem = tooMany(row) ?? tariffs[position] ?? taken[position]
      if (problem === undefined) world.accepted.providers.add(row.id)
      return problem
    })
  },
  ...rowByRow<Provider, Provider | undefined>({
    lane: () => 0,
    find: byId(findProviders),
    columnsIn: itself,
    write: replacing(({ store }, provider, before) => replaceProvider(store, before, provider)),
    obstacle: async (row, { store }) => {
      const keys = keysOfProvider(row)
      return takenBy(keys, await findIdsOfProviders(store, keys), (id) => id !== row.id)
    },
  }),
}

const tooMany = (row: Provider): string | undefined =>
  keysOfProvider(row).length > MOST_NAMES
    ? `it has more than ${MOST_NAMES} names, addresses and channels`
    : undefined

async function takenNames(rows: readonly Provider[], { store, accepted }: ImportWorld) {
  const known = rows.map(keysOfProvider)
  const holders = await findIdsOfProviders(store, known.flat())
  const isAnother = isNotBrought(rows, accepted.providers)
  return known.map((keys) => takenBy(keys, holders.splice(0, keys.length), isAnother))
}

function takenBy(
  keys: readonly Key[],
  holders: readonly (number | undefined)[],
  isAnother: (id: number) => boolean,
): string | undefined {
  const place = holders.findIndex((id) => id !== undefined && isAnother(id))
  const key = keys[place]
  return key && `${inWords(key)} is what switches know provider ${holders[place]} by`
}

const KINDS: Readonly<Record<string, string>> = {
  PROVIDERNAME: 'name',
  PROVIDERIP: 'address',
  PROVIDERCHANNEL: 'channel',
}

/** As in `name potomac`. */
const inWords = ({ PK, SK }: Key): string => `${KINDS[SK]} ${PK.slice(SK.length + 1)}`
