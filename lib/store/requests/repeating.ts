import pRetry, { type Options } from 'p-retry'
import type { Meter } from './meter.ts'
import { OutOfTime } from './out-of-time.ts'

/** A handful of times, after waits that grow from some twenty milliseconds to a second. */
const WAITS = { retries: 7, minTimeout: 20, maxTimeout: 1000, randomize: true }

/** What may be done again, and after which waits. */
interface Repetition {
  readonly passes: (error: Error) => boolean
  readonly waits?: Pick<Options, 'retries' | 'minTimeout' | 'maxTimeout' | 'randomize'>
}

/**
 * Does again what failed for a reason that passes, as long as the meter has repetitions and time left. What is throttled
 * or lost on the way never gets here: AWS's client has tried that again itself. `attempt` is told how often it was tried.
 */
export const repeating = <T>(
  meter: Meter,
  attempt: (triedBefore: number) => Promise<T>,
  { passes, waits = WAITS }: Repetition,
): Promise<T> =>
  pRetry((number) => attempt(number - 1), {
    ...waits,
    maxRetryTime: meter.time?.left() ?? Number.POSITIVE_INFINITY,
    shouldRetry: ({ error }) => passes(error) && meter.mayRepeat(),
  }).catch((error: Error) => {
    if (meter.time?.left() === 0 && passes(error)) throw new OutOfTime('nothing done', { cause: error })
    throw error
  })
