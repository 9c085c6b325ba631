import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { configureGlobal } from 'fast-check'
import { afterAll, expect, vi } from 'vitest'
import { hashCost } from '#lib/accounts/password.ts'
import { atEndOfFile } from '#test/end-of-file.ts'

/** Inputs are the same in each run: a change fails a test, not luck. The nightly job draws others. */
configureGlobal({ seed: Number(process.env['TOLLGATE_SEED'] ?? 1) })

/** A password is hashed in less than a millisecond. */
Object.assign(hashCost, { N: 2 ** 4, r: 8, p: 1 })

/**
 * Test files share a process. Takes back what the previous file's last test has stubbed: Vitest does so
 * before the next test, too late for what the next file runs on import, such as `lambda(method)`.
 */
vi.unstubAllGlobals()
vi.unstubAllEnvs()
vi.restoreAllMocks()
vi.useRealTimers()

/** A developer's shell may choose the commands' table. Programs that tests start must not find it. */
for (const name of ['TABLE_NAME', 'DYNAMODB_ENDPOINT']) delete process.env[name]

/** A variable that a file has set, as a gateway does, is removed before the next file. */
const shared = globalThis as { environmentOfTests?: NodeJS.ProcessEnv }

/** The template is packaged once for all tests, until its sources change; moto has a job of its own. */
const STARTED_ANYWHERE = /serverless\.js|moto_server/

if (!shared.environmentOfTests && process.env['TOLLGATE_STARTS'] === 'nothing')
  subscribe('child_process', (message) => {
    const { testPath } = expect.getState()
    const { process: child } = message as { process: ChildProcess }
    queueMicrotask(() => {
      const line = child.spawnargs?.join(' ') ?? ''
      if (!STARTED_ANYWHERE.test(line))
        throw new Error(`${testPath} starts a process: name it *.process.test.ts. It is ${line}`)
    })
  })

shared.environmentOfTests ??= { ...process.env }
for (const name of Object.keys(process.env)) {
  if (!(name in shared.environmentOfTests)) delete process.env[name]
}
Object.assign(process.env, shared.environmentOfTests)

afterAll(async () => void (await Promise.all(atEndOfFile.splice(0).map((cleanUp) => cleanUp()))))
