import type { Seconds } from '#lib/domain/calendar.ts'
import { isKnownDisposition } from './disposition.ts'
import type { Reason, SwitchCall } from './record.ts'

const DAY = 86_400
const YEAR_2000 = Date.UTC(2000, 0) / 1000

/** What is wrong with something that arrived. */
export interface Problem {
  readonly reason: Reason
  readonly detail: string
}

/** What makes a call impossible, whoever's it is; `undefined` when nothing does. */
export function problemOf(call: SwitchCall, now: Seconds): Problem | undefined {
  const { start, duration, billsec, disposition } = call
  if (start < YEAR_2000) return { reason: 'impossible time', detail: 'it begins before the year 2000' }
  if (start > now + DAY) return { reason: 'impossible time', detail: 'it begins more than a day from now' }
  if (billsec > duration) {
    return { reason: 'more billed than elapsed', detail: `${billsec} of ${duration} seconds are billed` }
  }
  if (billsec > 0 && !isKnownDisposition(disposition)) {
    const detail = `${billsec} seconds are billed of a call that is ${JSON.stringify(disposition)}`
    return { reason: 'unknown disposition', detail }
  }
  return undefined
}

/**
 * What is wrong with the length of a body. `declared` is what its sender said (Content-Length), where it said anything,
 * `received` how many bytes came.
 */
export function lengthProblem(declared: number | undefined, received: number): Problem | undefined {
  if (declared !== undefined && declared !== received) {
    return { reason: 'wrong length', detail: `${received} bytes came, ${declared} were announced` }
  }
  return undefined
}
