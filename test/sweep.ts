/** Set by vitest.sweep.config.ts. */
export const isSweep = process.env['TOLLGATE_SWEEP'] !== undefined

/** The number of runs of a test that is in both `npm test` and `npm run sweep`. */
export const runs = (inTest: number, inSweep: number): number => (isSweep ? inSweep : inTest)
