import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { migrationNotice } from '../../command-line/migration-progress.ts'
import { openTable } from '../../command-line/open-table.ts'
import { noteBuild, stampNewTable } from '../../command-line/table-stamp.ts'
import { checkBundles } from '../../deployment/bundles.ts'
import { writeConsole } from '../../deployment/console-files.ts'
import {
  checkParameters,
  outputOfServerless,
  requireCredentials,
  runServerless,
  stageOptions,
} from '../../deployment/serverless.ts'
import { CommandError, printLine } from '../../machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It uses the AWS credentials of the environment. docs/deployment.md describes the steps to the first call.',
    )
    .option('--stage <NAME>', 'the installation; infra/stages.yml holds its differences', 'dev')
    .option('--region <NAME>', 'the AWS region (default: AWS_REGION, or eu-central-1)')
    .option(
      '--package <FOLDER>',
      'deploy what npm run package wrote there for this stage, and build nothing',
      pathArgument,
    )
    .option('--look', 'show what would change, and deploy nothing')
    .option(
      '--replaces <NAMES>',
      'resources with data that this deployment may replace or remove, such as Table,FileQueue',
    )
    .action(async ({ stage, region, package: folder, look, replaces }) => {
      const where = stageOptions(stage, region)
      printGuard(look, replaces)
      await requireCredentials()
      checkParameters(stage)
      await checkStageTable(await outputOfServerless(['info', '--verbose', ...where]), region)
      if (folder === undefined) await buildForStage()
      if (folder === undefined) await runServerless(['deploy', ...where])
      else await deployCopy(folder, where)
      const outputs = await outputOfServerless(['info', '--verbose', ...where])
      printLine(outputs ?? '')
      await checkStageTable(outputs, region, { isDeployed: true })
    })

/** infra/guard-stack.cjs reads them in the process that deploys. */
function printGuard(look: true | undefined, replaces: string | undefined): void {
  if (look) process.env['TOLLGATE_LOOK'] = 'yes'
  if (replaces !== undefined) process.env['TOLLGATE_REPLACES'] = replaces
}

/** The Serverless Framework deletes the package that it has deployed, so it deploys a copy. */
async function deployCopy(folder: string, where: readonly string[]): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'tollgate-package-'))
  const copy = join(scratch, 'package')
  try {
    await cp(folder, copy, { recursive: true })
    await runServerless(['deploy', ...where, '--package', copy])
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function buildForStage(): Promise<void> {
  await checkBundles()
  await writeConsole()
}

/** As in serverless.yml. */
const DEFAULT_REGION = 'eu-central-1'

/**
 * Stamps a stage's table without settings; throws an error for the operator if this release cannot read it.
 * `outputs` is from `serverless info --verbose`; before the first deployment, nothing is checked.
 */
export async function checkStageTable(
  outputs: string | undefined,
  region: string | undefined,
  { isDeployed }: { readonly isDeployed: boolean } = { isDeployed: false },
): Promise<void> {
  const tableName = tableOfStack(outputs ?? '')
  if (tableName === undefined) return
  process.env['AWS_REGION'] = region ?? process.env['AWS_REGION'] ?? DEFAULT_REGION
  const notice = await stampOf(openTable({ tableName }), isDeployed).catch((error: Error) => {
    if (error.name !== 'AccessDeniedException') throw error
    throw new CommandError(
      `The stamp of the table ${tableName} is out of reach: update the stack of infra/deployer.yml, or add its rights on SETTINGS to your own`,
    )
  })
  if (notice !== undefined) printLine(`${notice} --table ${tableName}`)
}

export const tableOfStack = (outputs: string): string | undefined =>
  /^\s*TableName: (\S+)$/m.exec(outputs)?.[1]

/**
 * Stamps a table without settings, notes a deployed build, and returns what there is to say about the format
 * of any other.
 */
export async function stampOf(store: Store, isDeployed = false): Promise<string | undefined> {
  if (!(await store.get(settingsKey))) await stampNewTable(store)
  const settings = await findSettings(store)
  const notice = migrationNotice(settings)
  if (isDeployed) await noteBuild(store, settings)
  return notice
}
