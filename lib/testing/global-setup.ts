import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import { startEngine } from '#lib/local/server/engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    endpoint: string
  }
}

/** One engine in memory for the whole run; every world makes its own table in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engine = await startEngine()
  project.provide('endpoint', engine.endpoint)
  return engine.stop
}
