import pRetry from 'p-retry'

/** A service has refused a request. The name is AWS's own, such as `ConditionalCheckFailedException`. */
export class AwsError extends Error {
  readonly status: number
  /** The document that says why. */
  readonly document: Readonly<Record<string, unknown>>

  constructor(
    name: string,
    message: string,
    { status, document = {} }: { status: number; document?: AwsError['document'] },
  ) {
    super(message)
    this.name = name
    this.status = status
    this.document = document
  }
}

/** What a service says when it is asked for more than it gives at the moment. */
const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
])

export const isThrottled = (error: unknown): boolean => error instanceof Error && THROTTLED.has(error.name)

const TOO_MANY_REQUESTS = 429
const SERVER_ERROR = 500

/** The network's errors carry a code of the system; a service's own ones a status. */
const isPassing = (error: Error): boolean =>
  error instanceof AwsError
    ? error.status >= SERVER_ERROR || error.status === TOO_MANY_REQUESTS || isThrottled(error)
    : 'code' in error

/**
 * Sends again what may succeed then: after a broken connection, an error of the service, or too much load. A request that
 * did arrive although its answer was lost is carried out twice; transactions carry a token against that.
 */
export const retryingPassing = <T>(attempt: () => Promise<T>): Promise<T> =>
  pRetry(attempt, {
    retries: 4,
    minTimeout: 25,
    randomize: true,
    shouldRetry: ({ error }) => isPassing(error),
  })
