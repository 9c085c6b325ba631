import { configureGlobal } from 'fast-check'
import { afterAll, vi } from 'vitest'
import { hashCost } from '#lib/accounts/password.ts'
import { atEndOfFile } from '#test/end-of-file.ts'

/** Drawn inputs are the same in each run: a test fails because of a change, not by luck. The nightly job draws others. */
configureGlobal({ seed: Number(process.env['TOLLGATE_SEED'] ?? 1) })

/** A password is hashed in less than a millisecond. */
Object.assign(hashCost, { N: 2 ** 4, r: 8, p: 1 })

/**
 * Test files share a process. What the last test of the file before has stubbed is taken back here: Vitest does that before
 * the next test, which is too late for what the next file runs while it is imported, such as `lambda(method)`.
 */
vi.unstubAllGlobals()
vi.unstubAllEnvs()
vi.restoreAllMocks()
vi.useRealTimers()

/** A developer's shell may choose the table of commands. The programs that tests start must not find that table. */
for (const name of ['TABLE_NAME', 'DYNAMODB_ENDPOINT']) delete process.env[name]

/** A variable that a file has set, as a gateway does, is removed before the next file. */
const shared = globalThis as { environmentOfTests?: NodeJS.ProcessEnv }

shared.environmentOfTests ??= { ...process.env }
for (const name of Object.keys(process.env)) {
  if (!(name in shared.environmentOfTests)) delete process.env[name]
}
Object.assign(process.env, shared.environmentOfTests)

afterAll(async () => void (await Promise.all(atEndOfFile.splice(0).map((cleanUp) => cleanUp()))))
