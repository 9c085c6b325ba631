/** One counter of failed logins. Moments are Unix seconds. */
export interface LoginFailures {
  /** Includes the attempts in flight: those whose password is being checked. */
  readonly failures: number
  readonly in_flight: number
  /** The moment of the first failure, where the window begins. */
  readonly since: number
  readonly last: number
}

export const LOGIN_WINDOW_SECONDS = 600
const LOGIN_WAIT_SECONDS = 10

/** The number of failures within the window after which a caller has to wait (wire.md user_login). */
interface LoginLimits {
  /** Counts one username from one address. */
  readonly pair: number
  /** Counts one address. A trusted portal, which logs all of its customers in, has no such limit. */
  readonly address?: number
}

const LIMITS: LoginLimits = { pair: 3, address: 30 }
const LIMITS_OF_TRUSTED: LoginLimits = { pair: 10 }

export const limitsFor = (isTrusted: boolean): LoginLimits => (isTrusted ? LIMITS_OF_TRUSTED : LIMITS)

/**
 * Whether a login may be attempted now. `first` opens a new window, `free` is within the limit, and `after the wait`
 * is the one attempt that a finished wait allows. `taken` means that attempts in flight fill the limit, but may still
 * succeed and leave it. `refused` means that the caller has to wait.
 */
export type LoginPlace = 'first' | 'free' | 'after the wait' | 'taken' | 'refused'

export function loginPlace(counted: LoginFailures, limit: number, now: number): LoginPlace {
  if (now - counted.since >= LOGIN_WINDOW_SECONDS) return 'first'
  if (counted.failures < limit) return 'free'
  if (now - counted.last >= LOGIN_WAIT_SECONDS) return 'after the wait'
  return counted.in_flight > 0 ? 'taken' : 'refused'
}
