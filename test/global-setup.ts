import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import { startEngine } from '#tools/server/engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    endpoint: string
  }
}

/**
 * The DynamoDB of the whole run, in which every world makes its own table: an embedded engine in memory, or the one that
 * DYNAMODB_ENDPOINT names.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const other = process.env['DYNAMODB_ENDPOINT']
  const engine = other ? { endpoint: other, stop: async () => {} } : await startEngine()
  project.provide('endpoint', engine.endpoint)
  return engine.stop
}
