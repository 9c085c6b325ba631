import { expect } from 'vitest'
import type { World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { scannedPages } from '#tools/command-line/open-table.ts'
import {
  countMigration,
  type Migrated,
  type Migration,
  migrateTable,
} from '#tools/commands/migrate/migrate-table.ts'

type Table = Pick<World, 'store' | 'table' | 'now'>

interface Given extends Partial<Migration> {
  readonly pageSize?: number
}

/** Carries out `npx tollgate migrate`, which is to have no note unless the test hears them. */
export async function migrated(world: Table, given: Given = {}): Promise<Migrated> {
  const act = migrateTable(migrationOf(world, given))
  return (await carryOutAs(world.store, act, { as: undefined, now: world.now }, {})).answer
}

/** What `npx tollgate migrate --dry-run` counts. */
export const toMigrate = (world: Table, given: Given = {}): Promise<Migrated> =>
  countMigration(world.store, migrationOf(world, given))

const migrationOf = ({ store, table }: Table, { pageSize = 7, ...given }: Given): Migration => ({
  pagesFrom: (start) => scannedPages({ ...table, meter: store.meter }, { start, pageSize }),
  pace: async () => {},
  onProgress: () => {},
  onNote: (sentence) => expect.fail(sentence),
  ...given,
})
