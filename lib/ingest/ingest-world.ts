import { type ImportWorld, nothingAccepted } from '#lib/dataset/format/import-world.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

/** The world for records: no rows of a dataset came before them. */
export async function openIngestWorld(store: Store, clock: () => Date): Promise<ImportWorld> {
  const { Timezone } = readSettings(await findSettings(store))
  return {
    store,
    clock,
    calendar: { firstImport: clock(), zone: Timezone },
    accepted: nothingAccepted(),
  }
}
