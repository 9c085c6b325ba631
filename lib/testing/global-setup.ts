import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import { startEngine } from '#lib/local/server/engine.ts'
import { takingEmptyTexts } from './older-engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    endpoint: string
  }
}

/**
 * The DynamoDB of the whole run, in which every world makes its own table: an embedded engine in memory, or the one that
 * DYNAMODB_ENDPOINT names. With TOLLGATE_EMPTY_TEXTS=refused that one is too old to take empty texts.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { DYNAMODB_ENDPOINT: other, TOLLGATE_EMPTY_TEXTS } = process.env
  const engine = other ? await otherEngine(other, TOLLGATE_EMPTY_TEXTS) : await startEngine()
  project.provide('endpoint', engine.endpoint)
  return engine.stop
}

const otherEngine = async (endpoint: string, emptyTexts: string | undefined) =>
  emptyTexts === 'refused' ? takingEmptyTexts(endpoint) : { endpoint, stop: async () => {} }
