import type { Command } from '@commander-js/extra-typings'
import { writeConsole, writeDoctor } from '#lib/local/deployment/beside-bundles.ts'
import { checkBundles } from '#lib/local/deployment/bundles.ts'
import { checkStage, requireCredentials, runServerless } from '#lib/local/deployment/serverless.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It takes the credentials of the environment, as every AWS tool does. docs/deployment.md goes from here to the first call.',
    )
    .option('--stage <NAME>', 'an installation of its own; infra/stages.yml says how it differs', 'dev')
    .option('--region <NAME>', 'where (AWS_REGION, else eu-central-1)')
    .action(async ({ stage, region }) => {
      const where = ['--stage', checkStage(stage), ...(region ? ['--region', region] : [])]
      await requireCredentials()
      await checkBundles()
      await writeConsole()
      await writeDoctor()
      await runServerless(['deploy', ...where])
      await runServerless(['info', '--verbose', ...where])
    })
