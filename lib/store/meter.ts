/** What one call costs: sequential round trips (requests in flight together count once) and capacity units. */
export interface Meter {
  readonly spent: Readonly<Spent>
  /** Call when a request leaves; call what it returns when the answer is there. */
  start(): (kind: 'read' | 'write', units: number) => void
}

interface Spent {
  roundTrips: number
  requests: number
  read: number
  write: number
}

export function createMeter(): Meter {
  const spent: Spent = { roundTrips: 0, requests: 0, read: 0, write: 0 }
  let finishedDepth = 0

  return {
    spent,
    start: () => {
      const depth = finishedDepth + 1
      spent.requests += 1
      spent.roundTrips = Math.max(spent.roundTrips, depth)
      return (kind, units) => {
        finishedDepth = Math.max(finishedDepth, depth)
        spent[kind] += units
      }
    },
  }
}

interface Capacity {
  readonly CapacityUnits?: number | undefined
}

/** Sends a request on the meter, with the capacity that DynamoDB says it took. */
export async function metered<A extends { ConsumedCapacity?: Capacity | Capacity[] | undefined }>(
  meter: Meter,
  kind: 'read' | 'write',
  request: () => Promise<A>,
): Promise<A> {
  const finish = meter.start()
  let units = 0
  try {
    const answer = await request()
    units = unitsOf(answer.ConsumedCapacity)
    return answer
  } finally {
    finish(kind, units)
  }
}

const unitsOf = (capacity: Capacity | Capacity[] = []): number =>
  [capacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
