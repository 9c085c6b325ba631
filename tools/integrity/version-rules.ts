import type { Item } from '#lib/store/items.ts'
import { type Key, keyIn } from '#lib/store/keys.ts'
import { directoryPages } from '#lib/store/rates/destination.ts'
import { ownLines, readPage } from '#lib/store/rates/prefix-pages.ts'
import { readVersion, readVersions } from '#lib/store/rates/prefix-versions.ts'
import { ratePages } from '#lib/store/rates/tariff.ts'
import { type Expectation, expectItem, type Rule } from './expectation.ts'

/** Each version in the header of a tariff has all its rates. */
export const tariffRule: Rule = (item) =>
  expectRowsOf(item, (version) => ratePages(Number(item['id']), version))

/** Each version in the header of the directory has all its destinations. */
export const directoryRule: Rule = (item) => expectRowsOf(item, directoryPages)

const expectRowsOf = (header: Item, partition: (version: number) => string): Expectation[] =>
  readVersions(header).versions.map(({ version, rows }) => ({
    total: rowsIn(partition(version)),
    counts: rows,
  }))

/** A version beside the header of its list has all its rows. */
export const keptVersionRule =
  (partition: (version: number, values: NamedValues) => string): Rule<NamedValues> =>
  (item, _circumstances, values) => {
    const { version, rows } = readVersion(item)
    return [{ total: rowsIn(partition(version, values)), counts: rows }]
  }

const rowsIn = (partition: string): string => `rows in ${partition}`

/** The list of a page exists. No header counts a version that is being written or was replaced. */
export const pageRule =
  (headerOf: (values: NamedValues) => Key): Rule<NamedValues> =>
  (item, _circumstances, values) => [
    expectItem(headerOf(values), `${keyIn(item).PK} has rows of a list that does not exist.`),
    { total: rowsIn(keyIn(item).PK), adds: ownLines(readPage(item)).length, mayBeUncounted: true },
  ]

type NamedValues = Readonly<Record<string, string>>
