import pMap from 'p-map'
import {
  type Document,
  type DocumentEntity,
  type OwnedDocument,
  replaceDocuments,
} from '#lib/billing/document.ts'
import type { Stored } from '#lib/table/entity.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import type { MigrationCount } from '../../command-line/migration-progress.ts'
import { NO_REPAIR, type Repair } from './new-entries.ts'

export const CONCURRENT_DOCUMENTS = 8

interface DocumentChange<D extends Document> {
  readonly counts: MigrationCount
  /** Only counts the documents. */
  readonly dryRun: boolean
  /** The document with its change; `undefined` if it needs none by now. */
  change(before: Stored<OwnedDocument<D>>): Promise<OwnedDocument<D> | undefined>
}

/** Changes documents of a kind, each as it is stored now. */
export function changeDocuments<D extends Document>(
  store: Store,
  kind: DocumentEntity<D>,
  documents: readonly Document[],
  { counts, dryRun, change }: DocumentChange<D>,
): Promise<Repair[]> {
  const one: Repair = { [counts]: 1 }
  const changeOne = (id: number) =>
    retryingRaces(store, async () => {
      const before = await kind.find(store, id)
      const after = before && (await change(before))
      if (!after) return NO_REPAIR
      await replaceDocuments(store, kind, [{ before, after }])
      return one
    })
  return pMap(documents, ({ id }) => (dryRun ? one : changeOne(id)), { concurrency: CONCURRENT_DOCUMENTS })
}
