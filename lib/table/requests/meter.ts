import { setMaxListeners } from 'node:events'

/** The cost of one API request: sequential round trips (parallel ones count once) and capacity units. */
export interface Meter {
  readonly spent: Readonly<Spent>
  /** Counts for the line of the log, in addition to the cost. */
  readonly noted: Readonly<Partial<Record<Noted, number>>>
  note(what: Noted, count: number): void
  /** Called when a request is sent. The returned function is called when it is answered. */
  start(): (kind: CapacityKind, units: number) => void
  /** Uses up one repetition. Returns false if none is left. */
  mayRepeat(): boolean
  /** The time in which requests may be sent. An import has no limit. */
  readonly time?: TimeLimit | undefined
  /** The caller runs again as a whole when a transaction conflicts with another one. */
  readonly runsAgain: boolean
}

/**
 * New suspended CDRs; calls stored, and those priced below their cost; answered calls whose provider blocks
 * or does not rate their number, and those to a text that is not a phone number. Prices by the oldest kept
 * version of a tariff, because that of then is no longer kept. Dropped holds of calls that did not end in
 * time; calls longer than their hold paid; CDRs after their hold's time.
 */
export type Noted =
  | 'suspended'
  | 'calls_stored'
  | 'below_cost'
  | 'fraud_suspected'
  | 'provider_blocked'
  | 'provider_unrated'
  | 'caller_invalid'
  | 'oldest_version'
  | 'repeat_kept'
  | 'unpriced_feature_code'
  | 'unpriced_short_number'
  | 'hold_expired'
  | 'overrun'
  | 'late_after_hold'

/** A count is an unconditional write: to lose its answer does no harm. */
export type CapacityKind = 'read' | 'write' | 'count'

interface Spent {
  roundTrips: number
  requests: number
  read: number
  write: number
}

/** The limit for a request of the API: lost races, conflicts and rests of batches together. */
export const REPETITIONS_OF_A_REQUEST = 20

/** `repetitions` is for all requests on the meter. An import has no limits. */
export function createMeter({
  repetitions = Number.POSITIVE_INFINITY,
  time,
  runsAgain = false,
}: { repetitions?: number } & Partial<Pick<Meter, 'time' | 'runsAgain'>> = {}): Meter {
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

/**
 * The time of a request is over. `unknown`: a write was sent, and its answer did not come in time. A class of
 * its own, because it stops everything that is still under way, wherever that is.
 */
export class OutOfTime extends Error {
  readonly outcome: 'nothing done' | 'unknown'

  constructor(outcome: OutOfTime['outcome'], options?: ErrorOptions) {
    super(
      outcome === 'unknown' ? 'The time was over before the answer to a write came' : 'The time was over',
      options,
    )
    this.name = 'OutOfTime'
    this.outcome = outcome
  }
}

/** The time that a request of the API has. Nothing is sent for it after that. */
export interface TimeLimit {
  readonly signal: AbortSignal
  /** In milliseconds, from 0. */
  left(): number
  /** Called when the request is answered. */
  stop(): void
}

/** Ends in `milliseconds`; at once if they are not above 0. */
export function timeLimit(milliseconds: number): TimeLimit {
  const end = performance.now() + milliseconds
  const { signal, stop } = controllerOf(milliseconds)
  return { signal, left: () => (signal.aborted ? 0 : Math.max(0, end - performance.now())), stop }
}

function controllerOf(milliseconds: number) {
  const controller = new AbortController()
  // Every request to the table adds a listener, and a method may send a hundred at once.
  setMaxListeners(0, controller.signal)
  const abort = () => controller.abort(new OutOfTime('nothing done'))
  if (milliseconds <= 0) abort()
  const timer = setTimeout(abort, Math.max(0, milliseconds)).unref()
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}
