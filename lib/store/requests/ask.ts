import type {
  $Command,
  DynamoDBDocumentClientResolvedConfig as Config,
  ServiceInputTypes as Input,
  ServiceOutputTypes as Output,
} from '@aws-sdk/lib-dynamodb'
import type { StoreOptions } from './client.ts'
import type { Kind } from './meter.ts'
import { OutOfTime } from './meter.ts'

interface Capacity {
  readonly CapacityUnits?: number | undefined
}

/** Answers that say what they cost, if asked. */
type Answer = Output & { ConsumedCapacity?: Capacity | Capacity[] | undefined }

/**
 * The one way to the table: sends a request on the meter, with the capacity that DynamoDB says it took. Throws OutOfTime
 * when the meter's time is over: then nothing is sent any more, and what is under way is given up.
 */
export async function ask<I extends Input, A extends Answer>(
  { client, meter, opened }: StoreOptions,
  kind: Kind,
  command: $Command<I, A, Config, Input, Output>,
): Promise<A> {
  const signal = meter.time?.signal
  await untilOver(opened, signal)
  const finish = meter.start()
  let units = 0
  try {
    const answer = await untilOver(client.send(command, signal && { abortSignal: signal }), signal)
    units = unitsOf(answer.ConsumedCapacity)
    return answer
  } catch (error) {
    if (signal?.aborted) throw new OutOfTime(kind === 'write' ? 'unknown' : 'nothing done', { cause: error })
    throw error
  } finally {
    finish(kind, units)
  }
}

/** AWS's client looks at the signal when it sends, not while it waits between two attempts. */
function untilOver<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return Promise.resolve(work)
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) give()
    signal.addEventListener('abort', give, { once: true })
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', give))
  })
}

const unitsOf = (capacity: Capacity | Capacity[] = []): number =>
  [capacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
