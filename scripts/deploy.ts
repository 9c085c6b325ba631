import { runCommand } from '#lib/local/commands/command.ts'
import { checkBundles } from '#lib/local/deployment/check-bundles.ts'
import { writeConsole } from '#lib/local/deployment/console-package.ts'
import { writeDoctor } from '#lib/local/deployment/doctor-package.ts'
import { checkStage, requireCredentials, runServerless } from '#lib/local/deployment/serverless.ts'

const HELP = `Deploys Tollgate to AWS, or brings what is deployed up to date.

  npm run deploy -- [--stage NAME] [--region NAME]

  --stage NAME    an installation of its own (dev); infra/stages.yml says how it differs
  --region NAME   where (AWS_REGION, else eu-central-1)

It takes the credentials of the environment, as every AWS tool does. docs/deployment.md goes from here to the first call.
`

async function deploy(stage: string, region: readonly string[]): Promise<void> {
  const where = ['--stage', checkStage(stage), ...region]
  await requireCredentials()
  await checkBundles()
  await writeConsole()
  await writeDoctor()
  await runServerless(['deploy', ...where])
  await runServerless(['info', '--verbose', ...where])
}

await runCommand({
  help: HELP,
  options: { stage: { type: 'string', default: 'dev' }, region: { type: 'string' } },
  run: ({ stage, region }) => deploy(stage, region ? ['--region', region] : []),
})
