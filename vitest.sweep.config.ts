import { defineConfig } from 'vitest/config'
import { everyTest, SWEEPS } from './vitest.config.ts'

/** The sweeps: every method with every fault, caller and hostile value. Minutes, where a test takes moments. */
export default defineConfig({
  test: {
    ...everyTest,
    include: [SWEEPS],
    globalSetup: './lib/testing/global-setup.ts',
  },
})
