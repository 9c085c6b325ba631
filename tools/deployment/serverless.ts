import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { hasCredentials } from '#tools/commands/open-table.ts'
import { root } from '#tools/machine/location.ts'
import { CommandError, UsageError } from '#tools/machine/terminal.ts'

/** Runs `serverless` in the repository, on this terminal. */
export async function runServerless(command: readonly string[]): Promise<void> {
  const program = fileURLToPath(import.meta.resolve('serverless/bin/serverless.js'))
  const child = spawn(process.execPath, [program, ...command], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new CommandError(`serverless ${command[0]} failed with exit code ${code}: see above.`)
}

/** Throws CommandError without credentials, before the minutes that packaging takes. */
export async function requireCredentials(): Promise<void> {
  if (await hasCredentials()) return
  throw new CommandError(
    'There are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and run this again.',
  )
}

/** Returns a name that fits into the names of functions, buckets and log groups. Throws CommandError for another one. */
export function checkStage(stage: string): string {
  if (/^[a-z][a-z0-9]{0,9}$/.test(stage)) return stage
  throw new UsageError(
    `"${stage}" is not a name of a stage: use up to ten lower-case letters and digits, a letter first.`,
  )
}
