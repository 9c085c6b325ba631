import type { Item } from '#lib/store/items.ts'
import { keyForm } from '#lib/store/keys.ts'
import { absent } from '#lib/store/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

/** The first import of a dataset, from which its relative dates count. */
export const datasetKey = keyForm('DATASET#<name>', 'DATASET')

/** The moment of the first import of a dataset. */
export const findFirstImport = async (store: Store, dataset: string): Promise<Date | undefined> =>
  firstImportIn(await store.get(datasetKey(dataset)))

/** Stores `now` as the first import, unless there is one already. */
export const rememberFirstImport = (store: Store, dataset: string, now: Date): Promise<unknown> =>
  store
    .update(datasetKey(dataset), { set: { first_import: now.toISOString() } }, { PK: absent })
    .catch(ignoreConditionFailed)

const firstImportIn = (item: Item | undefined): Date | undefined =>
  item && new Date(String(item['first_import']))
