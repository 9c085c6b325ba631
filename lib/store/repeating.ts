import pRetry from 'p-retry'
import type { Meter } from './meter.ts'

/** A handful of times, after waits that grow from some twenty milliseconds to a second. */
const WAITS = { retries: 7, minTimeout: 20, maxTimeout: 1000, randomize: true }

/**
 * Does again what failed for a reason that passes, as long as the meter has repetitions left. What is throttled or lost on
 * the way never gets here: AWS's client has tried that again itself.
 */
export const repeating = <T>(
  meter: Meter,
  attempt: () => Promise<T>,
  passes: (error: Error) => boolean,
): Promise<T> => pRetry(attempt, { ...WAITS, shouldRetry: ({ error }) => passes(error) && meter.mayRepeat() })
