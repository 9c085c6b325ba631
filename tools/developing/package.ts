import type { Command } from '@commander-js/extra-typings'
import { checkBundles } from '../deployment/bundles.ts'
import { writeConsole } from '../deployment/console-files.ts'
import { writeNotices } from '../deployment/notices.ts'
import { checkParameters, runServerless, stageOptions } from '../deployment/serverless.ts'

export const declare = (command: Command) =>
  command
    .description('It writes into .serverless and checks the size of every bundle. It needs no AWS account.')
    .option('--stage <NAME>', 'the installation; infra/stages.yml holds its differences', 'dev')
    .option('--region <NAME>', 'the AWS region (default: AWS_REGION, or eu-central-1)')
    .action(async ({ stage, region }) => {
      const where = stageOptions(stage, region)
      checkParameters(stage)
      await writeConsole()
      await runServerless(['package', ...where])
      await checkBundles()
      await writeNotices()
    })
