import { runCommand } from '#lib/local/commands/command.ts'
import { checkBundles } from '#lib/local/deployment/check-bundles.ts'
import { runServerless } from '#lib/local/deployment/serverless.ts'

/** Builds what a deployment uploads into .serverless; it needs no account. Further arguments go to `serverless`. */
await runCommand(async () => {
  await runServerless(['package', ...process.argv.slice(2)])
  await checkBundles()
})
