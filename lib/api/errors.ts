/**
 * A refusal for the caller. A `method` refusal has the method's error shape and is HTTP 200. A `gate` refusal
 * has the shape of everything below the methods (wire.md 1.4, 4.1). Any other error is a bug. A class of its
 * own, because the API fixes its words, its layer and its status.
 */
export class ApiError extends Error {
  readonly layer: 'method' | 'gate'
  readonly status: number
  /** A sentence about the refusal, printed after the message by some methods and by refusals below them. */
  readonly reason: string | undefined

  constructor(message: string, layer: 'method' | 'gate', status = 200, reason?: string) {
    super(message)
    this.name = 'ApiError'
    this.layer = layer
    this.status = status
    this.reason = reason
  }
}

const BELOW_METHODS = {
  bad_request: [400, 'Bad request'],
  unknown_method: [404, 'Unknown method'],
  wrong_verb: [405, 'Method not allowed'],
  too_large: [413, 'Request is too large'],
  unsupported_type: [415, 'Unsupported content type'],
  too_many_requests: [429, 'Too many requests'],
  internal: [500, 'Internal error'],
  unknown_outcome: [500, 'The outcome is unknown'],
  out_of_time: [503, 'Try again'],
  unreadable_table: [503, 'The table has another format'],
} as const

export function httpRefusal(kind: keyof typeof BELOW_METHODS, reason?: string): ApiError {
  const [status, message] = BELOW_METHODS[kind]
  return new ApiError(message, 'gate', status, reason)
}

/** The messages of the gates are fixed (wire.md 2). */
export const gateRefusals = {
  api_disabled: 'API Requests are disabled',
  get_disabled: 'GET Requests are disabled',
  no_secret_key: 'API must have Secret Key',
  incorrect_hash: 'Incorrect hash',
} as const

export const gateRefusal = (kind: keyof typeof gateRefusals, reason?: string): ApiError =>
  new ApiError(gateRefusals[kind], 'gate', 200, reason)

/** Refuses an invalid value for which no other message is documented (wire.md 4.6). */
export const invalid = (parameter: string): ApiError => new ApiError(`${parameter} is invalid`, 'method')

/** Refuses a value that asks for an unsupported answer; it is never ignored (wire.md user_calls_get). */
export const notSupported = (parameter: string): ApiError =>
  new ApiError(`${parameter} is not supported`, 'method')

/** Refuses to store characters that no answer could carry (wire.md 4.3). */
export const invalidCharacters = (parameter: string): ApiError =>
  new ApiError(`${parameter} has invalid characters`, 'method')

/** Refuses a new password of an account (wire.md user_register). */
export const passwordTooShort = (shortest: number): ApiError =>
  new ApiError(`Password must be longer than ${shortest - 1} characters`, 'method')

/** Refuses an answer above the limit (6 MB buffered, 200 MB streamed), before the first byte. */
export const answerTooLarge = (): ApiError =>
  new ApiError('The answer is too large: ask for less, or accept gzip', 'method')
