import { createSwitchClocks } from '#lib/settings/switch-clock.ts'
import type { Found } from './formats/cdr.ts'
import type { MediationContext, Part } from './mediation.ts'

/** A switch that is told of a failure sends again for a long time: a longer difference is no clock's. */
const MAX_SECONDS = 900

/** How parts come: a document as soon as its call ends, or through a queue that may hold it for a while. */
type Arrival = 'at once' | 'queued'

/**
 * Passes parts on, and notes the clocks of their switches by the newest moment that each tells, once `noted`
 * is called. What a queue delivers proves that a clock is ahead, and never that one is behind.
 */
export function seeingClocks(mediation: MediationContext, arrival: Arrival) {
  const newest = new Map<string, number>()
  return {
    *passing(parts: Iterable<Part>): Generator<Part> {
      for (const part of parts) {
        const { source, object } = part.document
        const end = object === undefined ? endOf(part.found) : undefined
        if (end !== undefined) newest.set(source, Math.max(end, newest.get(source) ?? 0))
        yield part
      }
    },
    async noted(): Promise<void> {
      for (const [source, end] of newest) {
        const ahead = end - mediation.now
        const seen = arrival === 'queued' ? Math.max(0, ahead) : ahead
        if (Math.abs(seen) <= MAX_SECONDS) await noteClock(mediation.store, source, seen, mediation.now)
      }
    },
  }
}

const noteClock = createSwitchClocks()

function endOf(found: Found): number | undefined {
  if (found.kind === 'cdr') return found.cdr.start + found.cdr.duration
  return found.kind === 'dialog_event' ? found.event.at : undefined
}
