import '#lib/local/quiet-sdk.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { hasCredentials } from '#lib/local/commands/aws-account.ts'
import { Failure } from '#lib/local/failure.ts'
import { root } from '#lib/local/root.ts'

/** Runs `serverless` in the repository, on this terminal. */
export async function runServerless(command: readonly string[]): Promise<void> {
  const program = fileURLToPath(import.meta.resolve('serverless/bin/serverless.js'))
  const child = spawn(process.execPath, [program, ...command], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Failure(`serverless ${command[0]} has failed: see above.`)
}

/** Told before minutes of packaging, and in one sentence. */
export async function requireCredentials(): Promise<void> {
  if (await hasCredentials()) return
  throw new Failure(
    'There are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and run this again.',
  )
}

/** A name that fits into those of functions, buckets and log groups. */
export function checkStage(stage: string): string {
  if (/^[a-z][a-z0-9]{0,9}$/.test(stage)) return stage
  throw new Failure(`${stage} cannot be a stage: up to ten lower-case letters and digits, a letter first.`)
}
