/** One counter of failed logins. Moments are Unix seconds. */
export interface LoginFailures {
  /** Includes the attempts in flight: those whose password is being checked. */
  readonly failures: number
  readonly in_flight: number
  /** The moment of the first failure, where the window begins. */
  readonly since: number
  readonly last: number
}

/** The number of failures within a window after which a caller has to wait (wire.md user_login). */
export interface LoginLimit {
  readonly failures: number
  readonly windowSeconds: number
  /** After so long without an attempt, one more is allowed within the window. */
  readonly waitSeconds: number
}

interface LoginLimits {
  /** Counts one username from one address. */
  readonly pair: LoginLimit
  /** Counts one address. A trusted portal, which logs all of its customers in, has no such limit. */
  readonly address?: LoginLimit
}

const GUESSING = { windowSeconds: 600, waitSeconds: 10 }

const LIMITS: LoginLimits = { pair: { ...GUESSING, failures: 3 }, address: { ...GUESSING, failures: 30 } }

/** Strangers share a portal's address with the customer: their guesses must not use up the attempts. */
const LIMITS_OF_TRUSTED: LoginLimits = { pair: { failures: 30, windowSeconds: 60, waitSeconds: 60 } }

/** The codes of one account, from any address: at this limit, a million codes take years. */
export const LIMIT_OF_CODES: LoginLimit = { failures: 5, windowSeconds: 3600, waitSeconds: 3600 }

export const limitsFor = (isTrusted: boolean): LoginLimits => (isTrusted ? LIMITS_OF_TRUSTED : LIMITS)

/**
 * Whether a login may be attempted now. `first` opens a new window, `free` is within the limit, and
 * `after the wait` is the one attempt that a finished wait allows. `taken` means that attempts in flight fill
 * the limit, but may still succeed and leave it. `refused` means that the caller has to wait.
 */
export type LoginPlace = 'first' | 'free' | 'after the wait' | 'taken' | 'refused'

export function loginPlace(counted: LoginFailures, limit: LoginLimit, now: number): LoginPlace {
  if (apart(now, counted.since) >= limit.windowSeconds) return 'first'
  if (counted.failures < limit.failures) return 'free'
  if (apart(now, counted.last) >= limit.waitSeconds) return 'after the wait'
  return counted.in_flight > 0 ? 'taken' : 'refused'
}

/** In seconds. After a clock was set back, failures of the future count as long as those of the past. */
const apart = (one: number, other: number): number => Math.abs(one - other)
