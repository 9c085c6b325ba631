import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb'
import pRetry from 'p-retry'

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
  if (error instanceof ConditionalCheckFailedException) return [0]
  if (!(error instanceof TransactionCanceledException)) return []
  return reasonsOf(error).flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []))
}

/** Another transaction on the same items, or a throttled partition: nothing was written, the same again may succeed. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

/** What DynamoDB throws when it is asked for more than it gives at the moment, and the SDK has given up. */
const THROTTLED = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
])

const isPassing = (error: unknown): boolean =>
  error instanceof TransactionConflictException ||
  (error instanceof Error && THROTTLED.has(error.name)) ||
  (error instanceof TransactionCanceledException && reasonsOf(error).some((code) => PASSING.has(code)))

const reasonsOf = ({ CancellationReasons = [] }: TransactionCanceledException): string[] =>
  CancellationReasons.map(({ Code }) => Code ?? 'None')

export const retryingConflicts = (transaction: () => Promise<void>): Promise<void> =>
  pRetry(transaction, {
    retries: 12,
    minTimeout: 15,
    maxTimeout: 1500,
    randomize: true,
    shouldRetry: ({ error }) => isPassing(error),
  })

/**
 * For access patterns that read, decide and write: does it all again when what it read has changed meanwhile.
 * Gives up with the last ConditionFailed.
 */
export const retryingRaces = <T>(attempt: () => Promise<T>): Promise<T> =>
  pRetry(attempt, {
    retries: 60,
    minTimeout: 2,
    maxTimeout: 50,
    randomize: true,
    shouldRetry: ({ error }) => error instanceof ConditionFailed,
  })
