import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

// Keys

/** The kinds of identity that the CDRs of a switch have had. */
export const identityKindKey = keyForm('SWITCHIDS#<source>', '<kind>')

/** The identity of a CDR: its content alone, its unique id, or its unique id and a part. */
export type IdentityKind = 'content' | 'id' | 'part'

// Access patterns

export async function listIdentityKinds(store: Store, source: string): Promise<ReadonlySet<string>> {
  const items = await store.list({ partition: identityKindKey.partition(source) })
  return new Set(items.map(({ SK }) => String(SK)))
}

export const noteIdentityKinds = (
  store: Store,
  source: string,
  kinds: Iterable<IdentityKind>,
): Promise<void> => store.putBatch(Array.from(kinds, (kind) => identityKindKey(source, kind)))
