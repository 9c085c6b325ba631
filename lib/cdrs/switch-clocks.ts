import { DAY_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import { createSwitchClocks, MAX_CLOCK_ERROR_SECONDS } from '#lib/settings/switch-clock.ts'
import type { Found } from './formats/cdr.ts'
import type { MediationContext, Part } from './mediation.ts'

/** How parts come: a document as soon as its call ends, or through a queue that may hold it for a while. */
type Arrival = 'at once' | 'queued'

/**
 * Passes parts on, and notes the clocks of their switches by the newest moment of each, once `noted`
 * is called. A message of a queue proves that a clock is ahead, and never that one is behind.
 */
export function seeingClocks(mediation: MediationContext, arrival: Arrival) {
  const newest = new Map<string, number>()
  return {
    *passing(parts: Iterable<Part>): Generator<Part> {
      for (const part of parts) {
        const { source, object } = part.document
        const moment = object === undefined ? momentOf(part.found, mediation.now) : undefined
        if (moment !== undefined) newest.set(source, Math.max(moment, newest.get(source) ?? 0))
        yield part
      }
    },
    async noted(): Promise<void> {
      for (const [source, moment] of newest) {
        const ahead = moment - mediation.now
        const seen = arrival === 'queued' ? Math.max(0, ahead) : ahead
        // After a failure, a switch sends again for a long time.
        if (seen >= -MAX_CLOCK_ERROR_SECONDS && seen <= DAY_SECONDS)
          await noteClock(mediation.store, source, seen, mediation.now)
      }
    },
  }
}

const noteClock = createSwitchClocks()

/** A call that ends far ahead may have a wrong length: then its start shows the clock. */
function momentOf(found: Found, now: Seconds): Seconds | undefined {
  if (found.kind !== 'cdr') return found.kind === 'dialog_event' ? found.event.at : undefined
  const { start, duration } = found.cdr
  return start + duration - now > MAX_CLOCK_ERROR_SECONDS ? start : start + duration
}
