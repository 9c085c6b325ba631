import '#lib/local/quiet-sdk.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { bundleSizes, MOST_BUNDLE_BYTES } from '#lib/local/bundles.ts'
import { runCommand } from '#lib/local/command.ts'
import { Failure } from '#lib/local/failure.ts'
import { root } from '#lib/local/function-files.ts'

/** Builds what a deployment uploads into .serverless; it needs no account. Further arguments go to `serverless`. */
async function packageService(): Promise<void> {
  const serverless = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
  const command = [serverless, 'package', ...process.argv.slice(2)]
  const [code] = await once(spawn(process.execPath, command, { cwd: root, stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Failure('Nothing was packaged.')
}

function reportSizes(sizes: Readonly<Record<string, number>>): void {
  for (const [name, bytes] of Object.entries(sizes)) {
    process.stdout.write(`${String(Math.round(bytes / 1000)).padStart(6)} KB  ${name}\n`)
  }
  const tooLarge = Object.keys(sizes).filter((name) => (sizes[name] ?? 0) > MOST_BUNDLE_BYTES)
  if (tooLarge.length > 0) throw new Failure(`Over ${MOST_BUNDLE_BYTES / 1000} KB: ${tooLarge.join(', ')}.`)
}

await runCommand(async () => {
  await packageService()
  reportSizes(await bundleSizes())
})
