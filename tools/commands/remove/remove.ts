import type { Command } from '@commander-js/extra-typings'
import { requireCredentials, runServerless, stageOptions } from '../../deployment/serverless.ts'
import { CommandError } from '../../machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'The table, the import bucket and the dead letter queues stay: their data cannot be restored.',
    )
    .requiredOption('--stage <NAME>', 'the stage to remove')
    .option('--region <NAME>', 'the AWS region (default: AWS_REGION, or eu-central-1)')
    .option('--confirm <NAME>', 'the name of the stage again; required for all stages but dev')
    .action(async ({ stage, region, confirm }) => {
      const where = stageOptions(stage, region)
      if (stage !== 'dev' && confirm !== stage)
        throw new CommandError(`This removes the stage ${stage}: pass --confirm ${stage} to confirm it`)
      await requireCredentials()
      await runServerless(['remove', ...where])
    })
