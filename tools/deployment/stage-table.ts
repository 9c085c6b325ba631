import { findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'
import { openTable } from '../command-line/open-table.ts'
import { stampNewTable } from '../command-line/table-stamp.ts'
import { migrationNotice } from '../commands/migrate/progress.ts'

/** As in serverless.yml. */
const DEFAULT_REGION = 'eu-central-1'

/**
 * Stamps a stage's table without settings; throws an error for the operator if this release cannot read it.
 * `outputs` is from `serverless info --verbose`; before the first deployment, nothing is checked.
 */
export async function checkStageTable(
  outputs: string | undefined,
  region: string | undefined,
): Promise<void> {
  const tableName = tableOfStack(outputs ?? '')
  if (tableName === undefined) return
  process.env['AWS_REGION'] = region ?? process.env['AWS_REGION'] ?? DEFAULT_REGION
  const notice = await stampOf(openTable({ tableName })).catch((error: Error) => {
    if (error.name !== 'AccessDeniedException') throw error
    throw new CommandError(
      `The stamp of the table ${tableName} is out of reach: update the stack of infra/deployer.yml, or add its rights on SETTINGS to your own`,
    )
  })
  if (notice !== undefined) printLine(`${notice} --table ${tableName}`)
}

/** The table in the outputs of a stack. */
export const tableOfStack = (outputs: string): string | undefined =>
  /^\s*TableName: (\S+)$/m.exec(outputs)?.[1]

/** Stamps a table without settings, and returns what there is to say about the format of any other. */
export async function stampOf(store: Store): Promise<string | undefined> {
  if (!(await store.get(settingsKey))) await stampNewTable(store)
  return migrationNotice(await findSettings(store))
}
