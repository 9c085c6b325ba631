import { setMaxListeners } from 'node:events'

/** What one request costs: sequential round trips (requests in flight together count once) and capacity units. */
export interface Meter {
  readonly spent: Readonly<Spent>
  /** What the line of the log tells of it beside its cost; nothing where nothing was noted. */
  readonly noted: Readonly<Partial<Record<Noted, number>>>
  note(what: Noted, count: number): void
  /** Call when a request leaves; call what it returns when the answer is there. */
  start(): (kind: Kind, units: number) => void
  /** Whether something may be done again; that uses up one of the repetitions that there are. */
  mayRepeat(): boolean
  /** How long anything may be sent; an import has as long as it takes. */
  readonly time?: TimeLimit | undefined
  /** Whether all of it is run again where a transaction meets another one. */
  readonly runsAgain: boolean
}

/** New records in suspense; calls that were stored with a price below their cost. */
export type Noted = 'suspended' | 'below_cost'

/** What the capacity of a request is counted as. */
export type Kind = 'read' | 'write' | 'count'

interface Spent {
  roundTrips: number
  requests: number
  read: number
  write: number
}

/** How often a request of the API may do something again: lost races, conflicts and rests of batches together. */
export const REPETITIONS_OF_A_REQUEST = 20

interface Limits {
  /** For all that happens on the meter. */
  readonly repetitions: number
  readonly time: TimeLimit
  readonly runsAgain: boolean
}

/** Without limits, as an import needs it, unless some are given. */
export function createMeter({
  repetitions = Number.POSITIVE_INFINITY,
  time,
  runsAgain = false,
}: Partial<Limits> = {}): Meter {
  const spent: Spent = { roundTrips: 0, requests: 0, read: 0, write: 0 }
  const noted: Partial<Record<Noted, number>> = {}
  let finishedDepth = 0
  let repeated = 0

  return {
    spent,
    noted,
    note: (what, count) => {
      if (count > 0) noted[what] = (noted[what] ?? 0) + count
    },
    time,
    runsAgain,
    start: () => {
      const depth = finishedDepth + 1
      spent.requests += 1
      spent.roundTrips = Math.max(spent.roundTrips, depth)
      return (kind, units) => {
        finishedDepth = Math.max(finishedDepth, depth)
        spent[kind === 'read' ? 'read' : 'write'] += units
      }
    },
    mayRepeat: () => {
      repeated += 1
      return repeated <= repetitions
    },
  }
}

/** Whether something may have been done that nobody will hear of. */
export type Outcome = 'nothing done' | 'unknown'

/** The time of a request is over, and nothing is sent for it any more. */
export class OutOfTime extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome, options?: ErrorOptions) {
    super(
      outcome === 'unknown' ? 'The time was over before the answer to a write came' : 'The time was over',
      options,
    )
    this.name = 'OutOfTime'
    this.outcome = outcome
  }
}

/** The time that a request has: everything that is done for it asks here first. */
export interface TimeLimit {
  readonly signal: AbortSignal
  /** In milliseconds; 0 when it is over. */
  left(): number
  /** Takes the clock away from a request that is answered. */
  stop(): void
}

/** `milliseconds` from now on; nothing is left of less than none. */
export function timeLimit(milliseconds: number): TimeLimit {
  const end = performance.now() + milliseconds
  const { signal, ...over } = controllerOf(milliseconds)
  return { signal, left: () => (signal.aborted ? 0 : Math.max(0, end - performance.now())), ...over }
}

function controllerOf(milliseconds: number) {
  const controller = new AbortController()
  // A request to the table listens each, and a method may send a hundred at once.
  setMaxListeners(0, controller.signal)
  const end = () => controller.abort(new OutOfTime('nothing done'))
  if (milliseconds <= 0) end()
  const timer = setTimeout(end, Math.max(0, milliseconds)).unref()
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}
