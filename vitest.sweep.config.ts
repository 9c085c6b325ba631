import { defineConfig } from 'vitest/config'
import { everyTest, processes, SWEEPS } from './vitest.config.ts'

/** Drawn cases of which `npm test` tries enough by day: a sweep draws more of them at night. */
const DRAWN_AT_NIGHT = [
  'test/acts.test.ts',
  'test/bad-input.test.ts',
  'lib/control/seconds.test.ts',
  'lib/control/protocol.test.ts',
  'lib/base/money.test.ts',
  'lib/calls/report/hour-sums.test.ts',
  'lib/dataset/import/import.test.ts',
  'lib/cdrs/matching/take-back.test.ts',
  'lib/rates/numbers/prefix-index.test.ts',
  'lib/rates/origins/matching.test.ts',
  'lib/rates/tariff.test.ts',
  'tools/commands/forget/forget.test.ts',
  'tools/commands/migrate/recount.test.ts',
]

/**
 * Sweeps of large tables, whole exports and moves, a million prices, all looks of the page, releases and copies
 * of the source: at night (nightly.yml).
 */
const AT_NIGHT = process.env['TOLLGATE_NIGHT']
  ? []
  : [
      'lib/cdrs/field-lengths.sweep.test.ts',
      'lib/rates/drawn-prices.sweep.test.ts',
      'functions/rates/half-a-million.sweep.test.ts',
      'test/console/looks.sweep.test.ts',
      'test/growth.sweep.test.ts',
      'test/new-column.sweep.test.ts',
      'tools/commands/export/export-table.sweep.test.ts',
      'tools/datasets/moving-in.sweep.test.ts',
      'tools/datasets/moving-in-compare.sweep.test.ts',
      'tools/deployment/release-folder.sweep.test.ts',
      'tools/integrity/damage.sweep.test.ts',
    ]

/** Measures memory, so it has its own process: V8 leaves more garbage in one that holds much. */
const ALONE = 'lib/cdrs/formats/parse.sweep.test.ts'

/** What starts programs, and the sweeps: every method with every caller and with hostile values. */
export default defineConfig({
  test: {
    ...everyTest,
    env: { ...everyTest.env, TOLLGATE_SWEEP: 'true' },
    projects: [
      processes,
      {
        extends: true,
        test: {
          name: 'sweeps',
          // Nothing reads what they show: `npm test` does (test/evidence/).
          env: { TOLLGATE_EVIDENCE: '' },
          include: [SWEEPS, ...(AT_NIGHT.length ? [] : DRAWN_AT_NIGHT)],
          exclude: [ALONE, ...AT_NIGHT],
          globalSetup: ['./test/global-setup.ts', './test/deployed/runtime-client.ts'],
        },
      },
      { extends: true, test: { name: 'alone', include: [ALONE], isolate: true } },
      {
        extends: true,
        test: {
          name: 'afterwards',
          include: ['test/secrets.afterwards.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
