import * as v from 'valibot'
import { ascending } from '#lib/base/collections.ts'
import { ADMIN_ACCOUNT, type Owned } from '#lib/base/scope.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { isUnder, keyForm, listedIn, listName } from '#lib/table/keys.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn } from '#lib/table/table-format.ts'
import { type Account, accountsOfOwners, listOwnerIds, readAccount } from './account.ts'
import { type Named, textsToFind } from './name-search.ts'

/** All accounts by text. List NAME has the name of each, the others the further texts with one initial. */
export const textKey = keyForm('ACCOUNTS#EVERYONE#<list>', '<text>#<id>')

/** The same of a reseller or partner, in GSI1. The operator sees everyone. */
const textOfOwnerKey = keyForm('ACCOUNTS#<owner_id>#<list>', '<text>#<id>')

/** Tables of earlier formats have no texts, or the accounts of each owner under its key in GSI1. */
export const TEXTS_SINCE = 4

/** Whether an item is a text as formats 2 and 3 could have it. */
export const isFormerText = (item: Item): boolean => isOfOwner(item) && !isText(item)

const isText = isUnder(textKey)
const isOfOwner = isUnder(textOfOwnerKey)

const BY_NAME = 'NAME'

/** Lists of one initial spread the writes of an import over partitions. */
const textsFrom = listName('TEXT#<initial>')

const listOf = (text: string): string => textsFrom(String.fromCodePoint(text.codePointAt(0) ?? 0))

/** The places of an account in the lists that searches read. */
export const placesInLists = (account: Named) =>
  textsToFind(account).map((text, index) => ({ list: index === 0 ? BY_NAME : listOf(text), text }))

export const textItem = (account: Named & Owned, place: Item): Item => ({
  texts: textsToFind(account),
  ...(account.owner_id !== ADMIN_ACCOUNT && listedIn('GSI1', textOfOwnerKey.of({ ...account, ...place }))),
})

export interface AccountText {
  readonly id: number
  readonly texts: readonly string[]
  /** The key of the next page. It begins with the text of this place. */
  readonly sortKey: string
}

interface WantedTexts {
  /** The owner of the accounts; undefined for everyone's. */
  readonly owner: number | undefined
  /** The text that begins so; blank for the names of all accounts. */
  readonly beginning: string
  readonly after: string | undefined
  readonly pageSize: number
}

/** Stores whose tables have the lists. A table's format never falls. */
const withTexts = new WeakSet<Store>()

async function hasTexts(store: Store): Promise<boolean> {
  if (!withTexts.has(store) && formatIn(await findSettings(store)) >= TEXTS_SINCE) withTexts.add(store)
  return withTexts.has(store)
}

/** The places of accounts under the texts with a beginning, in the order of the texts, page by page. */
export async function* listTexts(store: Store, wanted: WantedTexts): AsyncGenerator<AccountText[]> {
  if (!(await hasTexts(store))) {
    yield await textsOfAccounts(store, wanted)
    return
  }
  const { owner, pageSize } = wanted
  const lists = listsWanted(wanted).map((list) =>
    store.pages({
      ...(owner === undefined
        ? { partition: textKey.partition(list), eventual: true }
        : { index: 'GSI1', partition: textOfOwnerKey.partition(owner, list) }),
      between: rangeOf(wanted),
      pageSize,
    }),
  )
  for await (const page of merged(await openLists(lists), ({ SK }) => String(SK)))
    yield page.map((item) => v.parse(storedText, item))
}

const storedText = v.pipe(
  v.object({ id: v.number(), texts: v.array(v.string()), SK: v.string() }),
  v.transform(({ id, texts, SK: sortKey }) => ({ id, texts, sortKey })),
)

const listsWanted = ({ beginning }: WantedTexts): string[] =>
  beginning === '' ? [BY_NAME] : [BY_NAME, listOf(beginning)]

const LAST_CHARACTER = '\u{10FFFF}'

const rangeOf = ({ beginning, after }: WantedTexts): readonly [string, string] => [
  after === undefined ? beginning || ' ' : `${after} `,
  beginning + LAST_CHARACTER,
]

/** The same without lists: every account is read. */
async function textsOfAccounts(store: Store, wanted: WantedTexts): Promise<AccountText[]> {
  const owners = wanted.owner === undefined ? await listOwnerIds(store) : [wanted.owner]
  const found: AccountText[] = []
  for await (const batch of accountsOfOwners(store, owners, readAccount))
    found.push(...batch.flatMap((account) => textsIn(account, wanted)))
  return found.sort((one, other) => ascending(one.sortKey, other.sortKey))
}

function textsIn(account: Account, wanted: WantedTexts): AccountText[] {
  const [lists, [from, till]] = [listsWanted(wanted), rangeOf(wanted)]
  return placesInLists(account)
    .filter(({ list }) => lists.includes(list))
    .map(({ list, text }) => textKey(list, text, account.id).SK)
    .filter((sortKey) => sortKey >= from && sortKey <= till)
    .map((sortKey) => ({ id: account.id, texts: textsToFind(account), sortKey }))
}
