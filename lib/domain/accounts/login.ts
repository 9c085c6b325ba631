/** What is counted under one counter; moments are Unix seconds. */
export interface LoginFailures {
  /** Those whose password is being checked are among them. */
  readonly failures: number
  readonly in_flight: number
  /** When the first of them was counted: the window begins there. */
  readonly since: number
  readonly last: number
}

export const LOGIN_WINDOW_SECONDS = 600
const LOGIN_WAIT_SECONDS = 10

/** How many failures within the window make a caller wait (wire.md user_login). */
interface LoginLimits {
  /** For one username from one address. */
  readonly pair: number
  /** For one address; none where a portal logs its customers in. */
  readonly address?: number
}

const LIMITS: LoginLimits = { pair: 3, address: 30 }
const LIMITS_OF_TRUSTED: LoginLimits = { pair: 10 }

export const limitsFor = (isTrusted: boolean): LoginLimits => (isTrusted ? LIMITS_OF_TRUSTED : LIMITS)

/**
 * What an attempt finds: a window to open, a place, one place after the wait is over; no place as long as others are in
 * flight, who may give theirs back; or that it has to wait.
 */
export type Place = 'first' | 'free' | 'after the wait' | 'taken' | 'refused'

export function placeFor(counted: LoginFailures, limit: number, now: number): Place {
  if (now - counted.since >= LOGIN_WINDOW_SECONDS) return 'first'
  if (counted.failures < limit) return 'free'
  if (now - counted.last >= LOGIN_WAIT_SECONDS) return 'after the wait'
  return counted.in_flight > 0 ? 'taken' : 'refused'
}
