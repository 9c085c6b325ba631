import { ownLines, readPage } from '#lib/rates/prefix-pages.ts'
import { type PagedList, readVersion, readVersions, type Version } from '#lib/rates/prefix-versions.ts'
import { type KeyForm, type KeyValues, keyIn } from '#lib/table/keys.ts'
import { type Expectation, expectItem, type Rule } from './expectation.ts'

/** A rule for items of a list of pages. `listOf` returns the list that the values of a key belong to. */
type ListRule = (listOf: (values: KeyValues<KeyForm>) => PagedList) => Rule<KeyValues<KeyForm>>

/** Each version in the header of a list has all its rows. */
export const headerRule: ListRule = (listOf) => (item, _circumstances, values) =>
  readVersions(item).versions.map((version) => expectRows(listOf(values), version))

/** A version beside the header of its list has all its rows. */
export const keptVersionRule: ListRule = (listOf) => (item, _circumstances, values) => [
  expectRows(listOf(values), readVersion(item)),
]

const expectRows = (list: PagedList, { version, rows }: Version): Expectation => ({
  total: rowsIn(list.pages(version)),
  counts: rows,
})

const rowsIn = (partition: string): string => `rows in ${partition}`

/** The list of a page exists. No header counts a version that is being written or was replaced. */
export const pageRule: ListRule = (listOf) => (item, _circumstances, values) => [
  expectItem(listOf(values).header, `${keyIn(item).PK} has rows of a list that does not exist.`),
  { total: rowsIn(keyIn(item).PK), adds: ownLines(readPage(item)).length, mayBeUncounted: true },
]
