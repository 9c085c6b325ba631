import { runCommand } from '#lib/local/commands/command.ts'
import { checkBundles } from '#lib/local/deployment/check-bundles.ts'
import { writeConsole } from '#lib/local/deployment/console-package.ts'
import { writeDoctor } from '#lib/local/deployment/doctor-package.ts'
import { runServerless } from '#lib/local/deployment/serverless.ts'

const HELP = `Builds what a deployment uploads into .serverless, and looks at the size of every bundle; it needs no account.

  npm run package -- [--stage NAME] [--region NAME]

  --stage NAME    an installation of its own (dev); infra/stages.yml says how it differs
  --region NAME   where (AWS_REGION, else eu-central-1)
`

await runCommand({
  help: HELP,
  options: { stage: { type: 'string', default: 'dev' }, region: { type: 'string' } },
  run: async ({ stage, region }) => {
    await writeConsole()
    await writeDoctor()
    await runServerless(['package', '--stage', stage, ...(region ? ['--region', region] : [])])
    await checkBundles()
  },
})
