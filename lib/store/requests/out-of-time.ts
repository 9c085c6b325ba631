import { setMaxListeners } from 'node:events'

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
