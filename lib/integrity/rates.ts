import type { Item } from '#lib/store/items.ts'
import { type Key, keyIn, tariffKey } from '#lib/store/keys.ts'
import { directoryKey, directoryPages } from '#lib/store/rates/destination.ts'
import { ownLines, readPage } from '#lib/store/rates/prefix-pages.ts'
import { readVersion, readVersions } from '#lib/store/rates/prefix-versions.ts'
import { ratePages } from '#lib/store/rates/tariff.ts'
import { present, type Rule, type Statement } from './statement.ts'

/** The header of a tariff: its versions have all their rates. */
export const tariffRule: Rule = (item) => rowsOf(item, (version) => ratePages(Number(item['id']), version))

/** The header of the directory of destinations. */
export const directoryRule: Rule = (item) => rowsOf(item, directoryPages)

const rowsOf = (header: Item, partition: (version: number) => string): Statement[] =>
  readVersions(header).versions.map(({ version, rows }) => ({ of: rowsIn(partition(version)), says: rows }))

/** A version beside the header of its list: it has all its rows. */
export const keptVersionRule: Rule = (item) => {
  const { version, rows } = readVersion(item)
  const [list, tariffId] = keyIn(item).PK.split('#')
  const partition = list === 'TARIFF' ? ratePages(Number(tariffId), version) : directoryPages(version)
  return [{ of: rowsIn(partition), says: rows }]
}

const rowsIn = (partition: string): string => `rows in ${partition}`

/** A page of rates: its list is there. A version that is being written, or was replaced, is not counted by anybody. */
export const pageRule: Rule = (item) => [
  present(headerOf(item), `${keyIn(item).PK} has rows of a list that is not there.`),
  { of: rowsIn(keyIn(item).PK), adds: ownLines(readPage(item)).length, mayBeUncounted: true },
]

function headerOf(page: Item): Key {
  const [list, tariffId] = keyIn(page).PK.split('#')
  return list === 'RATES' ? tariffKey(Number(tariffId)) : directoryKey
}
