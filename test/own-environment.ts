import { configureGlobal } from 'fast-check'
import { hashCost } from '#lib/domain/accounts/password.ts'

/** Drawn inputs are the same in each run: a test fails because of a change, not by luck. The nightly job draws others. */
configureGlobal({ seed: Number(process.env['TOLLGATE_SEED'] ?? 1) })

/** A password is hashed in less than a millisecond. */
Object.assign(hashCost, { N: 2 ** 4, r: 8, p: 1 })

/** A developer's shell may choose the table of commands. The programs that tests start must not find that table. */
for (const name of ['TABLE_NAME', 'DYNAMODB_ENDPOINT']) delete process.env[name]

/** Test files share a process. A variable that one of them sets, as a gateway does, is removed before the next. */
const shared = globalThis as { environmentOfTests?: NodeJS.ProcessEnv }

shared.environmentOfTests ??= { ...process.env }
for (const name of Object.keys(process.env)) {
  if (!(name in shared.environmentOfTests)) delete process.env[name]
}
Object.assign(process.env, shared.environmentOfTests)
