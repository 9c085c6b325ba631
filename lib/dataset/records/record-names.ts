import { companyOrPerson } from '#lib/base/account-types.ts'
import { paired } from '#lib/base/collections.ts'
import { isUncharged } from '#lib/billing/charges/charge-rules.ts'
import type { Service } from '#lib/billing/service.ts'
import type { Item } from '#lib/table/items.ts'
import { referencesOf } from './record-fields.ts'
import type { RecordContext, RecordKind, RecordValues } from './record-kind.ts'
import { type KindName, kindNamed, kindUnder } from './record-kinds.ts'

/** The names of the records that a row names, by column. */
export type NamesIn = (row: Item) => RecordValues

type Link = readonly [of: KindName, id: number]

/** Reads of half a unit each: a page of 100 records takes at most 15 units, with its session. */
const MOST_NAMED_ACCOUNTS = 6
const MOST_NAMED_OTHERS = 5

/** The rows with the names of the records in these columns: of the first rows, within the cost limit. */
export async function namedRows(
  context: RecordContext,
  kind: RecordKind,
  rows: readonly Item[],
  columns: readonly string[],
) {
  const links = [...referencesOf(kind)].filter(([column]) => columns.includes(column))
  const linksIn = (row: Item) =>
    links.flatMap(([column, of]): Link[] => (row[column] === undefined ? [] : [[of, Number(row[column])]]))
  const names = await namesUnder(context, rows.flatMap(linksIn))
  const cut = rows.findIndex((row) => !linksIn(row).every((link) => names.has(textOf(link))))
  const namesIn: NamesIn = (row) =>
    Object.fromEntries(
      links.map(([column, of]) => [column, names.get(textOf([of, Number(row[column])])) ?? '']),
    )
  return { shown: cut < 0 ? rows : rows.slice(0, cut), isCut: cut >= 0, namesIn }
}

const textOf = ([of, id]: Link): string => `${of} ${id}`

/** A record that is gone has a blank name. */
async function namesUnder(
  { store, nameAccounts }: RecordContext,
  links: readonly Link[],
): Promise<ReadonlyMap<string, string>> {
  const accounts = links.filter(([of]) => of === 'accounts').map(([, id]) => id)
  const others = new Map(links.filter(([of]) => of !== 'accounts').map((link) => [textOf(link), link]))
  const read = [...others].slice(0, MOST_NAMED_OTHERS)
  const keys = read.map(([, [of, id]]) => kindNamed(of).entity.key(id))
  const [names, items] = await Promise.all([
    nameAccounts?.(accounts, MOST_NAMED_ACCOUNTS),
    store.getMany(keys, 'eventual'),
  ])
  return new Map([
    ...[...(names ?? [])].map(([id, name]) => [textOf(['accounts', id]), name] as const),
    ...read.map(([text, [of]], index) => [text, linkName(of, items[index] ?? {})] as const),
  ])
}

/** Each read costs half a unit, and a page of 100 records at most 15. */
const MOST_NAMED_BY_OTHERS = 20

/** The names by which people know records; blank for one without. */
export async function namesOf(
  { store }: Pick<RecordContext, 'store'>,
  { namedBy }: RecordKind,
  rows: readonly Item[],
  namesIn?: NamesIn,
): Promise<string[]> {
  if (!namedBy) return rows.map(ownName)
  const { column, key } = namedBy
  const known = rows.map((row) => ownName(row) || namesIn?.(row)[column])
  const nameless = rows.filter((row, index) => known[index] === undefined && row[column] !== undefined)
  const ids = [...new Set(nameless.map((row) => Number(row[column])))].slice(0, MOST_NAMED_BY_OTHERS)
  const others = await store.getMany(
    ids.map((id) => key(id)),
    'eventual',
  )
  const named = paired(ids, others)
  const of = kindUnder(key)
  return rows.map((row, index) => known[index] ?? linkName(of, named.get(Number(row[column])) ?? {}))
}

/** A link to a service says whether it is never charged. */
const linkName = (of: KindName | undefined, row: Item): string =>
  of === 'services' && ownName(row) !== '' && isUncharged(row as unknown as Service)
    ? `${ownName(row)} (never charged)`
    : ownName(row)

function ownName(row: Item): string {
  const { username, first_name, last_name, company_name, name, did, memo } = row as Readonly<
    Record<string, string | undefined>
  >
  if (first_name !== undefined)
    return companyOrPerson({
      ...{ username: username ?? '', first_name, last_name: last_name ?? '' },
      company_name: company_name ?? '',
    })
  return name || did || memo || username || ''
}
