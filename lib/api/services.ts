import type { Random } from '#lib/domain/secrets.ts'
import type { Meter } from '#lib/store/meter.ts'
import type { Store } from '#lib/store/store.ts'

/** Every side effect of a method. Tests bring their own clock, chance and log, and a table of their own. */
export interface Services {
  /** The table, with what it costs counted on the meter. */
  readonly openStore: (meter: Meter) => Store
  readonly clock: () => Date
  readonly random: Random
  /** Writes one line of the log. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void
}
