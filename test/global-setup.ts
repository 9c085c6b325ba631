import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import { startEngine } from '#tools/server/engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    endpoint: string
  }
}

/**
 * The run's DynamoDB, in which every world makes its table: an embedded engine in memory, or
 * DYNAMODB_ENDPOINT. The run's temporary folders are in one, which goes with it: a test leaves its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-tests-'))
  process.env['TMPDIR'] = folder
  const other = process.env['DYNAMODB_ENDPOINT']
  const engine = other ? { endpoint: other, stop: async () => {} } : await startEngine()
  project.provide('endpoint', engine.endpoint)
  return async () => {
    await engine.stop()
    // A process that a test has just killed may still write into it.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
