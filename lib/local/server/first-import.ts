import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { type DataFiles, shortPath } from '#lib/local/data-folder.ts'
import { root } from '#lib/local/location.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { hasOwners } from '#lib/store/accounts/account.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'

export interface FirstImport {
  readonly client: DynamoDBDocumentClient
  readonly location: TableLocation
  readonly dataset: string
  readonly files: DataFiles
}

/** Loads the dataset into a table that is empty, or whose first import was interrupted. Answers whether it did. */
export async function importOnFirstStart({
  client,
  location,
  dataset,
  files,
}: FirstImport): Promise<boolean> {
  if (!existsSync(files.loading) && !(await isEmpty(client, location.tableName))) return false
  await writeFile(files.loading, '')
  await runImport(dataset, location)
  await rm(files.loading)
  return true
}

/** An installation has a setting or an account before it has anything else. */
async function isEmpty(client: DynamoDBDocumentClient, tableName: string): Promise<boolean> {
  const store = createStore({ client, tableName, meter: createMeter() })
  return (await store.get(settingsKey)) === undefined && !(await hasOwners(store))
}

/** The import ended with all rows in, or with all but those it has named. */
const LOADED = [0, 1]

/** The import command itself, so that progress and refused rows are told in its words. */
async function runImport(dataset: string, { endpoint, tableName }: TableLocation): Promise<void> {
  const target = ['--table', tableName, ...(endpoint ? ['--endpoint', endpoint] : [])]
  const command = ['--import', 'tsx', 'scripts/tollgate.ts', 'import', dataset, ...target]
  const [code] = await once(spawn(process.execPath, command, { cwd: root, stdio: 'inherit' }), 'exit')
  if (LOADED.includes(code)) return
  throw new CommandError(
    `${shortPath(dataset)} was not imported as a whole; what was is in the table. ` +
      'Correct it and start again, or begin anew with npm start -- --fresh.',
  )
}
