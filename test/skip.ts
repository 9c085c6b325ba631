import { TestRunner } from 'vitest'

/** Ends the running test as skipped. */
export function skipTest(reason: string): never {
  TestRunner.getCurrentTest()?.context.skip(reason)
  throw new Error(`A test should have been skipped: ${reason}`)
}
