import { defineConfig } from 'vitest/config'
import type { Reporter, Vitest } from 'vitest/node'
import { everyTest } from './vitest.config.ts'

/** Stryker's runner looks at tests alone: a mutant whose test file does not load would survive. */
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
    // Each mutant has the modules evaluated anew.
    experimental: { viteModuleRunner: true },
    include: (process.env['TOLLGATE_MUTATION_TESTS'] ?? '').split(' '),
    exclude: ['**/*.{sweep,process,afterwards}.test.ts'],
    globalSetup: './test/global-setup.ts',
    reporters: [refuseBrokenFiles()],
    // A mutant that waits forever fails here, as Stryker's own longer limit starts a process. Far above a
    // test's time: a test that exceeds it beside other work counts as a killed mutant.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
