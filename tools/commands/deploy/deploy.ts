import type { Command } from '@commander-js/extra-typings'
import { pathArgument } from '../../command-line/arguments.ts'
import { checkBundles } from '../../deployment/bundles.ts'
import { writeConsole } from '../../deployment/console-files.ts'
import {
  checkParameters,
  outputOfServerless,
  requireCredentials,
  runServerless,
  stageOptions,
} from '../../deployment/serverless.ts'
import { checkStageTable } from '../../deployment/stage-table.ts'
import { printLine } from '../../machine/terminal.ts'

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
    .action(async ({ stage, region, package: folder }) => {
      const where = stageOptions(stage, region)
      await requireCredentials()
      checkParameters(stage)
      await checkStageTable(await outputOfServerless(['info', '--verbose', ...where]), region)
      if (folder === undefined) await buildForStage()
      await runServerless(['deploy', ...where, ...(folder === undefined ? [] : ['--package', folder])])
      const outputs = await outputOfServerless(['info', '--verbose', ...where])
      printLine(outputs ?? '')
      await checkStageTable(outputs, region)
    })

async function buildForStage(): Promise<void> {
  await checkBundles()
  await writeConsole()
}
