import type { Random } from '#lib/domain/devices/secrets.ts'
import type { Meter } from '#lib/store/meter.ts'
import type { Store } from '#lib/store/store.ts'
import type { Delivery } from './response.ts'

/** Every side effect of a method. Tests bring their own clock, chance and log, and a table of their own. */
export interface Services {
  /** The table, with what it costs counted on the meter. */
  readonly openStore: (meter: Meter) => Store
  readonly clock: () => Date
  readonly random: Random
  /** How answers leave this process. */
  readonly delivery: Delivery
  /** Writes one line of the log. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void
}
