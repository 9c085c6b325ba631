import { Failure } from '#lib/local/failure.ts'
import { EngineError } from '#lib/local/server/engine.ts'

/** Runs a command to its exit code. What the user can do something about is one sentence; a bug keeps its stack. */
export async function runCommand(work: () => Promise<void>): Promise<never> {
  try {
    await work()
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${isForTheUser(error) ? error.message : String((error as Error).stack)}\n`)
    process.exit(1)
  }
}

const isForTheUser = (error: unknown): error is Error =>
  error instanceof Failure || error instanceof EngineError || isUsage(error)

/** As node:util names an option it does not know. */
const isUsage = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
