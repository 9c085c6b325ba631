/** Set by vitest.sweep.config.ts. */
export const isSweep = process.env['TOLLGATE_SWEEP'] !== undefined

/** How often a test that runs in both repeats: in `npm test`, and in `npm run sweep`. */
export const runs = (inTest: number, inSweep: number): number => (isSweep ? inSweep : inTest)
