/**
 * A refusal the caller is meant to read. `method` refusals take the method's own error shape and are HTTP 200,
 * `gate` refusals the shape of everything below the methods (wire.md 1.4, 4.1). Any other throw is a bug.
 */
export class ApiError extends Error {
  readonly layer: 'method' | 'gate'
  readonly status: number

  constructor(message: string, layer: 'method' | 'gate', status = 200) {
    super(message)
    this.name = 'ApiError'
    this.layer = layer
    this.status = status
  }
}

const BELOW_METHODS = {
  bad_request: [400, 'Bad request'],
  unknown_method: [404, 'Unknown method'],
  wrong_verb: [405, 'Method not allowed'],
  too_large: [413, 'Request is too large'],
  unsupported_type: [415, 'Unsupported content type'],
  internal: [500, 'Internal error'],
  unknown_outcome: [500, 'The outcome is unknown'],
  out_of_time: [503, 'Try again'],
} as const

export function httpRefusal(kind: keyof typeof BELOW_METHODS): ApiError {
  const [status, message] = BELOW_METHODS[kind]
  return new ApiError(message, 'gate', status)
}

/** The gates' words are documented, letter by letter (wire.md 2). */
export const gateRefusals = {
  api_disabled: 'API Requests are disabled',
  get_disabled: 'GET Requests are disabled',
  no_secret_key: 'API must have Secret Key',
  incorrect_hash: 'Incorrect hash',
} as const

export const gateRefusal = (kind: keyof typeof gateRefusals): ApiError =>
  new ApiError(gateRefusals[kind], 'gate')

/** Refuses a value that cannot be stored, where no other text is documented (wire.md 4.6). */
export const invalid = (parameter: string): ApiError => new ApiError(`${parameter} is invalid`, 'method')

/** Refuses what would have to give another answer than the one given: it is never silently left out (wire.md user_calls_get). */
export const notSupported = (parameter: string): ApiError =>
  new ApiError(`${parameter} is not supported`, 'method')

/** Characters that no answer could carry are refused where they would be stored (wire.md 4.3). */
export const invalidCharacters = (parameter: string): ApiError =>
  new ApiError(`${parameter} has invalid characters`, 'method')

/** More than the way out can carry (a buffered Lambda 6 MB, a stream 200 MB), told before the first byte. */
export const answerTooLarge = (): ApiError =>
  new ApiError('The answer is too large: ask for less, or accept gzip', 'method')
