import { directoryKey, directoryList, directoryPages } from '#lib/rates/destination.ts'
import { npaList, npaPages, npasKey } from '#lib/rates/origins/jurisdiction.ts'
import { originPages, originProblem } from '#lib/rates/origins/origins.ts'
import { ownLines, pageKey, readPage } from '#lib/rates/prefix-pages.ts'
import {
  linesBeside,
  type PagedList,
  readLines,
  readVersion,
  readVersions,
  type Version,
} from '#lib/rates/prefix-versions.ts'
import { sheetProfileKey } from '#lib/rates/sheets/profile.ts'
import { fromLine, ratePages, ratesOf } from '#lib/rates/tariff.ts'
import { versionKeys } from '#lib/rates/version-history.ts'
import { inList, type KeyForm, type KeyValues, keyForm, keyIn, tariffKey } from '#lib/table/keys.ts'
import { TooMuchContention } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { alone, type Expectation, expectItem, type FormRule, type Rule, under } from './expectation.ts'

/** A rule for items of a list of pages. `listOf` returns the list that the values of a key belong to. */
type ListRule = (listOf: (values: KeyValues<KeyForm>) => PagedList) => Rule<KeyValues<KeyForm>>

/** Each version in the header of a list has all its rows. */
const headerRule: ListRule = (listOf) => (item, _circumstances, values) =>
  readVersions(item).versions.flatMap((version) => expectRows(listOf(values), version))

/** A version outside the header of its list has all its rows. */
const keptVersionRule: ListRule = (listOf) => (item, _circumstances, values) =>
  expectRows(listOf(values), readVersion(item))

const expectRows = (list: PagedList, given: Version, { version, rows, origins } = given): Expectation[] => [
  { total: rowsIn(list.pages(version)), counts: rows },
  ...(list.beside ? [{ total: rowsIn(list.beside.pages(version)), counts: origins?.rows ?? 0 }] : []),
  ...(origins ? [{ wrongIf: (store: Store) => misfit(store, list, given) }] : []),
]

/** A rate that an import would refuse: of an unknown origin, or two between which no caller decides. */
async function misfit(store: Store, list: PagedList, version: Version): Promise<string | undefined> {
  try {
    const [rates, origins] = [await readLines(store, list, version), await linesBeside(store, list, version)]
    const problem = originProblem(rates, fromLine, origins)
    return problem && `Version ${version.version} of ${keyIn(list.header).PK} cannot be rated: ${problem}.`
  } catch (error) {
    // The counter of the version's rows reveals a missing page.
    if (error instanceof TooMuchContention) return undefined
    throw error
  }
}

const rowsIn = (partition: string): string => `rows in ${partition}`

/** The list of a page exists. No header counts a version that is being written or was replaced. */
const pageRule: ListRule = (listOf) => (item, _circumstances, values) => [
  expectItem(listOf(values).header, `${keyIn(item).PK} has rows of a list that does not exist.`),
  { total: rowsIn(keyIn(item).PK), adds: ownLines(readPage(item)).length, mayBeUncounted: true },
]

/** A list of pages: its header, its further versions, its log, and its pages. */
function rulesOfList(header: KeyForm, pages: string, listOf: Parameters<ListRule>[0]): FormRule[] {
  const [partition] = header.text
  return [
    ...alone(inList(versionKeys.logEntry, partition)),
    under(header, headerRule(listOf)),
    under(inList(versionKeys.kept, partition), keptVersionRule(listOf)),
    under(inList(pageKey, pages), pageRule(listOf)),
  ]
}

export const rulesOfVersions: readonly FormRule[] = [
  ...alone(sheetProfileKey),
  ...rulesOfList(tariffKey, ratePages.text, ({ id }) => ratesOf(Number(id))),
  under(
    inList(pageKey, originPages.text),
    pageRule(({ id }) => ratesOf(Number(id))),
  ),
  ...rulesOfList(keyForm(npasKey.PK, npasKey.SK), npaPages.text, () => npaList),
  ...rulesOfList(keyForm(directoryKey.PK, directoryKey.SK), directoryPages.text, () => directoryList),
]
