import type { Item } from '#lib/store/items.ts'
import { keyForm } from '#lib/store/keys.ts'
import { absent } from '#lib/store/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

/** What the relative dates of a dataset count from. */
export const datasetKey = keyForm('DATASET#<name>', 'DATASET')

// Access patterns

/** When this dataset was first imported, if it ever was. */
export const findFirstImport = async (store: Store, dataset: string): Promise<Date | undefined> =>
  firstImportIn(await store.get(datasetKey(dataset)))

/** From now on relative dates of the dataset count from here, unless it was imported before. */
export const rememberFirstImport = (store: Store, dataset: string, now: Date): Promise<unknown> =>
  store
    .update(datasetKey(dataset), { set: { first_import: now.toISOString() } }, { PK: absent })
    .catch(ignoreConditionFailed)

const firstImportIn = (item: Item | undefined): Date | undefined =>
  item && new Date(String(item['first_import']))
