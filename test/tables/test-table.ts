import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { inject, onTestFinished, TestRunner } from 'vitest'
import { memoize } from '#lib/domain/collections.ts'
import { createClient, type StoreOptions } from '#lib/store/requests/client.ts'
import { atEndOfFile } from '#test/end-of-file.ts'
import { createTable } from '#tools/server/engine.ts'

type Table = Pick<StoreOptions, 'client' | 'tableName'>

/**
 * An empty table of this name in the engine of the run. It is dropped at the end of its test, or of its file if it was created
 * outside of a test: the embedded engine takes 12 µs longer to create a table for each that it holds, with thousands of them in a run.
 */
export async function createTestTable(tableName: string) {
  const client = clientFor(inject('endpoint'))
  const table = { client, tableName }
  await createTable(client, tableName)
  if (TestRunner.getCurrentTest()) onTestFinished(() => dropTable(table))
  else atEndOfFile.push(() => dropTable(table))
  return table
}

/** One for all tables of a process: what a client keeps between requests is its connections. */
const clientFor = memoize((endpoint: string) => createClient({ tableName: '', endpoint }))

async function dropTable({ client, tableName }: Table): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: tableName }))
}
