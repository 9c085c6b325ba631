import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { queueEvent } from '#test/event.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { aFailingClient, type MishapName } from '#test/faults/faulty-endpoint.ts'
import { type World, withClient } from '#test/world.ts'

type Consumer = (event: SQSEvent) => Promise<SQSBatchResponse>

/** The function `ingest_calls`, which consumes the queue. */
export const consumerOf = ({ services }: World): Consumer =>
  queueConsumer({
    ...services,
    openStore: notingWrites('ingest_calls', services.openStore),
  })

export const consume = (world: World, ...bodies: readonly unknown[]): Promise<SQSBatchResponse> =>
  consumerOf(world)(queueEvent(...bodies))

/** The same function. Its requests to the table fail as planned, and succeed after the plan. */
export const aConsumer = async (world: World, plan: readonly (MishapName | undefined)[]): Promise<Consumer> =>
  consumerOf(withClient(world, await aFailingClient(plan)))
