import type { Context } from 'aws-lambda'
import type { LogFields } from './log-line.ts'
import { createMeter, type Meter } from './requests/meter.ts'
import type { Store, TableServices } from './store.ts'

/** One call of a Lambda, with its own meter. */
export interface Invocation {
  readonly startedAt: Date
  readonly meter: Meter
  readonly store: Store
  /** Writes the line of the invocation: these values, its duration and its cost. */
  writeLine(fields: LogFields): void
}

/** Tells how long a Lambda may still run. */
export type TimeLeft = Pick<Context, 'getRemainingTimeInMillis'>

export function beginInvocation(
  { openStore, clock, log }: TableServices,
  meter: Meter = createMeter(),
): Invocation {
  const startedAt = clock()
  return {
    startedAt,
    meter,
    store: openStore(meter),
    writeLine: (fields) =>
      log({
        ...fields,
        ...meter.noted,
        milliseconds: clock().getTime() - startedAt.getTime(),
        read_units: meter.spent.read,
        write_units: meter.spent.write,
      }),
  }
}

/** Runs the work of an invocation, whose result is its log line. No line is written if the work throws. */
export async function invocation<T extends object>(
  services: TableServices,
  name: string,
  work: (begun: Invocation) => Promise<T>,
): Promise<T> {
  const begun = beginInvocation(services)
  const fields = await work(begun)
  begun.writeLine({ function: name, ...fields })
  return fields
}
