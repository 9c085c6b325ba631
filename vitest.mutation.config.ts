import { defineConfig } from 'vitest/config'
import type { Reporter, Vitest } from 'vitest/node'
import { everyTest } from './vitest.config.ts'

/** Stryker's runner looks at tests alone. Without this, a mutant would survive if its test file no longer loads. */
function refuseBrokenFiles(): Reporter {
  let vitest: Vitest | undefined
  return {
    onInit: (started) => {
      vitest = started
    },
    onTestModuleEnd: (file) => {
      for (const { message } of file.errors()) vitest?.state.catchError(new Error(message), 'Load Error')
    },
  }
}

/** The tests that must kill the mutants of a folder, as bench/mutate.ts lists them. */
export default defineConfig({
  test: {
    ...everyTest,
    include: (process.env['TOLLGATE_MUTATION_TESTS'] ?? '').split(' '),
    exclude: ['**/*.{sweep,afterwards}.test.ts'],
    globalSetup: './test/global-setup.ts',
    reporters: [refuseBrokenFiles()],
    // A mutant that waits forever fails here. Stryker's own limit is longer: behind it, it starts a process. The limit is far above
    // what a test takes, but beside much other work a test may exceed it, and its mutant counts as killed.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
