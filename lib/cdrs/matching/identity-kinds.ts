import type { Item } from '#lib/table/items.ts'
import { type Key, keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** The kinds of identity that the CDRs of a switch have had. */
export const identityKindKey = keyForm('SWITCHIDS#<source>', '<kind>')

const IDENTITY_KINDS = ['content', 'id', 'part'] as const

/** The identity of a CDR: its content alone, its unique id, or its unique id and a part. */
export type IdentityKind = (typeof IDENTITY_KINDS)[number]

/** Whether CDRs of this source have been stored. */
export const isKnownSource = async (store: Store, source: string): Promise<boolean> =>
  (await store.getMany(IDENTITY_KINDS.map((kind) => identityKindKey(source, kind)))).some((one) => one)

/** Under this name, which no source has, the sources without unique ids are listed. */
const EVERY_SOURCE = '*'

/** The items of a switch: the kinds of its identities, and its last half line. */
export const itemsOfSwitch = (store: Store, source: string): Promise<Item[]> =>
  store.list({ partition: identityKindKey.partition(source) })

export const kindsAmong = (items: readonly Item[]): Set<string> =>
  new Set(items.map(({ SK }) => String(SK)).filter((kind) => IDENTITY_KINDS.some((one) => one === kind)))

export const notedKind = (source: string, kind: IdentityKind): Key[] => [
  identityKindKey(source, kind),
  ...(kind === 'content' && source !== '' ? [identityKindKey(EVERY_SOURCE, source)] : []),
]

/**
 * The sources that have sent CDRs without a unique id, over HTTP or in files. Those of an earlier release are
 * found among the intakes.
 */
export async function sourcesWithoutIds(store: Store, intakes: readonly string[]): Promise<string[]> {
  const [listed, found] = await Promise.all([
    store.list({ partition: identityKindKey.partition(EVERY_SOURCE) }),
    store.getMany(intakes.map((source) => identityKindKey(source, 'content'))),
  ])
  const known = intakes.filter((_, index) => found[index] !== undefined)
  return [...new Set([...listed.map(({ SK }) => String(SK)), ...known])]
}
