import { defineConfig } from 'vitest/config'
import { everyTest } from './vitest.config.ts'

/** The tests that must kill the mutants of a folder, as bench/mutants.ts lists them. */
export default defineConfig({
  test: {
    ...everyTest,
    include: (process.env['TOLLGATE_MUTATION_TESTS'] ?? '').split(' '),
    exclude: ['**/*.{sweep,afterwards}.test.ts'],
    globalSetup: './lib/testing/global-setup.ts',
  },
})
