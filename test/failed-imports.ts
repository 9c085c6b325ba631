import { type Failure, failedImportsKey } from '#lib/settings/failed-import.ts'
import { isSameKey, keyIn } from '#lib/table/keys.ts'
import type { World } from './world.ts'

/** A file with a refused row, or a part of it. */
export const aFailureOf = (file: string, from = 0): Failure => ({
  file,
  kind: 'calls',
  at: '2026-03-10T12:00:00.000Z',
  reason: 'line 2: user_id: there is no account 999',
  rejected: `rejected/${file}`,
  part: { from, rows: 3, refused: 1 },
})

/** The table without the list of failed imports. */
export const dumpBesideFailures = async (world: World) =>
  (await world.dump()).filter((item) => !isSameKey(keyIn(item), failedImportsKey()))
