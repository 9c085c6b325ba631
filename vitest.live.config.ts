import { defineConfig } from 'vitest/config'
import { everyTest } from './vitest.config.ts'

/** Their answers depend on the moment: an installation with a real clock gives others. */
const WITH_STOPPED_CLOCK = [
  'functions/billing/{accountants-month,financial_statements_get,payments_get}.test.ts',
  'functions/calls/*.test.ts',
]

const hasRealClock = process.env['TOLLGATE_LIVE']?.includes('"clock":"real"')

/** The tests of the methods, sent to a running installation. It has one table, so one test runs at a time. */
export default defineConfig({
  test: {
    ...everyTest,
    include: ['functions/{billing,calls,device-rules,devices,location-rules,rates,session}/*.test.ts'],
    // The lengths of answers and the cost of lists are not seen over HTTP, and fuzzing needs worlds of its own.
    exclude: [
      '**/*.sweep.test.ts',
      '**/model.test.ts',
      'functions/calls/long-answers.test.ts',
      ...(hasRealClock ? WITH_STOPPED_CLOCK : []),
    ],
    globalSetup: './test/live/global-setup.ts',
    maxWorkers: 1,
    fileParallelism: false,
  },
})
