import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

// Keys

/** The kinds of identity that the CDRs of a switch have had. */
export const identityKindKey = keyForm('SWITCHIDS#<source>', '<kind>')

const IDENTITY_KINDS = ['content', 'id', 'part'] as const

/** The identity of a CDR: its content alone, its unique id, or its unique id and a part. */
export type IdentityKind = (typeof IDENTITY_KINDS)[number]

// Access patterns

/** Whether CDRs of this source have been stored. */
export const isKnownSource = async (store: Store, source: string): Promise<boolean> =>
  (await store.getMany(IDENTITY_KINDS.map((kind) => identityKindKey(source, kind)))).some((one) => one)

/** Those of the sources that have sent CDRs without a unique id. */
export async function sourcesWithoutIds(store: Store, sources: readonly string[]): Promise<string[]> {
  const found = await store.getMany(sources.map((source) => identityKindKey(source, 'content')))
  return sources.filter((_, index) => found[index] !== undefined)
}
