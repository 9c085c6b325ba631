import { absent } from '../conditions.ts'
import type { Item } from '../items.ts'
import { datasetKey } from '../keys.ts'
import type { Store } from '../store.ts'
import { ignoreConditionFailed } from '../transaction-errors.ts'

// Access patterns

/** When this dataset was first imported; remembers `now` when it never was. Without `now` it only asks. */
export async function rememberFirstImport(
  store: Store,
  dataset: string,
  now: Date | undefined,
): Promise<Date | undefined> {
  const known = firstImportIn(await store.get(datasetKey(dataset)))
  if (known || !now) return known
  const remembered = { first_import: now.toISOString() }
  await store.update(datasetKey(dataset), { set: remembered }, { PK: absent }).catch(ignoreConditionFailed)
  return firstImportIn(await store.get(datasetKey(dataset)))
}

const firstImportIn = (item: Item | undefined): Date | undefined =>
  item && new Date(String(item['first_import']))
