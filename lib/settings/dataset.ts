import { keyForm } from '#lib/table/keys.ts'
import { absent } from '#lib/table/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** The first import of a dataset, from which its relative dates count. */
export const datasetKey = keyForm('DATASET#<name>', 'DATASET')

export async function findFirstImport(store: Store, dataset: string): Promise<Date | undefined> {
  const item = await store.get(datasetKey(dataset))
  return item && new Date(String(item['first_import']))
}

/** Stores `now` as the first import, unless there is one already. */
export const rememberFirstImport = (store: Store, dataset: string, now: Date): Promise<unknown> =>
  store
    .update(datasetKey(dataset), { set: { first_import: now.toISOString() } }, { PK: absent })
    .catch(ignoreConditionFailed)
