import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { everyTest, SWEEPS } from './vitest.config.ts'

/** The sweeps: every method with every fault, caller and hostile value. Minutes, where a test takes moments. */
export default defineConfig({
  test: {
    ...everyTest,
    include: [SWEEPS],
    globalSetup: './lib/testing/global-setup.ts',
    // The sweep of faults mostly waits, as AWS's client does between its attempts.
    maxWorkers: availableParallelism() + 1,
  },
})
