import { createMeter } from '#lib/store/requests/meter.ts'
import type { TableServices } from '#lib/store/services.ts'
import { retryMessage } from './file-message.ts'
import type { DroppedFiles } from './import-file.ts'
import { openIntakeWorld } from './switches/intake-world.ts'
import { type Retry, retryLots } from './switches/retry-lots.ts'

interface Asked {
  readonly retry: Retry
  /** Whether there is time for another lot of records. */
  readonly hasTime: () => boolean
}

/** Tries records in suspense again; what there is no time for, another message asks for. */
export async function retryAsAsked(
  name: string,
  { openStore, clock, log, files }: TableServices & Pick<DroppedFiles, 'files'>,
  { retry, hasTime }: Asked,
): Promise<void> {
  const meter = createMeter()
  const startedAt = clock()
  const world = await openIntakeWorld(openStore(meter), startedAt)
  const { next, cured, left } = await retryLots(world, retry, hasTime)
  if (next !== undefined) await files.enqueue(retryMessage({ ...retry, after: next }))
  log({
    function: name,
    outcome: next === undefined ? 'tried again' : 'tried again in part',
    cured,
    left,
    ...meter.noted,
    milliseconds: clock().getTime() - startedAt.getTime(),
    read_units: meter.spent.read,
    write_units: meter.spent.write,
  })
}
