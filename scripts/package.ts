import { checkBundles } from '#lib/local/check-bundles.ts'
import { runCommand } from '#lib/local/command.ts'
import { runServerless } from '#lib/local/serverless.ts'

/** Builds what a deployment uploads into .serverless; it needs no account. Further arguments go to `serverless`. */
await runCommand(async () => {
  await runServerless(['package', ...process.argv.slice(2)])
  await checkBundles()
})
