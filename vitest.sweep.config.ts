import { defineConfig } from 'vitest/config'
import { everyTest, SWEEPS } from './vitest.config.ts'

/** Tests of `npm test` that a sweep repeats over more cases (test/sweep.ts). */
const IN_BOTH = [
  'test/bad-input.test.ts',
  'test/hostile-bodies.test.ts',
  'functions/ingest/exactly-once.test.ts',
  'functions/ingest/once-in-the-lists.test.ts',
  'functions/devices/model.test.ts',
  'lib/cdrs/model.test.ts',
  'lib/control/seconds.test.ts',
  'lib/control/model.test.ts',
  'lib/invoicing/history.test.ts',
  'lib/cdrs/matching/take-back.test.ts',
  'lib/calls/rating/balance-model.test.ts',
  'lib/rates/tariff.test.ts',
  'tools/commands/balance/balance-opening.test.ts',
  'tools/commands/start/start.test.ts',
  'tools/tollgate.test.ts',
]

/** Measures the memory of a process, so it has one of its own: V8 leaves more garbage in one that holds much. */
const ALONE = 'lib/cdrs/formats/parse.sweep.test.ts'

/** The sweeps: every method with every caller, with faults and with hostile values. They take minutes. */
export default defineConfig({
  test: {
    ...everyTest,
    // Nothing reads here what tests show: `npm test` does (test/evidence/).
    env: { ...everyTest.env, TOLLGATE_SWEEP: 'true', TOLLGATE_EVIDENCE: '' },
    projects: [
      {
        extends: true,
        test: {
          name: 'sweeps',
          include: [SWEEPS, ...IN_BOTH],
          exclude: [ALONE],
          globalSetup: ['./test/global-setup.ts', './test/deployed/runtime-client.ts'],
        },
      },
      { extends: true, test: { name: 'alone', include: [ALONE], isolate: true } },
    ],
  },
})
