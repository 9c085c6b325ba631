/** Failed logins under one counter; moments are Unix seconds. */
export interface LoginFailures {
  readonly failures: number
  /** When the first of them happened: the window begins there. */
  readonly since: number
  readonly last: number
}

/** How many failures within the window make a caller wait, and how long (wire.md user_login). */
export const LOGIN_WINDOW_SECONDS = 600
const LOGIN_WAIT_SECONDS = 10
export const FAILURES_OF_A_PAIR = 3
export const FAILURES_OF_AN_ADDRESS = 30

/** Whether the next attempt must wait: no password is checked until ten seconds after the last failure. */
export const mustWait = (counted: LoginFailures, allowed: number, now: number): boolean =>
  counted.failures >= allowed &&
  now - counted.since < LOGIN_WINDOW_SECONDS &&
  now - counted.last < LOGIN_WAIT_SECONDS
