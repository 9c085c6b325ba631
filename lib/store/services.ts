import type { Meter } from '#lib/store/requests/meter.ts'
import type { Store } from './store.ts'

/** The side effects that every function has. */
export interface TableServices {
  /** The table, with what it costs counted on the meter. */
  readonly openStore: (meter: Meter) => Store
  readonly clock: () => Date
  /** Writes one line of the log. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void
}
