import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { BY_MONTH_FROM, SHARDS, SHARDS_OF_NEW_TABLE } from '#lib/base/shards.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { absent } from '#lib/table/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { requireFormat } from '#lib/table/table-format.ts'
import { currentBuild } from '../machine/build.ts'
import { CommandError } from '../machine/terminal.ts'
import { newStamp } from './migration-progress.ts'
import { openTable, optionsFor } from './open-table.ts'

/** Throws an error for the operator unless this release reads the table. One read unit. */
export async function requireReadable(location: TableLocation): Promise<void> {
  const settings = await openTable(location).get(settingsKey)
  if (!settings && (await isEmpty(location)))
    throw new CommandError(
      `The table ${location.tableName} is empty and has no stamp yet: import a dataset, which writes both`,
    )
  requireFormat(settings)
}

/**
 * The same, but an empty table is stamped with this release, and the stamp notes the build that is about to
 * write.
 */
export async function stampIfEmpty(location: TableLocation): Promise<void> {
  const store = openTable(location)
  const settings = await store.get(settingsKey)
  if (!settings && (await isEmpty(location))) await stampNewTable(store)
  else requireFormat(settings)
  await noteBuild(store, settings)
}

/**
 * Notes in the stamp which build writes to the table from now on. It costs a request if it is another than
 * the last.
 */
export async function noteBuild(store: Store, settings: Item | undefined): Promise<void> {
  const table_build = currentBuild()
  if (settings?.['table_build'] === table_build) return
  await store.transact([{ update: settingsKey, to: { set: { table_build } } }])
}

async function isEmpty(location: TableLocation): Promise<boolean> {
  const { client, tableName } = optionsFor(location)
  const input = { TableName: tableName, Limit: 1, ConsistentRead: true }
  const { Items = [] } = await client.send(new ScanCommand(input))
  return Items.length === 0
}

/** Stamps a new table with the format of this release. A table with a stamp or a setting stays as it is. */
export const stampNewTable = (store: Store): Promise<unknown> =>
  store
    .transact([{ update: settingsKey, to: { set: stampOfNewTable }, when: { PK: absent } }])
    .catch(ignoreConditionFailed)

/** A new table has the fewest shards, and lists calls by month. An earlier one keeps what it has. */
export const stampOfNewTable: Item = { ...newStamp, [SHARDS]: SHARDS_OF_NEW_TABLE, [BY_MONTH_FROM]: '' }
