import { runCommand } from '#lib/local/commands/command.ts'
import { checkStage, requireCredentials, runServerless } from '#lib/local/deployment/serverless.ts'
import { Failure } from '#lib/local/failure.ts'

const HELP = `Removes a stage from AWS. Its table, its import bucket and its dead letters stay: they hold what cannot be made again.

  npm run remove -- --stage NAME [--region NAME] [--confirm NAME]

  --stage NAME     which one
  --region NAME    where (AWS_REGION, else eu-central-1)
  --confirm NAME   the stage once more, for any but dev
`

interface Wishes {
  readonly stage?: string | undefined
  readonly region?: string | undefined
  readonly confirm?: string | undefined
}

async function remove({ stage, region, confirm }: Wishes): Promise<void> {
  if (stage === undefined) throw new Failure('Say which stage: npm run remove -- --stage NAME.')
  if (stage !== 'dev' && confirm !== stage) {
    throw new Failure(
      `This takes ${stage} out of service: repeat its name with --confirm ${checkStage(stage)}.`,
    )
  }
  await requireCredentials()
  await runServerless(['remove', '--stage', stage, ...(region ? ['--region', region] : [])])
}

await runCommand({
  help: HELP,
  options: { stage: { type: 'string' }, region: { type: 'string' }, confirm: { type: 'string' } },
  run: remove,
})
