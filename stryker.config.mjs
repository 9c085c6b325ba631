/** Mutation testing. `npm run mutate` (bench/mutate.ts) adds the files to mutate, their tests and the file of the results. */
export default {
  testRunner: 'vitest',
  // A mutant of a constant runs all tests, the others those that reach them. A test that loads functions by their path, as those of
  // the console do, counts as unrelated: it would not run.
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
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
