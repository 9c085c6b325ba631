import { beforeEach } from 'vitest'
import { forgetRefusals } from './evidence.ts'

beforeEach(forgetRefusals)

/** Test files share a process. A variable that one of them sets, as a gateway does, is removed before the next. */
const shared = globalThis as { environmentOfTests?: NodeJS.ProcessEnv }

shared.environmentOfTests ??= { ...process.env }
for (const name of Object.keys(process.env)) {
  if (!(name in shared.environmentOfTests)) delete process.env[name]
}
Object.assign(process.env, shared.environmentOfTests)
