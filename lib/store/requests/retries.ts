import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import pRetry, { type Options } from 'p-retry'
import type { Meter } from '#lib/store/requests/meter.ts'
import { OutOfTime } from '#lib/store/requests/meter.ts'

/** What had to hold for a write did not. `failed` holds the positions of the changes whose condition failed. */
export class ConditionFailed extends Error {
  readonly failed: readonly number[]

  constructor(failed: readonly number[], options: ErrorOptions) {
    super(`The condition of change ${failed.join(', ')} did not hold`, options)
    this.name = 'ConditionFailed'
    this.failed = failed
  }
}

/** For the `catch` of a write: turns DynamoDB's two ways of saying "condition failed" into ours. */
export function throwConditionFailed(error: unknown): never {
  const failed = failedConditions(error)
  if (failed.length > 0) throw new ConditionFailed(failed, { cause: error })
  throw error
}

/** For the `catch` of a write that only makes sense while its condition holds. */
export function ignoreConditionFailed(error: unknown): void {
  if (!(error instanceof ConditionFailed)) throw error
}

function failedConditions(error: unknown): number[] {
  if (!(error instanceof Error)) return []
  if (error.name === 'ConditionalCheckFailedException') return [0]
  return reasonsOf(error).flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []))
}

/** Another transaction on the same items, or a throttled partition: nothing was written, the same again may succeed. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

/** A change refused because a transaction is at its item, or the same transaction still being carried out. */
const AT_WORK = new Set(['TransactionConflictException', 'TransactionInProgressException'])

/** Whether a transaction met another one, and nothing was written. */
export const isPassing = (error: Error): boolean =>
  AT_WORK.has(error.name) || reasonsOf(error).some((code) => PASSING.has(code))

/** Whether a transaction is known not to have been carried out, by this attempt or by one before it. */
export const nothingWasWritten = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TransactionCanceledException'

/** Why a transaction was cancelled, change by change. */
const reasonsOf = (
  error: Error & { readonly CancellationReasons?: readonly CancellationReason[] },
): string[] => (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code)

/**
 * Sends a transaction again that met another one. What is run again as a whole does not need that: only the very
 * transaction that is still being carried out is asked for once more, since nobody knows yet what becomes of it.
 */
export const retryingConflicts = <T>(meter: Meter, write: () => Promise<T>): Promise<T> =>
  repeating(meter, write, { passes: meter.runsAgain ? isBeingCarriedOut : isPassing })

const isBeingCarriedOut = ({ name }: Error): boolean => AT_WORK.has(name)

/**
 * For access patterns that read, decide and write: does it all again when what it read has changed meanwhile.
 * Gives up with the last ConditionFailed.
 */
export const retryingRaces = <T>(
  { meter }: { readonly meter: Meter },
  attempt: () => Promise<T>,
): Promise<T> => repeating(meter, attempt, { passes: (error) => error instanceof ConditionFailed })

/**
 * Whether the same request may succeed later: the table is busy, out of reach, or has changed meanwhile. Anything else,
 * such as an item that DynamoDB does not accept, lies in what was to be stored.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ([OutOfTime, LeftUndone, ConditionFailed].some((kind) => error instanceof kind)) return true
  if (error.name === 'ValidationException' || reasonsOf(error).includes('ValidationError')) return false
  return '$metadata' in error || 'code' in error
}

/** DynamoDB left a rest of a batch undone, as it does under load. */
export class LeftUndone extends Error {}

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
