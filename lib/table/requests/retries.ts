import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import pRetry, { type Options } from 'p-retry'
import { Refusal } from '#lib/base/refusal.ts'
import { UnreadableTable } from '../table-format.ts'
import { type Meter, OutOfTime } from './meter.ts'

/**
 * The condition of a write did not hold. `failed` has the positions of the changes that failed. A class of
 * its own, because a lost race is not a refusal: the code that catches it reads and decides again.
 */
export class ConditionFailed extends Error {
  readonly failed: readonly number[]

  constructor(failed: readonly number[], options: ErrorOptions) {
    super(`The condition of change ${failed.join(', ')} did not hold`, options)
    this.name = 'ConditionFailed'
    this.failed = failed
  }
}

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** An object of a bucket was replaced since it was read. Nothing was written: read it again. */
    readonly object_changed: { readonly key: string }
  }
}

export const objectChanged = (key: string, options?: ErrorOptions): Refusal<'object_changed'> =>
  new Refusal('object_changed', { key }, undefined, `${key} has changed meanwhile: try again`, options)

/** For the `catch` of a write: turns DynamoDB's two errors for a failed condition into ConditionFailed. */
export function throwConditionFailed(error: unknown): never {
  const failed = failedConditions(error)
  if (failed.length > 0) throw new ConditionFailed(failed, { cause: error })
  throw error
}

/** For the `catch` of a write that only makes sense while its condition holds. */
export function ignoreConditionFailed(error: unknown): void {
  if (!(error instanceof ConditionFailed)) throw error
}

/** Waits for a write. Returns false if its conditions did not hold, and so nothing was written. */
export const hasWritten = (write: Promise<unknown>): Promise<boolean> =>
  write.then(
    () => true,
    (error) => ignoreConditionFailed(error) ?? false,
  )

function failedConditions(error: unknown): number[] {
  if (!(error instanceof Error)) return []
  if (error.name === 'ConditionalCheckFailedException') return [0]
  return reasonsOf(error).flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : []))
}

/** A conflicting transaction or a throttled partition. Nothing was written; a retry may succeed. */
const TRANSIENT_REASONS = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

/** Another transaction is at the item of an update, or the same transaction is still being carried out. */
const IN_PROGRESS = new Set(['TransactionConflictException', 'TransactionInProgressException'])

/** Whether a write conflicted with another transaction, or a partition was throttled. */
export const isConflict = (error: Error): boolean =>
  IN_PROGRESS.has(error.name) || reasonsOf(error).some((code) => TRANSIENT_REASONS.has(code))

/** Whether a transaction was certainly not carried out, neither by this attempt nor by an earlier one. */
export const nothingWasWritten = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TransactionCanceledException'

/** The reasons of a cancelled transaction, change by change. */
const reasonsOf = (
  error: Error & { readonly CancellationReasons?: readonly CancellationReason[] },
): string[] => (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code)

/**
 * Repeats a write that conflicts with a transaction. If the caller runs again as a whole, only a transaction
 * that is still being carried out is repeated here: its outcome is not known yet.
 */
export const retryingConflicts = <T>(meter: Meter, write: () => Promise<T>): Promise<T> =>
  repeating(meter, write, meter.runsAgain ? isInProgress : isConflict)

const isInProgress = ({ name }: Error): boolean => IN_PROGRESS.has(name)

/**
 * For access patterns that read, decide and write: repeats all of it when an item that it read has changed
 * meanwhile. After the last attempt it throws ConditionFailed.
 */
export const retryingRaces = <T>(
  { meter }: { readonly meter: Meter },
  attempt: (triedBefore: number) => Promise<T>,
): Promise<T> => repeating(meter, attempt, (error) => error instanceof ConditionFailed)

/**
 * Whether the same request may succeed later: the table is busy, out of reach or waits for a migration, or an
 * item has changed meanwhile. Errors of AWS's client have `$metadata`, those of the network a `code`. Any
 * other error, such as an item that DynamoDB does not accept, is caused by the data.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ([OutOfTime, TooMuchContention, ConditionFailed, UnreadableTable].some((kind) => error instanceof kind))
    return true
  if (
    error instanceof Refusal ||
    error.name === 'ValidationException' ||
    reasonsOf(error).includes('ValidationError')
  )
    return false
  return '$metadata' in error || 'code' in error
}

/**
 * Runs `work` with all items and joins its results. A failure that is not transient halves the items until
 * the failing one is alone: `refuse` makes its result, and the others are not delayed.
 */
export const isolatingPoison = <T, R>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<readonly R[]>,
  refuse: (item: T, error: unknown) => R | Promise<R>,
): Promise<readonly R[]> =>
  work(items).catch(async (error: unknown) => {
    const [only, ...others] = items
    if (isTransient(error) || only === undefined) throw error
    if (others.length === 0) return [await refuse(only, error)]
    const middle = Math.ceil(items.length / 2)
    const first = await isolatingPoison(items.slice(0, middle), work, refuse)
    return [...first, ...(await isolatingPoison(items.slice(middle), work, refuse))]
  })

/**
 * Thrown when DynamoDB or other writers defeated every attempt, as they do under load. A class of its own,
 * because the same request may succeed later, with nothing changed in it.
 */
export class TooMuchContention extends Error {}

/** In milliseconds. */
const GROWING_WAITS = { retries: 7, minTimeout: 20, maxTimeout: 1000, randomize: true }

/**
 * Repeats an attempt after a transient error while the meter has repetitions and time left. AWS's client has
 * already repeated throttled and lost requests. `attempt` receives the number of earlier attempts.
 */
export const repeating = <T>(
  meter: Meter,
  attempt: (triedBefore: number) => Promise<T>,
  mayPass: (error: Error) => boolean,
  waits: Pick<Options, 'retries' | 'minTimeout' | 'maxTimeout' | 'randomize'> = GROWING_WAITS,
): Promise<T> =>
  pRetry((number) => attempt(number - 1), {
    ...waits,
    maxRetryTime: meter.time?.left() ?? Number.POSITIVE_INFINITY,
    shouldRetry: ({ error }) => mayPass(error) && meter.mayRepeat(),
  }).catch((error: Error) => {
    if (meter.time?.left() === 0 && mayPass(error)) throw new OutOfTime('nothing done', { cause: error })
    throw error
  })
