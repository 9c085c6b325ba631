import type {
  $Command,
  DynamoDBDocumentClientResolvedConfig as Config,
  ServiceInputTypes as Input,
  ServiceOutputTypes as Output,
} from '@aws-sdk/lib-dynamodb'
import type { StoreOptions } from './client.ts'
import type { Kind } from './meter.ts'

interface Capacity {
  readonly CapacityUnits?: number | undefined
}

/** Answers that say what they cost, if asked. */
type Answer = Output & { ConsumedCapacity?: Capacity | Capacity[] | undefined }

/** The one way to the table: sends a request on the meter, with the capacity that DynamoDB says it took. */
export async function ask<I extends Input, A extends Answer>(
  { client, meter, opened }: StoreOptions,
  kind: Kind,
  command: $Command<I, A, Config, Input, Output>,
): Promise<A> {
  const finish = meter.start()
  let units = 0
  try {
    await opened
    const answer = await client.send(command)
    units = unitsOf(answer.ConsumedCapacity)
    return answer
  } finally {
    finish(kind, units)
  }
}

const unitsOf = (capacity: Capacity | Capacity[] = []): number =>
  [capacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
