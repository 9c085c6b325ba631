import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import type { Meter } from './meter.ts'
import { repeating } from './repeating.ts'

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
