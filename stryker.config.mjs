/** Mutation testing. `npm run mutate` (bench/mutate.ts) adds the files to mutate, their tests and the file of the results. */
export default {
  testRunner: 'vitest',
  // A mutant of a constant runs all tests that import its file, the others run only the tests that reach them.
  vitest: { configFile: 'vitest.mutation.config.ts', related: true },
  coverageAnalysis: 'perTest',
  // In percent of the mutants of a folder: with fewer killed ones, the run fails.
  thresholds: { high: 100, low: 95, break: 95 },
  incremental: true,
  // Nothing but an endless loop takes so long, even on a busy machine.
  timeoutMS: 60_000,
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: '.build/mutation/sandboxes',
  ignorePatterns: ['.build', '.data', '.serverless', '.esbuild'],
  // Stryker looks for references in it with the API that TypeScript 7 no longer has.
  tsconfigFile: 'none',
}
