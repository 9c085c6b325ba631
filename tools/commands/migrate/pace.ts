import type { Meter } from '#lib/table/requests/meter.ts'

/** Time in milliseconds. */
export interface PaceClock {
  now(): number
  wait(milliseconds: number): Promise<unknown>
}

/**
 * Returns a function that waits as long as the units take that were spent since its last call. A slow table
 * earns no credit: what was not spent is not spent later.
 */
export function createPace(
  { spent }: Pick<Meter, 'spent'>,
  unitsPerSecond: number,
  clock: PaceClock,
): () => Promise<void> {
  const units = () => spent.read + spent.write
  let paid = units()
  let last = clock.now()
  return async () => {
    const due = last + ((units() - paid) / unitsPerSecond) * 1000
    paid = units()
    if (due > clock.now()) await clock.wait(due - clock.now())
    last = Math.max(due, clock.now())
  }
}
