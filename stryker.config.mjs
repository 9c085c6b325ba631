/** Mutation testing. `npm run mutate` (bench/mutants.ts) adds the files to mutate, their tests and the file of the results. */
export default {
  testRunner: 'vitest',
  // A mutant of a constant runs all tests that import its file, the others run only the tests that reach them.
  vitest: { configFile: 'vitest.mutation.config.ts', related: true },
  coverageAnalysis: 'perTest',
  incremental: true,
  // Nothing but an endless loop takes so long, even on a busy machine.
  timeoutMS: 60_000,
  reporters: ['progress-append-only'],
  tempDirName: '.build/mutation/sandboxes',
  ignorePatterns: ['.build', '.data', '.serverless', '.esbuild'],
  // Stryker looks for references in it with the API that TypeScript 7 no longer has.
  tsconfigFile: 'none',
}
