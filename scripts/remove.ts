import type { Command } from '@commander-js/extra-typings'
import { checkStage, requireCredentials, runServerless } from '#lib/local/deployment/serverless.ts'
import { CommandError } from '#lib/local/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'Its table, its import bucket and its dead letters stay: they hold what cannot be made again.',
    )
    .requiredOption('--stage <NAME>', 'which one')
    .option('--region <NAME>', 'where (AWS_REGION, else eu-central-1)')
    .option('--confirm <NAME>', 'the name of the stage again, for any but dev')
    .action(async ({ stage, region, confirm }) => {
      if (stage !== 'dev' && confirm !== stage) {
        throw new CommandError(
          `This takes ${stage} out of service: repeat its name with --confirm ${checkStage(stage)}.`,
        )
      }
      await requireCredentials()
      await runServerless(['remove', '--stage', stage, ...(region ? ['--region', region] : [])])
    })
